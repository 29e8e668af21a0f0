"""What runs spend their time on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from . import _cantik
from ._checks import path as path_of

if TYPE_CHECKING:
    from ._types import PathLike


class profile:
    """Records runs in a with-block: a table by operator, the memory at its peak, and a Chrome trace.

    ``memory`` is what tensors, results and runs held at most while it recorded, in bytes: parameters and what
    a training step needs beside them. NumPy arrays are not in it. ``kept`` is what is there for further
    runs when it stops recording (compiled programs, the memory of runs, packed weights), in bytes, and
    ``budget`` how much that may be before the things that were used longest ago go.

    Example:
        >>> import cantik as C, numpy as np
        >>> x = C.input_variable(2)
        >>> f = C.exp(x)
        >>> with C.profile() as p:
        ...     _ = f.eval({x: np.ones((3, 2))})
        >>> sum(row.calls for row in p.rows) >= 1
        True
        >>> p.memory > 0
        True
        >>> 0 < p.kept < p.budget
        True
    """

    def __init__(self):
        self._recording = None  # made when it begins

    def __enter__(self):
        self.resume()
        return self

    def __exit__(self, *error):
        self.pause()

    def resume(self) -> None:
        """Goes on recording."""
        if self._recording is None:
            self._recording = _cantik.Profile()
        else:
            self._recording.resume()

    def pause(self) -> None:
        """Stops recording."""
        if self._recording is not None:
            self._recording.pause()

    @property
    def events(self) -> list[tuple[str, int, int, int]]:
        """The calls of kernels: (name, begin, end, thread), in nanoseconds."""
        return self._recording.events if self._recording else []

    @property
    def memory(self) -> int:
        """What runs held at most, in bytes."""
        return self._recording.memory if self._recording else 0

    @property
    def kept(self) -> int:
        """What is there for further runs, in bytes."""
        return self._recording.kept if self._recording else 0

    @property
    def budget(self) -> int:
        """How much may be kept, in bytes."""
        return self._recording.budget if self._recording else _cantik.cache_use()[1]

    @property
    def rows(self) -> list[ProfileRow]:
        """What each kernel took, the most expensive first."""
        return [ProfileRow(*row) for row in self._recording.rows] if self._recording else []

    def table(self) -> str:
        """The rows as text."""
        return self._recording.table() if self._recording else 'nothing was recorded'

    def __str__(self):
        return self.table()

    def trace(self) -> dict[str, Any]:
        """The events in Chrome's form, for chrome://tracing or Perfetto."""
        return json.loads(self._trace())

    def _trace(self):
        return self._recording.trace() if self._recording else '{"traceEvents": []}'

    def save(self, path: PathLike) -> None:
        """Writes the Chrome trace."""
        with open(path_of(path, 'path'), 'w') as file:
            file.write(self._trace())


class ProfileRow:
    """Calls and time of one kernel."""

    def __init__(self, name: str, calls: int, nanoseconds: int):
        self.name, self.calls, self.nanoseconds = name, calls, nanoseconds

    def __repr__(self):
        return f'ProfileRow({self.name!r}, calls={self.calls}, nanoseconds={self.nanoseconds})'
