"""Files that are whole or not there."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .._types import PathLike


def write_whole(path: PathLike, content: Any) -> None:
    """Writes beside the file first, then takes its place."""
    path = os.fspath(path)
    beside = path + '.part'
    with open(beside, 'wb') as f:
        f.write(content)
        f.flush()
        os.fsync(f.fileno())
    os.replace(beside, path)
