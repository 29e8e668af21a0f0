"""Learners of workers that train together. Written by tools/generate from what the library describes: change
that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _cantik

if TYPE_CHECKING:
    from .._cantik import DistributedLearner
    from .._cantik import Learner
    from .distributed import Communicator

__all__ = [
    'data_parallel_distributed_learner',
    'block_momentum_distributed_learner',
    'local_sgd_distributed_learner',
]


def data_parallel_distributed_learner(
    learner: Learner,
    distributed_after: int = 0,
    num_quantization_bits: int = 32,
    use_async_buffered_parameter_update: bool = False,
    elastic: bool = False,
    communicator: Communicator | None = None,
) -> DistributedLearner:
    """A learner whose gradients are summed over all workers before each update: the minibatch is what all of
    them have of it, and the result that of one process with all the data. With 1 bit the sign of each
    number is sent, with two values for each column, with more the nearest of so many levels; what this
    leaves out is added to the next gradient (Seide et al. 2014).

    Args:
        learner: what updates the parameters of each worker
        distributed_after (int): so many samples are learned before, by each worker alone; at least 0
        num_quantization_bits (int): of a gradient's number on the wire: 32, or 1, 2, 4, 8 or 16 with
            error feedback; at least 1
        use_async_buffered_parameter_update (bool): must be False, as in CNTK
        elastic (bool): the others go on without a worker that is lost, from the last update that all of
            them know of, and take in new workers at checkpoints; otherwise all end with an error that
            names it
        communicator: the workers that train together, a group; None: all

    Returns:
        DistributedLearner

    Raises:
        RuntimeError: if a launcher has started several processes that cannot find each other, or for
            other numbers of bits

    Example:
        >>> import cantik as C
        >>> learner = C.data_parallel_distributed_learner(C.sgd([C.parameter(2)], 0.1))
        >>> learner.is_elastic, learner.learning_rate()
        (False, 0.1)
    """
    return _cantik.data_parallel(
        learner,
        use_async_buffered_parameter_update,
        communicator,
        {
            'distributed_after': distributed_after,
            'num_quantization_bits': num_quantization_bits,
            'elastic': elastic,
        },
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
        learner: what updates the parameters of each worker
        block_size (int): samples of all workers in a block; at least 1
        block_momentum_as_time_constant (float): eta = exp(-block / time constant), in samples; none: eta
            is 1 - 1 / workers; at least 0
        use_nestrov_momentum (bool): W also looks ahead, by eta D
        reset_sgd_momentum_after_aggregation (bool): the local learner forgets earlier gradients after a
            block
        block_learning_rate (float): of the averages
        distributed_after (int): so many samples are learned before, by each worker alone; at least 0
        elastic (bool): the others go on without a worker that is lost, from the last block, and take in
            new workers at checkpoints
        communicator: the workers that train together, a group; None: all

    Returns:
        DistributedLearner

    Example:
        >>> import cantik as C
        >>> learner = C.block_momentum_distributed_learner(C.sgd([C.parameter(2)], 0.1), block_size=1024)
        >>> learner.total_number_of_samples_seen
        0
    """
    return _cantik.block_momentum(
        learner,
        communicator,
        {
            'block_size': block_size,
            'block_momentum_as_time_constant': block_momentum_as_time_constant,
            'use_nestrov_momentum': use_nestrov_momentum,
            'reset_sgd_momentum_after_aggregation': reset_sgd_momentum_after_aggregation,
            'block_learning_rate': block_learning_rate,
            'distributed_after': distributed_after,
            'elastic': elastic,
        },
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
        learner: what updates the parameters of each worker
        block_size (int): samples of all workers in a block; at least 1
        distributed_after (int): so many samples are learned before, by each worker alone; at least 0
        elastic (bool): the others go on without a worker that is lost, from the last block, and take in
            new workers at checkpoints
        communicator: the workers that train together, a group; None: all

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
        communicator,
        {'block_size': block_size, 'distributed_after': distributed_after, 'elastic': elastic},
    )
