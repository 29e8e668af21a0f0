"""Distributed training. Not there yet, see docs/status.md; a single process is one worker."""
from ..internal.waiting import not_there


class WorkerDescriptor:
    """One of the processes that train together."""

    def __init__(self):
        raise not_there('train.distributed.WorkerDescriptor')


class Communicator:
    """How the processes that train together talk."""

    def __init__(self):
        raise not_there('train.distributed.Communicator')

    @staticmethod
    def finalize():
        """Ends the communication; a single process has none."""

    @staticmethod
    def num_workers():
        """How many processes there are."""
        return 1

    @staticmethod
    def rank():
        """The number of this process."""
        return 0


class DistributedLearner:
    """A learner whose gradients are summed over processes."""

    def __init__(self):
        raise not_there('train.distributed.DistributedLearner')


def data_parallel_distributed_learner(learner, distributed_after=0, num_quantization_bits=32, use_async_buffered_parameter_update=False):
    """A learner whose gradients are summed over processes."""
    raise not_there('data_parallel_distributed_learner')


def block_momentum_distributed_learner(learner, block_size, block_momentum_as_time_constant=None, use_nestrov_momentum=True,
                                       reset_sgd_momentum_after_aggregation=True, block_learning_rate=1.0, distributed_after=0):
    """A learner whose models are averaged over processes, with momentum."""
    raise not_there('block_momentum_distributed_learner')


def mpi_communicator():
    """The communicator over MPI."""
    raise not_there('mpi_communicator')
