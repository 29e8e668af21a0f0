"""Training in several processes: `mpiexec -n 4 python train.py`, or `cantik launch -n 4 train.py` on a
machine without MPI. A process that no launcher has started with others is alone: worker 0 of 1."""

from __future__ import annotations

import atexit
import sys
from typing import TYPE_CHECKING, Any

from .. import _cantik
from .._cantik import DistributedLearner, WorkerDescriptor
from .._checks import flag, listed, number, whole
from .._waiting import not_there

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    """How the processes that train together talk: made by mpi_communicator, or asked for at a learner.

    Example:
        >>> import cantik as C
        >>> C.Communicator.num_workers(), C.Communicator.rank()
        (1, 0)
        >>> C.train.distributed.mpi_communicator().is_main()
        True
    """

    def __init__(self) -> None:
        self._all = _cantik.workers()

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

    def gather(self, input: dict[str, Any], send_to_workers: Any = None) -> list[dict[str, Any]]:
        """The dictionaries of all workers, in the order of their ranks.

        Args:
            input (dict): of this worker
            send_to_workers: all workers take part, whoever is named
        """
        return self._all.gather(input)

    def sub_group(self, sub_group_workers: Any) -> Communicator:
        """Some of the workers as a group of their own; not there yet."""
        raise not_there('Communicator.sub_group')

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
    return Communicator()


DistributedLearner.communicator = DistributedLearner.get_communicator = _communicator


def data_parallel_distributed_learner(
    learner: Learner,
    distributed_after: int = 0,
    num_quantization_bits: int = 32,
    use_async_buffered_parameter_update: bool = False,
) -> DistributedLearner:
    """A learner whose gradients are summed over all workers before each update: the minibatch is what all of
    them have of it, and the result that of one process with all the data.

    Args:
        learner (Learner): what updates the parameters of each worker
        distributed_after (int): so many samples are learned before, by each worker alone
        num_quantization_bits (int): of a gradient's number on the wire: 32, or 1, 2, 4, 8 or 16 with error
          feedback
        use_async_buffered_parameter_update (bool): must be False, as in CNTK

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
    return _cantik.data_parallel(learner, distributed_after, num_quantization_bits)


def block_momentum_distributed_learner(
    learner: Learner,
    block_size: int,
    block_momentum_as_time_constant: float | None = None,
    use_nestrov_momentum: bool = True,
    reset_sgd_momentum_after_aggregation: bool = True,
    block_learning_rate: float = 1.0,
    distributed_after: int = 0,
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
    )


def local_sgd_distributed_learner(
    learner: Learner, block_size: int, distributed_after: int = 0
) -> DistributedLearner:
    """A learner that learns by itself for a block of samples; then all workers go on from the mean of their
    models (McDonald et al. 2010, Stich 2019). Momentum and other states stay each worker's own.

    Args:
        learner (Learner): what updates the parameters of each worker
        block_size (int): samples of all workers in a block
        distributed_after (int): so many samples are learned before, by each worker alone

    Returns:
        DistributedLearner

    Example:
        >>> import cantik as C
        >>> learner = C.local_sgd_distributed_learner(C.sgd([C.parameter(2)], 0.1), block_size=1024)
        >>> learner.total_number_of_samples_seen
        0
    """
    return _cantik.local_sgd(
        learner, whole(block_size, 'block_size', 1), whole(distributed_after, 'distributed_after', 0)
    )


def mpi_communicator() -> Communicator:
    """The communicator of all processes that were started together with this one."""
    return Communicator()


@atexit.register
def _leave():
    """The others learn that this worker ends, and whether it failed."""
    error = getattr(sys, 'last_value', None)
    _cantik.leave_workers(f'{type(error).__name__}: {error}'[:180] if error is not None else '')
