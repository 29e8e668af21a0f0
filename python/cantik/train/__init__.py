"""Training: the trainer, and loops over data."""

from .callbacks import (
    Callback as Callback,
    EarlyStopping as EarlyStopping,
    GradientNorm as GradientNorm,
    ReduceOnPlateau as ReduceOnPlateau,
    Throughput as Throughput,
)
from .live_curves import LiveCurves as LiveCurves
from .rate_finder import RateCurve as RateCurve, find_learning_rate as find_learning_rate
from .trainer import Trainer as Trainer
from .training_session import (
    CheckpointConfig as CheckpointConfig,
    CrossValidationConfig as CrossValidationConfig,
    DataUnit as DataUnit,
    TestConfig as TestConfig,
    TrainingSession as TrainingSession,
    minibatch_size_schedule as minibatch_size_schedule,
    training_session as training_session,
)
from . import distributed as distributed
from .distributed import (
    Communicator as Communicator,
    DistributedLearner as DistributedLearner,
    WorkerDescriptor as WorkerDescriptor,
    block_momentum_distributed_learner as block_momentum_distributed_learner,
    data_parallel_distributed_learner as data_parallel_distributed_learner,
    local_sgd_distributed_learner as local_sgd_distributed_learner,
    mpi_communicator as mpi_communicator,
)
