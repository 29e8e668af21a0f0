"""Cantik: deep learning with networks as function objects. The API of CNTK v2 on a C++ library.

The parts that every program needs are here at once; everything else is imported when it is first named.
"""

import importlib as _importlib
import os as _os
import sys as _sys

from . import _cantik

_cantik.set_package_folder(_os.path.dirname(_os.path.abspath(__file__)) + _os.sep)

from ._cantik import (
    ArgumentError,
    FreeDimension,
    InferredDimension,
    MissingError,
    OutOfMemoryError,
    SentinelValueForAutoSelectRandomSeed,
    SentinelValueForInferParamInitRank,
    DefaultParamInitScale,
    Session,
    ShapeError,
)
from . import _other_names
from ._version import __version__, cantik_version
from .axis import Axis
from .default_options import (
    default_options,
    default_options_for,
    default_override_or,
    get_default_override,
    get_global_option,
    is_default_override,
    set_global_option,
)
from .core import NDArrayView, Value, asarray, asvalue, user_function
from .device import (
    DeviceDescriptor,
    DeviceKind,
    all_devices,
    cpu,
    get_gpu_properties,
    gpu,
    set_excluded_devices,
    try_set_default_device,
    use_default_device,
)
from .variables import Constant, Parameter, Variable
from .ops import *
from .ops import sequence
from .ops.python_functions import UserFunction
from .ops.functions import (
    BlockFunction,
    CloneMethod,
    Function,
    ModelFormat,
    load_model,
    native_user_function,
    register_native_user_function,
)
from . import _states, _training_methods
from .initializer import (
    bilinear,
    glorot_normal,
    glorot_uniform,
    he_normal,
    he_uniform,
    initializer_with_rank,
    normal,
    truncated_normal,
    uniform,
    xavier,
)

# Where a name lives that is looked up when it is first used.
_SUBMODULES = {
    'cntk_py',
    'contrib',
    'debugging',
    'decoding',
    'eval',
    'fitting',
    'installation',
    'internal',
    'io',
    'layers',
    'learners',
    'linalg',
    'logging',
    'losses',
    'metrics',
    'misc',
    'mxnet',
    'plots',
    'profiling',
    'python_op',
    'random',
    'sample_installer',
    'sequence',
    'sklearn',
    'summaries',
    'train',
    'weights',
    'checking',
    'cntk_py_init',
    'tensor',
    'initializer',
    'default_options',
    'ops',
    'core',
    'axis',
    'device',
    'variables',
    'tests',
}
_NAMES = {
    'trainer': 'train',
    'training_session': 'train',
    'distributed': 'train',
    'evaluator': 'eval',
    'functions': 'ops',
    'op': 'python_op',
    'fit': 'fitting',
    'predict': 'fitting',
    'score': 'fitting',
    'set_seed': 'fitting',
    'plot_training': 'plots',
    'load_weights': 'weights',
    'save_weights': 'weights',
    'profile': 'profiling',
    'check_gradient': 'checking',
    'summary': 'summaries',
    'Trainer': 'train.trainer',
    'Evaluator': 'eval.evaluator',
    'MinibatchData': 'io',
    'install_samples': 'sample_installer',
    **dict.fromkeys(
        (
            'CheckpointConfig',
            'CrossValidationConfig',
            'DataUnit',
            'TestConfig',
            'TrainingSession',
            'minibatch_size_schedule',
        ),
        'train.training_session',
    ),
    **dict.fromkeys(
        (
            'Communicator',
            'DistributedLearner',
            'WorkerDescriptor',
            'block_momentum_distributed_learner',
            'local_sgd_distributed_learner',
            'data_parallel_distributed_learner',
            'mpi_communicator',
        ),
        'train.distributed',
    ),
    **dict.fromkeys(
        (
            'IGNORE',
            'Learner',
            'UnitType',
            'UserLearner',
            'adadelta',
            'adagrad',
            'adam',
            'adamw',
            'default_unit_gain_value',
            'fsadagrad',
            'learning_parameter_schedule',
            'learning_parameter_schedule_per_sample',
            'learning_rate_schedule',
            'momentum_as_time_constant_schedule',
            'momentum_schedule',
            'momentum_schedule_per_sample',
            'momentum_sgd',
            'nesterov',
            'rmsprop',
            'set_default_unit_gain_value',
            'sgd',
            'training_parameter_schedule',
            'universal',
        ),
        'learners',
    ),
    **dict.fromkeys(
        (
            'binary_cross_entropy',
            'binary_cross_entropy_with_logits',
            'cosine_distance',
            'cosine_distance_with_negative_samples',
            'cross_entropy_with_softmax',
            'ctc_loss',
            'fmeasure',
            'focal_loss',
            'hierarchical_softmax_layer',
            'huber',
            'lambda_rank',
            'lattice_sequence_with_softmax',
            'mae',
            'mse',
            'nce_loss',
            'squared_error',
            'weighted_binary_cross_entropy',
        ),
        'losses',
    ),
    **dict.fromkeys(('classification_error', 'edit_distance_error', 'ndcg_at_1'), 'metrics'),
    'auto_select': '_cantik',
    '_cntk_py': 'cntk_py',
    'DATATYPE': 'internal',
}
# What CNTK's package does not have: it is there by attribute, and no star import brings it.
_OWN = {
    'adamw',
    'checking',
    'contrib',
    'decoding',
    'fit',
    'fitting',
    'installation',
    'load_weights',
    'mxnet',
    'plot_training',
    'plots',
    'predict',
    'profiling',
    'python_op',
    'score',
    'save_weights',
    'set_seed',
    'sklearn',
    'summaries',
    'tests',
}
# What needs a package that a program may do without: it is there by attribute alone.
_NEEDS_MORE = {'sklearn'}


def __getattr__(name):
    if name in _SUBMODULES:
        return _importlib.import_module('.' + name, __package__)
    if name == 'training_session':  # CNTK's name is the function, its module is train.training_session
        value = _importlib.import_module('.train.training_session', __package__).training_session
    elif name == '_cntk_py':
        value = _importlib.import_module('.cntk_py', __package__)
    elif name == 'auto_select':
        value = SentinelValueForAutoSelectRandomSeed
    elif name in _NAMES:
        module = _importlib.import_module('.' + _NAMES[name], __package__)
        value = getattr(module, name)
    else:
        raise _other_names.no_attribute(__name__, name, globals().get('__all__', ()))
    globals()[name] = value
    return value


def __dir__():
    return sorted((set(__all__) | _OWN) - _NEEDS_MORE)


from . import _star_imports


def _is_offered(name, value):
    if name.startswith('_') or isinstance(value, type(_sys)):
        return False
    return not _star_imports.is_for_annotations(name, value)


__all__ = sorted(
    {name for name, value in globals().items() if _is_offered(name, value)}
    | (_SUBMODULES - _OWN)
    | {name for name in _NAMES if not name.startswith('_') and name not in _OWN}
)
_star_imports.install()
