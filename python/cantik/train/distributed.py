"""Training in several processes: `mpiexec -n 4 python train.py`, or `cantik launch -n 4 train.py` on a
machine without MPI. A process that no launcher has started with others is alone: worker 0 of 1."""

from __future__ import annotations

import atexit
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _cantik
from .._cantik import DistributedLearner, WorkerDescriptor
from .._checks import listed, refused
from ..learners.user import Parameters
from ._distributed import (
    block_momentum_distributed_learner as block_momentum_distributed_learner,
    data_parallel_distributed_learner as data_parallel_distributed_learner,
    local_sgd_distributed_learner as local_sgd_distributed_learner,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .._cantik import NDArrayView

__all__ = [
    'Communicator',
    'DistributedLearner',
    'WorkerDescriptor',
    'block_momentum_distributed_learner',
    'local_sgd_distributed_learner',
    'data_parallel_distributed_learner',
    'mpi_communicator',
]


class Communicator:
    """How the processes that train together talk: made by mpi_communicator, or asked for at a learner. All of
    them make the same calls in the same order.

    Example:
        >>> import cantik as C
        >>> C.Communicator.num_workers(), C.Communicator.rank()
        (1, 0)
        >>> C.train.distributed.mpi_communicator().is_main()
        True
    """

    def __init__(self) -> None:
        self._all = _cantik.workers()

    @staticmethod
    def _of(workers) -> Communicator:
        communicator = Communicator.__new__(Communicator)
        communicator._all = workers
        return communicator

    def workers(self) -> list[WorkerDescriptor]:
        """All workers, in the order of their ranks."""
        return self._all.descriptors

    def current_worker(self) -> WorkerDescriptor:
        """This process."""
        return self._all.descriptors[self._all.rank]

    def is_main(self) -> bool:
        """Whether this process is the worker that writes files."""
        return self._all.rank == 0

    def barrier(self) -> None:
        """Waits until all workers have come to it."""
        self._all.barrier()

    def aggregate_in_place(self, values: Sequence[NDArrayView], send_to_workers: Any = None) -> None:
        """Each value becomes its sum over the workers.

        Args:
            values (list of NDArrayView): of the same shapes in all workers
            send_to_workers: all workers take part, whoever is named
        """
        self._all.sums(listed(values, 'values'), True)

    def aggregate(self, values: Sequence[NDArrayView], send_to_workers: Any = None) -> list[NDArrayView]:
        """The sums of values over the workers.

        Args:
            values (list of NDArrayView): of the same shapes in all workers
            send_to_workers: all workers take part, whoever is named
        """
        return self._all.sums(listed(values, 'values'), False)

    def all_reduce_sparse_block_column(self, values: Sequence[NDArrayView]) -> list[NDArrayView]:
        """The sums of values with few rows, such as gradients of embeddings: only these rows travel.

        Args:
            values (list of NDArrayView): with few rows, of the same shapes in all workers
        """
        return self._all.sum_rows(listed(values, 'values'))

    def concatenate(self, values: Sequence[Any], send_to_workers: Any = None) -> list[Any]:
        """The values of all workers, one behind the other in the order of ranks: arrays along their first
        axis, samples and sequences as one batch. A worker may have more of them than another.

        Args:
            values (list of NDArrayView, or of Value): dense, in all workers alike but for the first axis
            send_to_workers: all workers take part, whoever is named

        Example:
            >>> import cantik as C, numpy as np
            >>> views = [C.NDArrayView.from_dense(np.ones((2, 3), np.float32))]
            >>> C.train.distributed.mpi_communicator().concatenate(views)[0].shape
            (2, 3)
        """
        return self._all.concatenate(listed(values, 'values'))

    def gather(self, input: dict[str, Any], send_to_workers: Any = None) -> list[dict[str, Any]]:
        """The dictionaries of all workers, in the order of their ranks.

        Args:
            input (dict): of this worker
            send_to_workers: all workers take part, whoever is named
        """
        return self._all.gather(input)

    def sub_group(self, sub_group_workers: Iterable[WorkerDescriptor]) -> Communicator | None:
        """Some of the workers as a group of their own, which may have learners of its own. All workers of
        this communicator call it, with the same ones.

        Args:
            sub_group_workers (iterable of WorkerDescriptor): some of workers()

        Returns:
            Communicator of these; None in the others

        Example:
            >>> import cantik as C
            >>> everybody = C.train.distributed.mpi_communicator()
            >>> group = everybody.sub_group(everybody.workers()[::2])
            >>> group.is_main(), len(group.workers())
            (True, 1)
        """
        known = self._all.descriptors
        ranks = []
        for worker in listed(sub_group_workers, 'sub_group_workers'):
            if worker not in known:
                raise refused('an element of sub_group_workers', 'one of workers()', worker)
            ranks.append(known.index(worker))
        group = self._all.sub_group(ranks)
        return None if group is None else Communicator._of(group)

    @staticmethod
    def finalize() -> None:
        """The end of the exchange. A program calls it when its training is over; all workers do."""
        _cantik.leave_workers()

    @staticmethod
    def num_workers() -> int:
        """How many workers there are."""
        return _cantik.workers().size

    @staticmethod
    def rank() -> int:
        """The number of this process, from 0."""
        return _cantik.workers().rank


def _communicator(self):
    """How the learner's workers talk."""
    return Communicator._of(self._workers)


def _do_aggregate_metrics_if_needed(self, local_loss: NDArrayView, local_metric: NDArrayView) -> None:
    """The sums of losses and metrics since the last summary become their averages over the workers, where
    each worker has counted its own, as with blocks.

    Args:
        local_loss (NDArrayView): one number, which is replaced
        local_metric (NDArrayView): one number, which is replaced
    """
    for name, view in (('local_loss', local_loss), ('local_metric', local_metric)):
        if not isinstance(view, _cantik.NDArrayView) or view.asarray().size != 1:
            raise refused(name, 'an NDArrayView of one number', view)
    values = [view.asarray() for view in (local_loss, local_metric)]
    averages = self._average_sums(*(float(value.reshape(())) for value in values))
    for view, value, average in zip((local_loss, local_metric), values, averages):
        view.set_value(np.full_like(value, average))


def _parameters(self) -> Parameters:
    """The parameters that it changes, as a tuple; may be called as well."""
    return Parameters(_cantik.Learner.parameters.__get__(self))


DistributedLearner.parameters = property(_parameters)
DistributedLearner.communicator = DistributedLearner.get_communicator = _communicator
DistributedLearner.do_aggregate_metrics_if_needed = _do_aggregate_metrics_if_needed


def mpi_communicator() -> Communicator:
    """The communicator of all processes that were started together with this one."""
    return Communicator()


@atexit.register
def _leave():
    """The others learn that this worker ends, and whether it failed."""
    error = getattr(sys, 'last_value', None)
    _cantik.leave_workers(f'{type(error).__name__}: {error}'[:180] if error is not None else '')
