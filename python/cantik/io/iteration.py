"""`for batch in source`: minibatches of a sweep as arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _cantik
from .._checks import flag, whole

if TYPE_CHECKING:
    from collections.abc import Iterator


def _arrays(data):
    has_steps = data.num_sequences != data.num_samples if data.has_steps is None else data.has_steps
    return _cantik.arrays_of(data.value, has_steps)


class Sweeps:
    """What sources have for `for`: each loop brings a sweep, from where the source stands."""

    minibatch_size = 32

    def batches(self, minibatch_size: int | None = None, values: bool = False) -> Iterator[dict[str, Any]]:
        """The minibatches of a sweep, from where the source stands to the end of the sweep.

        Args:
            minibatch_size (int): samples of each; `minibatch_size` of the source if nothing is said
            values (bool): whether Values are wanted in place of arrays

        Returns:
            an iterator of dictionaries from names of streams to arrays [samples, shape...], or to lists of
            arrays [steps, shape...] where a stream has sequences; CSR matrices where it is sparse

        Example:
            >>> import cantik as C, numpy as np
            >>> source = C.io.IterableSource({'x': np.arange(5)}, max_sweeps=2)
            >>> [batch['x'].ravel().tolist() for batch in source.batches(2)]
            [[0.0, 1.0], [2.0, 3.0], [4.0]]
        """
        size = whole(self.minibatch_size if minibatch_size is None else minibatch_size, 'minibatch_size', 1)
        flag(values, 'values')
        return self._sweep_in(size, values)

    def _sweep_in(self, size, values):
        ended = False
        while not ended:
            batch = self._next_of_sweep(size)
            if not batch:
                return
            ended = any(data.end_of_sweep for data in batch.values())
            yield {info.name: data.value if values else _arrays(data) for info, data in batch.items()}

    def _next_of_sweep(self, num_samples):
        return self.next_minibatch(num_samples, number_of_workers=1, worker_rank=0)

    def __iter__(self):
        return self.batches()

    def __bool__(self):
        return True
