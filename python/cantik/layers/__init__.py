"""Layers: functions with parameters, to build networks of."""

from .. import _other_names
from ..default_options import (
    default_options as default_options,
    default_options_for as default_options_for,
    default_override_or as default_override_or,
    get_default_override as get_default_override,
    is_default_override as is_default_override,
)
from ..initializer import glorot_uniform as glorot_uniform
from ..ops.functions import BlockFunction as BlockFunction, Function as Function
from ..variables import Constant as Constant, Parameter as Parameter, Record as Record, Variable as Variable
from .blocks import *
from .higher_order_layers import *
from .layers import *
from .models import *
from .sequence import *
from .typing import *

from ..ops import (
    sequence as sequence,
)  # the operators, as in CNTK: layers of sequences are imported from layers.sequence


def __getattr__(name):
    raise _other_names.no_attribute(__name__, name, globals().get('__all__', ()))
