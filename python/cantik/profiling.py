"""What runs spend their time on."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from . import _cantik
from ._checks import flag, path as path_of
from ._files import write_whole
from ._html import table

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

    def _repr_html_(self):
        rows = [(row.name, row.calls, f'{row.nanoseconds * 1e-6:.3f}') for row in self.rows]
        below = f'{self.memory * 1e-6:.1f} MB at the peak, {self.kept * 1e-6:.1f} MB kept'
        return table(('operator', 'calls', 'milliseconds'), rows, below)

    def trace(self) -> dict[str, Any]:
        """The events in Chrome's form, for chrome://tracing or Perfetto."""
        return json.loads(self._trace())

    def _trace(self):
        return self._recording.trace() if self._recording else '{"traceEvents": []}'

    def save(self, path: PathLike, workers: bool = False) -> None:
        """Writes the Chrome trace.

        Args:
            path (str): the file
            workers (bool): the events of all workers on one time line, a process for each; all of them call
              it, and the main one writes. Clocks of several machines are as good as the machines keep them.
        """
        path = path_of(path, 'path')
        text, main = self._of_all_workers() if flag(workers, 'workers') else (self._trace(), True)
        if main:
            write_whole(path, text)

    def _of_all_workers(self):
        group = _cantik.workers()
        since = (time.time_ns() - time.monotonic_ns()) * 1e-3  # of the day, in microseconds
        all_events = []
        for rank, own in enumerate(group.gather({'since': since, 'trace': self._trace()})):
            name = f'worker {rank} on {group.descriptors[rank].host_id}'
            all_events.append({'name': 'process_name', 'ph': 'M', 'pid': rank, 'args': {'name': name}})
            events = json.loads(own['trace'])['traceEvents']
            all_events += [{**event, 'pid': rank, 'ts': event['ts'] + own['since']} for event in events]
        return json.dumps({'traceEvents': all_events}), group.rank == 0


class ProfileRow:
    """Calls and time of one kernel."""

    def __init__(self, name: str, calls: int, nanoseconds: int):
        self.name, self.calls, self.nanoseconds = name, calls, nanoseconds

    def __repr__(self):
        return f'ProfileRow({self.name!r}, calls={self.calls}, nanoseconds={self.nanoseconds})'
