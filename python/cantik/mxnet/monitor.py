"""mx.mon: figures of the values in a network while it is trained."""

from __future__ import annotations

import logging
import math
import re
from typing import Any

from . import ndarray as nd


def _size(x):
    """The mean size of an element, as the norm sees it."""
    return nd.norm(x) / math.sqrt(x.size)


class Monitor:
    """Of every interval-th batch a figure of each value and parameter whose name matches the pattern.

    stat_func: from an array to the figure, an array or a list of them. monitor_all: the operands of operators
    too.
    """

    def __init__(
        self,
        interval: Any,
        stat_func: Any = None,
        pattern: str = '.*',
        sort: bool = False,
        monitor_all: bool = False,
    ):
        self.interval, self.stat_func, self.sort, self.monitor_all = (
            interval,
            stat_func or _size,
            sort,
            monitor_all,
        )
        self.re_prog = re.compile(pattern)
        self.activated, self.queue, self.step, self.exes = False, [], 0, []

    def stat_helper(self, name: str | None, array: Any) -> None:
        """Notes the figure of an array, while a batch is watched."""
        if self.activated and self.re_prog.match(name):
            self.queue.append((self.step, name, self.stat_func(array)))

    def install(self, exe: Any) -> None:
        """Watches an executor."""
        exe.set_monitor_callback(self.stat_helper, self.monitor_all)
        self.exes.append(exe)

    def tic(self) -> None:
        """Before a batch."""
        if self.step % self.interval == 0:
            self.queue, self.activated = [], True
        self.step += 1

    def toc(self) -> list[Any]:
        """Behind a batch: a list of (number of the batch, name, figure as a text)."""
        if not self.activated:
            return []
        for exe in self.exes:
            for name, array in [*exe.arg_dict.items(), *exe.aux_dict.items()]:
                self.stat_helper(name, array)
        self.activated = False
        found = [
            (
                step,
                name,
                ''.join(
                    str(self._shown(v)) + '\t' for v in (figures if isinstance(figures, list) else [figures])
                ),
            )
            for step, name, figures in self.queue
        ]
        self.queue = []
        return sorted(found, key=lambda entry: entry[1]) if self.sort else found

    @staticmethod
    def _shown(figure):
        if not isinstance(figure, nd.NDArray):
            raise AssertionError(f'stat_func gives NDArrays, not {type(figure).__name__}')
        return figure.asscalar() if figure.shape == (1,) else figure.asnumpy()

    def toc_print(self) -> None:
        """Behind a batch: its figures in the log."""
        for step, name, figure in self.toc():
            logging.info('Batch: %7d %-30s %s', step, name, figure)
