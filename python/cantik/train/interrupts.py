"""Ctrl-C in a training that keeps checkpoints."""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import FrameType, TracebackType


class KeyboardInterrupts:
    """While it lasts, Ctrl-C ends the session at the next minibatch, with a checkpoint, and a second Ctrl-C
    at once. Where the program has a handler of its own, or on another thread than the main one, nothing
    changes.

    Args:
        session: has `interrupt` and `is_interrupted`
        has_checkpoint (bool): whether it keeps checkpoints; without, Ctrl-C ends it at once
    """

    def __init__(self, session: Any, has_checkpoint: bool):
        self._session, self._has_checkpoint = session, has_checkpoint
        self._pressed, self._installed = False, False

    def __enter__(self) -> KeyboardInterrupts:
        ours = threading.current_thread() is threading.main_thread()
        if self._has_checkpoint and ours and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._press)
            self._installed = True
        return self

    def _press(self, number: int, frame: FrameType | None) -> None:
        if self._pressed:
            signal.default_int_handler(number, frame)
        self._pressed = True
        self._session.interrupt()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._installed:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        if kind is None and self._pressed:
            raise KeyboardInterrupt
