"""Distributed training. Here a process is alone: one worker, whose learner changes what it is given. More are
not there yet, see docs/status.md: where a launcher has started several, what would make workers of them
raises, for each of them would train by itself and believe to be the first."""

import socket

from .. import _cantik
from .._checks import flag, refused, whole
from ..internal.launcher import launched
from .._waiting import not_there

__all__ = [
    'Communicator',
    'DistributedLearner',
    'WorkerDescriptor',
    'block_momentum_distributed_learner',
    'data_parallel_distributed_learner',
    'mpi_communicator',
]


def _must_be_alone(name):
    several = launched()
    if several:
        raise not_there(name, 'does not join several processes yet: {}. Start one'.format(several))


class WorkerDescriptor:
    """One of the processes that train together: this one."""

    global_rank = 0

    @property
    def host_id(self):
        """The machine's name."""
        return socket.gethostname()


class Communicator:
    """How the processes that train together talk; there is one."""

    def workers(self):
        """All of them."""
        _must_be_alone('Communicator.workers')
        return [WorkerDescriptor()]

    def current_worker(self):
        """This one."""
        _must_be_alone('Communicator.current_worker')
        return WorkerDescriptor()

    def barrier(self):
        """Waits for the others; there are none."""
        _must_be_alone('Communicator.barrier')

    def is_main(self):
        """Whether this process is the first."""
        _must_be_alone('Communicator.is_main')
        return True

    @staticmethod
    def finalize():
        """Ends the communication; a single process has none."""

    @staticmethod
    def num_workers():
        """How many processes there are."""
        _must_be_alone('Communicator.num_workers')
        return 1

    @staticmethod
    def rank():
        """The number of this process."""
        _must_be_alone('Communicator.rank')
        return 0


class DistributedLearner:
    """A learner whose gradients are summed over processes. With one process it is the learner itself:
    trainers take that, `local_learner`.

    Example:
        >>> import cantik as C
        >>> learner = C.data_parallel_distributed_learner(C.sgd([C.parameter(2)], 0.1))
        >>> learner.communicator().is_main(), learner.learning_rate()
        (True, 0.1)
    """

    def __init__(self, local_learner):
        if not isinstance(local_learner, _cantik.Learner):
            raise refused('learner', 'a learner', local_learner)
        self.local_learner = local_learner

    def communicator(self):
        """How it talks to the other processes."""
        return Communicator()

    @property
    def total_number_of_samples_seen(self):
        """How many samples it was trained on."""
        return self.local_learner.total_number_of_samples_seen()

    def __getattr__(self, name):
        if name == 'local_learner':
            raise AttributeError(name)
        return getattr(self.local_learner, name)


def data_parallel_distributed_learner(
    learner, distributed_after=0, num_quantization_bits=32, use_async_buffered_parameter_update=False
):
    """A learner whose gradients are summed over processes. Here there is one, which has nobody to exchange
    them with.

    Args:
        learner: what updates the parameters
        distributed_after (int): samples after which the exchange begins
        num_quantization_bits (int): of a gradient's element; fewer than 32 are not there yet
        use_async_buffered_parameter_update (bool): not there yet

    Raises:
        NotImplementedError: if a launcher has started several processes (mpiexec, srun, torchrun, ...)
    """
    _must_be_alone('data_parallel_distributed_learner')
    distributed_after = whole(distributed_after, 'distributed_after', 0)
    flag(use_async_buffered_parameter_update, 'use_async_buffered_parameter_update')
    if num_quantization_bits != 32 or use_async_buffered_parameter_update:
        raise not_there('data_parallel_distributed_learner with quantized gradients or asynchronous updates')
    return DistributedLearner(learner)


def block_momentum_distributed_learner(
    learner,
    block_size,
    block_momentum_as_time_constant=None,
    use_nestrov_momentum=True,
    reset_sgd_momentum_after_aggregation=True,
    block_learning_rate=1.0,
    distributed_after=0,
):
    """A learner whose models are averaged over processes, with momentum."""
    raise not_there('block_momentum_distributed_learner')


def mpi_communicator():
    """The communicator over MPI; of a process that is alone."""
    _must_be_alone('mpi_communicator')
    return Communicator()
