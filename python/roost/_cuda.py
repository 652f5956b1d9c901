# Events of CUDA's driver, by which arrays of asynchronous calls are held, and streams ordered.
"""CUDA events, by ctypes over the driver.  Nothing here runs on a machine without a GPU."""

from __future__ import annotations

import ctypes
from collections import deque
from ctypes import c_int, c_void_p
from typing import Any, Deque, List, Tuple

DISABLE_TIMING = 2  # CU_EVENT_DISABLE_TIMING
NOT_READY = 600  # CUDA_ERROR_NOT_READY


class Gpu:
    """A GPU's primary context, which the runtime of the other libraries uses, too."""

    def __init__(self, ordinal: int):
        self._driver = ctypes.CDLL("libcuda.so.1")
        self._free: List[c_void_p] = []
        self._context = c_void_p()
        device = c_int()
        self._do("cuInit", 0)
        self._do("cuDeviceGet", ctypes.byref(device), ordinal)
        self._do("cuDevicePrimaryCtxRetain", ctypes.byref(self._context), device)

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
                self._do("cuEventCreate", ctypes.byref(event), DISABLE_TIMING)
            self._do("cuEventRecord", event, c_void_p(stream))
        finally:
            self._do("cuCtxPopCurrent_v2", ctypes.byref(c_void_p()))
        return event

    def passed(self, event: c_void_p) -> bool:
        """True once the stream has passed the event, which is then free for another use."""
        status = self._driver.cuEventQuery(event)
        if status == NOT_READY:
            return False
        self._free.append(event)
        return True

    def order(self, before: int, after: int) -> None:
        """Lets what comes on stream `after` wait for the work so far on stream `before`."""
        event = self.record(before)
        self._do("cuStreamWaitEvent", c_void_p(after), event, 0)
        self._free.append(event)


_gpus: dict = {}


def gpu(ordinal: int) -> Gpu:
    if ordinal not in _gpus:
        _gpus[ordinal] = Gpu(ordinal)
    return _gpus[ordinal]


class Held:
    """Arrays of asynchronous calls, each until an event on its call's stream has passed."""

    def __init__(self) -> None:
        self._calls: Deque[Tuple[Gpu, c_void_p, Any]] = deque()

    def hold(self, ordinal: int, stream: int, arrays: Any) -> None:
        self.drop_passed()
        place = gpu(ordinal)
        self._calls.append((place, place.record(stream), arrays))

    def drop_passed(self) -> None:
        calls = self._calls
        while calls and calls[0][0].passed(calls[0][1]):
            calls.popleft()

    def __len__(self) -> int:
        return len(self._calls)
