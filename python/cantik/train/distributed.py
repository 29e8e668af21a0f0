"""Training in several processes: `mpiexec -n 4 python train.py`, or `cantik launch -n 4 train.py` on a
machine without MPI. A process that no launcher has started with others is alone: worker 0 of 1."""

from __future__ import annotations

import atexit
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _cantik
from .._cantik import DistributedLearner, WorkerDescriptor
from .._checks import flag, listed, number, refused, whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .._cantik import Learner, NDArrayView

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


DistributedLearner.communicator = DistributedLearner.get_communicator = _communicator
DistributedLearner.do_aggregate_metrics_if_needed = _do_aggregate_metrics_if_needed


def _workers_of(communicator):
    """What learners take: the workers of a group, None for all."""
    if communicator is None or isinstance(communicator, Communicator):
        return None if communicator is None else communicator._all
    raise refused('communicator', 'a Communicator', communicator)


def data_parallel_distributed_learner(
    learner: Learner,
    distributed_after: int = 0,
    num_quantization_bits: int = 32,
    use_async_buffered_parameter_update: bool = False,
    elastic: bool = False,
    communicator: Communicator | None = None,
) -> DistributedLearner:
    """A learner whose gradients are summed over all workers before each update: the minibatch is what all of
    them have of it, and the result that of one process with all the data.

    Args:
        learner (Learner): what updates the parameters of each worker
        distributed_after (int): so many samples are learned before, by each worker alone
        num_quantization_bits (int): of a gradient's number on the wire: 32, or 1, 2, 4, 8 or 16 with error
          feedback
        use_async_buffered_parameter_update (bool): must be False, as in CNTK
        elastic (bool): the others go on without a worker that is lost, from the last update that all of them
          know of, and take in new workers at checkpoints. Otherwise all end with an error that names it
        communicator (Communicator): the workers that train together, a group; None: all

    Returns:
        DistributedLearner

    Raises:
        RuntimeError: if a launcher has started several processes that cannot find each other, or for other
          numbers of bits

    Example:
        >>> import cantik as C
        >>> learner = C.data_parallel_distributed_learner(C.sgd([C.parameter(2)], 0.1))
        >>> learner.communicator().is_main(), learner.learning_rate()
        (True, 0.1)
    """
    distributed_after = whole(distributed_after, 'distributed_after', 0)
    num_quantization_bits = whole(num_quantization_bits, 'num_quantization_bits', 1)
    if flag(use_async_buffered_parameter_update, 'use_async_buffered_parameter_update'):
        raise RuntimeError(
            'Asynchronous parameter update is not yet supported for the DataParallelDistributedLearner.'
        )
    return _cantik.data_parallel(
        learner, distributed_after, num_quantization_bits, flag(elastic, 'elastic'), _workers_of(communicator)
    )


def block_momentum_distributed_learner(
    learner: Learner,
    block_size: int,
    block_momentum_as_time_constant: float | None = None,
    use_nestrov_momentum: bool = True,
    reset_sgd_momentum_after_aggregation: bool = True,
    block_learning_rate: float = 1.0,
    distributed_after: int = 0,
    elastic: bool = False,
    communicator: Communicator | None = None,
) -> DistributedLearner:
    """A learner that learns by itself for a block of samples; then the models of all workers are averaged and
    go on with momentum (Chen and Huo 2016). With N workers and the model W that all began the block with:
    `D = eta D + (1 - eta) N block_learning_rate (average - W)`, `W = W + D`.

    Args:
        learner (Learner): what updates the parameters of each worker
        block_size (int): samples of all workers in a block
        block_momentum_as_time_constant (float): eta = exp(-block / time constant), in samples; None: eta is
          1 - 1 / workers
        use_nestrov_momentum (bool): W also looks ahead, by eta D
        reset_sgd_momentum_after_aggregation (bool): the local learner forgets earlier gradients after a block
        block_learning_rate (float): of the averages
        distributed_after (int): so many samples are learned before, by each worker alone
        elastic (bool): the others go on without a worker that is lost, from the last block, and take in new
          workers at checkpoints
        communicator (Communicator): the workers that train together, a group; None: all

    Returns:
        DistributedLearner

    Example:
        >>> import cantik as C
        >>> learner = C.block_momentum_distributed_learner(C.sgd([C.parameter(2)], 0.1), block_size=1024)
        >>> learner.total_number_of_samples_seen
        0
    """
    constant = block_momentum_as_time_constant
    return _cantik.block_momentum(
        learner,
        whole(block_size, 'block_size', 1),
        None if constant is None else number(constant, 'block_momentum_as_time_constant'),
        flag(use_nestrov_momentum, 'use_nestrov_momentum'),
        flag(reset_sgd_momentum_after_aggregation, 'reset_sgd_momentum_after_aggregation'),
        number(block_learning_rate, 'block_learning_rate'),
        whole(distributed_after, 'distributed_after', 0),
        flag(elastic, 'elastic'),
        _workers_of(communicator),
    )


def local_sgd_distributed_learner(
    learner: Learner,
    block_size: int,
    distributed_after: int = 0,
    elastic: bool = False,
    communicator: Communicator | None = None,
) -> DistributedLearner:
    """A learner that learns by itself for a block of samples; then all workers go on from the mean of their
    models (McDonald et al. 2010, Stich 2019). Momentum and other states stay each worker's own.

    Args:
        learner (Learner): what updates the parameters of each worker
        block_size (int): samples of all workers in a block
        distributed_after (int): so many samples are learned before, by each worker alone
        elastic (bool): the others go on without a worker that is lost, from the last block, and take in new
          workers at checkpoints
        communicator (Communicator): the workers that train together, a group; None: all

    Returns:
        DistributedLearner

    Example:
        >>> import cantik as C
        >>> learner = C.local_sgd_distributed_learner(C.sgd([C.parameter(2)], 0.1), block_size=1024)
        >>> learner.total_number_of_samples_seen
        0
    """
    return _cantik.local_sgd(
        learner,
        whole(block_size, 'block_size', 1),
        whole(distributed_after, 'distributed_after', 0),
        flag(elastic, 'elastic'),
        _workers_of(communicator),
    )


def mpi_communicator() -> Communicator:
    """The communicator of all processes that were started together with this one."""
    return Communicator()


@atexit.register
def _leave():
    """The others learn that this worker ends, and whether it failed."""
    error = getattr(sys, 'last_value', None)
    _cantik.leave_workers(f'{type(error).__name__}: {error}'[:180] if error is not None else '')
