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
        self.events = []  # (name, begin, end, thread), in nanoseconds
        self.memory = self.kept = 0
        self.budget = _cantik.cache_use()[1]

    def __enter__(self):
        self.resume()
        return self

    def __exit__(self, *error):
        self.pause()

    def resume(self) -> None:
        """Goes on recording."""
        _cantik.reset_memory_peak()
        _cantik.profile_start()

    def pause(self) -> None:
        """Stops recording."""
        self.events += _cantik.profile_stop()
        self.memory = max(self.memory, _cantik.memory_peak())
        self.kept, self.budget, _ = _cantik.cache_use()

    @property
    def rows(self) -> list[ProfileRow]:
        """What each kernel took, the most expensive first."""
        sums = {}
        for name, begin, end, _ in self.events:
            calls, total = sums.get(name, (0, 0))
            sums[name] = calls + 1, total + end - begin
        return sorted(
            (ProfileRow(name, calls, total) for name, (calls, total) in sums.items()),
            key=lambda row: -row.nanoseconds,
        )

    def table(self) -> str:
        """The rows as text."""
        rows = self.rows
        total = sum(row.nanoseconds for row in rows) or 1
        lines = ['{:<40} {:>9} {:>12} {:>12} {:>7}'.format('operator', 'calls', 'ms', 'us/call', '%')]
        lines += [
            f'{r.name:<40} {r.calls:>9} {r.nanoseconds / 1e6:>12.3f} '
            f'{r.nanoseconds / 1e3 / r.calls:>12.2f} {100 * r.nanoseconds / total:>7.1f}'
            for r in rows
        ]
        lines.append(f'memory at its peak: {self.memory / 1e6:.3f} MB')
        lines.append(f'kept for further runs: {self.kept / 1e6:.3f} MB of {self.budget / 1e6:.0f} MB')
        return '\n'.join(lines)

    def __str__(self):
        return self.table()

    def trace(self) -> dict[str, list[dict[str, Any | str | int]]]:
        """The events in Chrome's form, for chrome://tracing or Perfetto."""
        threads = {}
        return {
            'traceEvents': [
                {
                    'name': name,
                    'ph': 'X',
                    'ts': begin / 1e3,
                    'dur': (end - begin) / 1e3,
                    'pid': 0,
                    'tid': threads.setdefault(thread, len(threads)),
                }
                for name, begin, end, thread in self.events
            ]
        }

    def save(self, path: PathLike) -> None:
        """Writes the Chrome trace."""
        with open(path_of(path, 'path'), 'w') as file:
            json.dump(self.trace(), file)


class ProfileRow:
    """Calls and time of one kernel."""

    def __init__(self, name: str, calls: int, nanoseconds: int):
        self.name, self.calls, self.nanoseconds = name, calls, nanoseconds

    def __repr__(self):
        return f'ProfileRow({self.name!r}, calls={self.calls}, nanoseconds={self.nanoseconds})'
