"""Training: the trainer, and loops over data."""
from .trainer import Trainer
from .training_session import (CheckpointConfig, CrossValidationConfig, DataUnit, TestConfig, TrainingSession, minibatch_size_schedule, training_session)
from . import distributed
from .distributed import (Communicator, DistributedLearner, WorkerDescriptor, block_momentum_distributed_learner, data_parallel_distributed_learner,
                          mpi_communicator)
