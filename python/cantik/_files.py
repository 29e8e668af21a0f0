"""Files that are whole or not there."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._types import PathLike


def write_whole(path: PathLike, content: bytes | str) -> None:
    """Writes beside the file first, then takes its place: what fails leaves the old file, or none. A text is
    written in UTF-8. An error names the file that was asked for."""
    data = content.encode() if isinstance(content, str) else content
    try:
        _replace(os.path.realpath(path), data)
    except OSError as error:
        error.filename, error.filename2 = os.fspath(path), None
        raise


def _replace(target, data):
    if os.path.exists(target) and not os.path.isfile(target):  # a terminal or a pipe has no place to take
        with open(target, 'wb') as file:
            file.write(data)
        return
    beside = f'{target}.{os.getpid()}.{threading.get_ident()}.part'
    try:
        with open(beside, 'wb') as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if os.path.exists(target):
            os.chmod(beside, os.stat(target).st_mode & 0o7777)
        os.replace(beside, target)
    except BaseException:
        with suppress(OSError):
            os.remove(beside)
        raise
