"""CNTK's switches of the profiler. The times are written as a Chrome trace; `with cantik.profile()` is the
shorter way."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from .. import profiling
from .._checks import flag, path, whole

if TYPE_CHECKING:
    from .._types import PathLike

__all__ = ['start_profiler', 'stop_profiler', 'enable_profiler', 'disable_profiler']

_session = None


def start_profiler(
    dir: PathLike = 'profiler', sync_gpu: bool = True, reserve_mem: int = 32 * 1024 * 1024
) -> None:
    """Begins to record.

    Args:
        dir (str): where stop_profiler writes profile.json, a Chrome trace
        sync_gpu (bool): accepted for CNTK's sake
        reserve_mem (int): accepted for CNTK's sake
    """
    global _session
    flag(sync_gpu, 'sync_gpu')
    whole(reserve_mem, 'reserve_mem', 0)
    _session = (profiling.profile(), path(dir, 'dir'))
    _session[0].__enter__()


def stop_profiler() -> None:
    """Ends the recording and writes it."""
    global _session
    if _session is None:
        return
    recorded, folder = _session
    _session = None
    recorded.__exit__(None, None, None)
    os.makedirs(folder, exist_ok=True)
    recorded.save(os.path.join(folder, 'profile.json'))


def enable_profiler() -> None:
    """Goes on recording after disable_profiler."""
    if _session is not None:
        _session[0].resume()


def disable_profiler() -> None:
    """Records nothing until enable_profiler."""
    if _session is not None:
        _session[0].pause()
