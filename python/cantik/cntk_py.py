"""Names that programs take from CNTK's binding itself."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _cantik, initializer as _initializer, variables as _variables
from ._cantik import (
    Axis,
    DefaultParamInitScale,
    DeviceDescriptor,
    FreeDimension,
    Function,
    InferredDimension,
    Learner,
    NDArrayView,
    ProgressWriter,
    SentinelValueForAutoSelectRandomSeed,
    SentinelValueForInferParamInitRank,
    TrainingParameterSchedule,
    Value,
    Variable,
    allow_renaming_functions,
    default_unit_gain_value,
    get_random_seed,
    is_random_seed_fixed,
    reset_random_seed,
    set_default_unit_gain_value,
    set_fixed_random_seed,
)
from ._checks import flag, number
from .debugging import save_as_legacy_model, set_checked_mode
from .internal.binding_absent import INSTEAD as _INSTEAD, absent as _absent
from .internal.binding_numbers import *
from .internal.binding_numbers import DataType_Float
from .internal.binding_operators import *
from .internal.dictionaries import (
    Dictionary,
    DictionaryValue,
    DictionaryValueFromDict,
    DictionaryValueFromNDArrayView,
    are_equal,
)
from ._masks import NDMask
from .internal.switches import *
from .learners import momentum_as_time_constant_schedule
from .learners._binding import *
from .train.distributed import Communicator as _Communicator, mpi_communicator as _mpi_communicator

if TYPE_CHECKING:
    from collections.abc import Sequence

training_double_parameter_schedule = minibatch_size_schedule = TrainingParameterSchedule
bilinear_initializer = _initializer.bilinear
glorot_normal_initializer = _initializer.glorot_normal
glorot_uniform_initializer = _initializer.glorot_uniform
he_normal_initializer = _initializer.he_normal
he_uniform_initializer = _initializer.he_uniform
normal_initializer = _initializer.normal
random_initializer_with_rank = _initializer.initializer_with_rank
truncated_normal_initializer = _initializer.truncated_normal
uniform_initializer = _initializer.uniform
xavier_initializer = _initializer.xavier


def generate_random_seed(per_worker_local_value: bool = False) -> int:
    """The next seed of the process.

    Args:
        per_worker_local_value (bool): whether processes that train together get seeds of their own
    """
    if flag(per_worker_local_value, 'per_worker_local_value'):
        return _cantik.generate_random_seed(_Communicator.num_workers(), _Communicator.rank())
    return _cantik.generate_random_seed()


def number_of_workers() -> int:
    """How many processes train together."""
    return _Communicator.num_workers()


def worker_global_rank() -> int:
    """Which of the processes that train together this one is."""
    return _Communicator.rank()


def mpicommunicator() -> _Communicator:
    """The processes that train together; the same as train.distributed.mpi_communicator."""
    return _mpi_communicator()


def constant_initializer(value: Any = 0.0) -> float:
    """An initializer of one number."""
    return number(value, 'value')


class _Raw(type):
    """Of classes that make instances of another, `made`: these are instances of theirs."""

    made: type

    def __instancecheck__(cls, instance):
        return isinstance(instance, cls.made)

    def __subclasscheck__(cls, subclass):
        return issubclass(subclass, cls.made)


class Parameter(metaclass=_Raw):
    """CNTK's raw parameter: (shape, data type, value). All parameters are instances of it."""

    made = _variables.Parameter

    def __new__(cls, shape, data_type=DataType_Float, value=0.0, device=None, name=''):
        return _variables.Parameter(shape, value, _cantik.dtype(data_type), device, name)


class Constant(metaclass=_Raw):
    """CNTK's raw constant: (shape, data type, value). All constants are instances of it."""

    made = _variables.Constant

    def __new__(cls, shape, data_type=DataType_Float, value=0.0, device=None, name=''):
        return _variables.Constant(value, shape, _cantik.dtype(data_type), device, name)


def is_native_user_function_registered(op_id: str) -> bool:
    """Whether register_native_user_function was called with this id."""
    return _cantik.is_native_user_function_registered(op_id)


def universal_learner(parameters: Sequence[Parameter], gradients: Any, update_func: Function) -> Learner:
    """A learner that is a graph of assignments; learners.universal makes one of a Python function.

    Args:
        parameters (list): what it changes
        gradients (list): for each parameter an input without dynamic axes, or a constant, that stands for its
          gradient in the graph
        update_func (Function): the graph
    """
    return _cantik.universal_of(parameters, gradients, update_func)


# Where a name lives that the package imports when it is first used, and what it is called there.
_LATER = {
    'DistributedCommunicator': ('.train.distributed', 'Communicator'),
    'DistributedWorkerDescriptor': ('.train.distributed', 'WorkerDescriptor'),
    'SwigDataDeserializer': ('.io', 'UserDeserializer'),
    'SwigMinibatchSource': ('.io', 'UserMinibatchSource'),
    'create_evaluator': ('.eval.evaluator', 'Evaluator'),
    'ctf_deserializer': ('.io', 'CTFDeserializer'),
    **{'reader_' + kind: ('.io.transforms', kind) for kind in ('color', 'crop', 'mean', 'scale')},
}
for _module, _names in (
    ('.io', ('MinibatchData', 'MinibatchSource', 'StreamConfiguration', 'StreamInformation')),
    ('.io.config', ('MinibatchSourceConfig', 'to_dictionary')),
    ('.train.distributed', ('DistributedLearner',)),
    (
        '.train.training_session',
        ('CheckpointConfig', 'CrossValidationConfig', 'TestConfig', 'TrainingSession'),
    ),
    ('._cantik', ('BackPropState', 'Evaluator', 'Trainer')),
):
    _LATER.update((name, (_module, name)) for name in _names)


def __dir__():
    return sorted({*globals(), *_LATER})


def __getattr__(name):
    if name in _LATER:
        module, there = _LATER[name]
        return getattr(importlib.import_module(module, __package__), there)
    if name in _INSTEAD:
        return _absent(name)
    owner, _, method = name.partition('_')  # static methods of classes are functions too: Axis_all_axes
    if owner in __dir__() and isinstance(found := globals().get(owner) or __getattr__(owner), type):
        if hasattr(found, method):
            return getattr(found, method)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
