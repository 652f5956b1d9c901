# Events of CUDA's driver, by which arrays of asynchronous calls are held, and streams ordered.
import ctypes
from collections import deque
from ctypes import byref, c_int, c_void_p
from typing import Any, Deque, Dict, Tuple

class Gpu:
    """A GPU's primary context, which the CUDA runtime of other libraries uses, too."""
    def __init__(self, ordinal: int):
        self._driver, self._free, self._context = ctypes.CDLL("libcuda.so.1"), [], c_void_p()  # type: ignore[var-annotated]
        device = c_int()
        self._do("cuInit", 0)
        self._do("cuDeviceGet", byref(device), ordinal)
        self._do("cuDevicePrimaryCtxRetain", byref(self._context), device)
    def _do(self, name: str, *arguments: Any) -> None:
        status = getattr(self._driver, name)(*arguments)
        if status:
            raise RuntimeError(f"{name} failed: CUDA error {status}")
    def record(self, stream: int) -> c_void_p:
        """An event behind the work so far on a stream."""
        self._do("cuCtxPushCurrent_v2", self._context)
        try:
            event = self._free.pop() if self._free else c_void_p()
            if not event:
                self._do("cuEventCreate", byref(event), 2)  # CU_EVENT_DISABLE_TIMING
            self._do("cuEventRecord", event, c_void_p(stream))
        finally:
            self._do("cuCtxPopCurrent_v2", byref(c_void_p()))
        return event
    def passed(self, event: c_void_p) -> bool:
        """True once the stream has passed the event, which is then free for another use."""
        if self._driver.cuEventQuery(event) == 600:  # CUDA_ERROR_NOT_READY
            return False
        self._free.append(event)
        return True
    def order(self, before: int, after: int) -> None:
        """Lets what comes on stream `after` wait for the work so far on stream `before`."""
        event = self.record(before)
        self._do("cuStreamWaitEvent", c_void_p(after), event, 0)
        self._free.append(event)
_gpus: Dict[int, Gpu] = {}

def gpu(ordinal: int) -> Gpu:
    """The GPU of this number."""
    return _gpus.get(ordinal) or _gpus.setdefault(ordinal, Gpu(ordinal))

class Held:
    """Arrays of asynchronous calls, each until an event on its call's stream has passed.  64 calls of small arrays on the
    default stream, which nobody destroys, have one event."""
    def __init__(self) -> None:
        self.calls: Deque[Tuple[Gpu, c_void_p, Any]] = deque()
        self.late: Dict[int, Any] = {}
    def hold(self, ordinal: int, stream: int, arrays: Any) -> None:
        if stream < 2 and arrays[-1].n <= 4096:
            self.late.setdefault(ordinal, []).append(arrays)
            if len(self.late[ordinal]) == 64: self.mark()
            return
        self.drop_passed()
        self.calls.append((gpu(ordinal), gpu(ordinal).record(stream), arrays))
    def mark(self) -> None:
        """Records the events of calls that have none yet."""
        self.drop_passed()
        while self.late:
            ordinal, arrays = self.late.popitem()
            self.calls.append((gpu(ordinal), gpu(ordinal).record(0), arrays))
    def drop_passed(self) -> None:
        while self.calls and self.calls[0][0].passed(self.calls[0][1]):
            self.calls.popleft()
