# Comm: a rank of the group of ranks that share a table.
import ctypes
import os
from ctypes import byref, c_void_p
from typing import Any, List

from ._library import check, encode, library

class Comm:
    """A rank of a group of ranks, as Table(comm=...) takes it.  All ranks make the same calls on a table."""
    def __init__(self, handle: c_void_p): self._handle = handle
    @staticmethod
    def local(devices: List[str]) -> List["Comm"]:
        """The comms of as many ranks as devices, such as ["host", "cuda:0"]; each is used by one thread at a time."""
        handles = (c_void_p * len(devices))()
        check(library.comm_local(handles, len(devices), encode(",".join(devices)), None))
        return [Comm(c_void_p(handle)) for handle in handles]
    @staticmethod
    def from_mpi(comm: Any) -> "Comm":
        """A comm on a duplicate of an mpi4py communicator.  All of its ranks call this.  ROOST_MPI_LIBRARY
        names another libroost-mpi than the one that the linker finds."""
        from mpi4py import MPI
        mpi = ctypes.CDLL(os.environ.get("ROOST_MPI_LIBRARY", "libroost-mpi.so.0"))
        integer = MPI._sizeof(MPI.Comm) == ctypes.sizeof(ctypes.c_int)  # MPICH has numbers, Open MPI addresses
        value, handle = (ctypes.c_int if integer else c_void_p).from_address(MPI._addressof(comm)), c_void_p()
        check(mpi.roost_comm_from_mpi(byref(handle), value, None))
        return Comm(handle)
    @staticmethod
    def from_nccl(comm: Any) -> "Comm":
        """A comm on a duplicate of an NCCL communicator: a cupy.cuda.nccl.NcclCommunicator, an object of
        PyTorch with _comm_ptr(), or the address of an ncclComm_t.  All of its ranks call this."""
        address, handle = comm._comm_ptr() if hasattr(comm, "_comm_ptr") else getattr(comm, "comm", comm), c_void_p()
        check(library.comm_from_nccl(byref(handle), c_void_p(address), None))
        return Comm(handle)
    rank = property(lambda self: library.comm_rank(self._handle), doc="This rank, from 0.")
    ranks = property(lambda self: library.comm_ranks(self._handle), doc="How many ranks there are.")
    def __del__(self) -> None:
        if self._handle:
            library.comm_free(self._handle)
def comm_of(comm: Any) -> Comm:
    """The comm of what a caller gives for one."""
    if isinstance(comm, Comm):
        return comm
    return Comm.from_mpi(comm) if type(comm).__module__.startswith("mpi4py") else Comm.from_nccl(comm)
