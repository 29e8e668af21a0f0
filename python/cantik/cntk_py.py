"""Names that programs take from CNTK's binding itself."""
import numpy as np

from . import _cantik
from ._cantik import (Axis, DataType_Double, DataType_Float, DataType_Float16, DataType_Int8, DataType_Int16, DataType_Unknown, DefaultParamInitScale,
                      DeviceDescriptor, FreeDimension, Function, InferredDimension, NDArrayView, SentinelValueForAutoSelectRandomSeed,
                      SentinelValueForInferParamInitRank, Learner, ProgressWriter, Value, Variable, allow_renaming_functions, generate_random_seed, get_random_seed,
                      is_random_seed_fixed, reset_random_seed, set_fixed_random_seed)
from . import variables as _variables

DeviceKind_CPU, DeviceKind_GPU = 0, 1
PoolingType_Max, PoolingType_Average = 0, 1
PaddingMode_CONSTANTPAD, PaddingMode_REFLECTPAD, PaddingMode_SYMMETRICPAD = 0, 1, 2
ModelFormat_CNTKv2, ModelFormat_ONNX = 0, 1
TraceLevel_Error, TraceLevel_Warning, TraceLevel_Info = 0, 1, 2
DataUnit_Sweep, DataUnit_Sample, DataUnit_Minibatch = 0, 1, 2
ParameterCloningMethod_Share, ParameterCloningMethod_Clone, ParameterCloningMethod_Freeze = 0, 1, 2
TimesNoInferredInputRank, TimesReduceSequenceAxisWithoutInferredInputRank = -1, -2
default_profiler_buffer_size = 32 * 1024 * 1024


def constant_initializer(value=0.0):
    """An initializer of one number."""
    return float(value)


class Parameter(_variables.Parameter):
    """CNTK's raw parameter: (shape, data type, value)."""

    def __new__(cls, shape, data_type=DataType_Float, value=0.0, device=None, name=''):
        return _variables.Parameter(shape, value, _cantik.dtype(data_type), device, name)


def always_allow_setting_default_device():
    """Nothing forbids it."""


def should_force_deterministic_algorithms():
    """Whether runs repeat bit for bit: always."""
    return True


def force_deterministic_algorithms():
    """Runs repeat bit for bit anyway."""


def set_max_num_cputhreads(n):
    """At most so many threads for a run."""
    _cantik.set_thread_limit(n)


def get_max_num_cputhreads():
    """How many threads a run may use."""
    return _cantik.thread_limit()


def set_computation_network_trace_level(level):
    """Accepted; runs print nothing."""


def set_checked_mode(enable):
    """Whether networks look for NaNs, as with check_nan=True: a RuntimeError names the first operator that makes one.

    It concerns networks that run for the first time after it; they go on as they began. To look once, or at a network that has run,
    pass check_nan=True to eval, grad or train_minibatch.

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
    if not isinstance(enable, bool):
        raise TypeError('set_checked_mode takes True or False, got {!r}'.format(enable))
    _cantik.set_checked_mode(enable)


def enable_reversing_tensor_shapes_in_error_messages():
    """Shapes in errors are in Python's order anyway."""


def is_native_user_function_registered(op_id):
    """Whether register_native_user_function was called with this id."""
    return _cantik.is_native_user_function_registered(op_id)


def use_sparse_gradient_aggregation_in_data_parallel_sgd(enable):
    """Accepted; distribution is not there yet."""


def universal_learner(parameters, gradients, update_func):
    """A learner that is a graph of assignments; learners.universal makes one of a Python function.

    Args:
        parameters (list): what it changes
        gradients (list): for each parameter an input without dynamic axes, or a constant, that stands for its gradient in the graph
        update_func (Function): the graph
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


def __getattr__(name):
    if name in ('MinibatchSourceConfig', 'to_dictionary'):
        from .io import config
        return getattr(config, name)
    if name in ('ProgressWriter', 'Learner', 'Trainer', 'Evaluator', 'TrainingSession'):
        return getattr(_cantik, name)
    raise AttributeError("module '{}' has no attribute '{}'".format(__name__, name))
