"""Names that programs take from CNTK's binding itself."""

import importlib

import numpy as np

from . import _cantik
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
    get_random_seed,
    is_random_seed_fixed,
    reset_random_seed,
    set_fixed_random_seed,
)
from . import initializer as _initializer, variables as _variables
from ._checks import flag, number
from .internal.binding_numbers import *
from .internal.switches import *

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


def generate_random_seed(per_worker_local_value=False):
    """The next seed of the process.

    Args:
        per_worker_local_value (bool): whether processes that train together get seeds of their own; there is
        one process
    """
    return _cantik.generate_random_seed()


def number_of_workers():
    """How many processes train together."""
    from .train.distributed import Communicator

    return Communicator.num_workers()


def worker_global_rank():
    """Which of the processes that train together this one is."""
    from .train.distributed import Communicator

    return Communicator.rank()


def mpicommunicator():
    """The processes that train together; the same as train.distributed.mpi_communicator."""
    from .train.distributed import mpi_communicator

    return mpi_communicator()


def constant_initializer(value=0.0):
    """An initializer of one number."""
    return number(value, 'value')


class Parameter(_variables.Parameter):
    """CNTK's raw parameter: (shape, data type, value)."""

    def __new__(cls, shape, data_type=DataType_Float, value=0.0, device=None, name=''):
        return _variables.Parameter(shape, value, _cantik.dtype(data_type), device, name)


def set_checked_mode(enable):
    """Whether networks look for NaNs, as with check_nan=True: a RuntimeError names the first operator that
    makes one.

    It concerns networks that run for the first time after it; they go on as they began. To look once, or at a
    network that has run, pass check_nan=True to eval, grad or train_minibatch.

    Args:
        enable (bool): whether

    Example:
        >>> import cantik as C, numpy as np
        >>> x = C.input_variable(1)
        >>> C.debugging.set_checked_mode(True)
        >>> try:
        ...     C.sin(x).eval({x: np.array([[np.inf]], np.float32)})
        ... except RuntimeError as error:
        ...     print(str(error).splitlines()[0])
        map made a NaN, in row 0, element 0
        >>> C.debugging.set_checked_mode(False)
    """
    _cantik.set_checked_mode(flag(enable, 'enable'))


def is_native_user_function_registered(op_id):
    """Whether register_native_user_function was called with this id."""
    return _cantik.is_native_user_function_registered(op_id)


def universal_learner(parameters, gradients, update_func):
    """A learner that is a graph of assignments; learners.universal makes one of a Python function.

    Args:
        parameters (list): what it changes
        gradients (list): for each parameter an input without dynamic axes, or a constant, that stands for its
        gradient in the graph update_func (Function): the graph
    """
    return _cantik.universal_of(parameters, gradients, update_func)


def _same(a, b):
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(_same(a[k], b[k]) for k in a)
    if isinstance(a, (list, tuple)):
        return isinstance(b, (list, tuple)) and len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.array_equal(a, b)
    return a == b


def are_equal(a, b):
    """Whether two dictionaries, or values of such, hold the same."""
    return _same(getattr(a, 'value', a), getattr(b, 'value', b))


class Dictionary(dict):
    """A dictionary as checkpoints and files hold them."""

    @staticmethod
    def load(filename):
        """That of a file: a model or a checkpoint.

        Args:
            filename (str): the file
        """
        return Dictionary(_cantik.load_dictionary(str(filename)))


class DictionaryValue:
    """A value of a dictionary, which can be saved by itself."""

    def __init__(self, value=None):
        self.value = value

    def item(self):
        """What it holds."""
        return self.value

    def save(self, filename):
        """Writes it to a file of its own, as CNTK does.

        Args:
            filename (str): the file
        """
        _cantik.save_value(self.value, str(filename))

    @staticmethod
    def load(filename):
        """Reads a value that was saved.

        Args:
            filename (str): the file
        """
        value = _cantik.load_value(str(filename))
        return DictionaryValue(np.asarray(value) if isinstance(value, NDArrayView) else value)

    def __eq__(self, other):
        return isinstance(other, DictionaryValue) and _same(self.value, other.value)

    __hash__ = None


def DictionaryValueFromDict(value):
    """A value that is a dictionary."""
    if not isinstance(value, dict):
        raise TypeError('a dictionary was expected, not {}'.format(type(value).__name__))
    return DictionaryValue(value)


def DictionaryValueFromNDArrayView(view):
    """A value that is an array."""
    if not isinstance(view, NDArrayView):
        raise TypeError('an NDArrayView was expected, not {}'.format(type(view).__name__))
    return DictionaryValue(view)


# Where a name lives that the package imports when it is first used.
_LATER = {
    **dict.fromkeys(('MinibatchSourceConfig', 'to_dictionary'), '.io.config'),
    **dict.fromkeys(('MinibatchData', 'MinibatchSource', 'StreamConfiguration', 'StreamInformation'), '.io'),
    **dict.fromkeys(('Trainer', 'Evaluator', 'TrainingSession'), '._cantik'),
}


def __getattr__(name):
    if name not in _LATER:
        raise AttributeError("module '{}' has no attribute '{}'".format(__name__, name))
    return getattr(importlib.import_module(_LATER[name], __package__), name)
