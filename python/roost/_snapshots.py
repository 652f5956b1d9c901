# Tables saved to files and loaded from them, and pickled.
"""Tables that outlive a process."""

from __future__ import annotations

from typing import Any


def save(table: Any, file: Any) -> None:
    raise NotImplementedError


def load(cls: Any, file: Any, settings: Any) -> Any:
    raise NotImplementedError


def dump(table: Any) -> bytes:
    raise NotImplementedError


def restore(settings: Any, data: bytes) -> Any:
    raise NotImplementedError
