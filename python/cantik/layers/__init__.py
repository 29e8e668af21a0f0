"""Layers: functions with parameters, to build networks of."""
from ..default_options import default_options, default_options_for, default_override_or, get_default_override, is_default_override
from ..initializer import glorot_uniform
from ..ops.functions import BlockFunction, Function
from ..variables import Constant, Parameter, Record, Variable
from .blocks import *
from .higher_order_layers import *
from .layers import *
from .models import *
from .sequence import *
from .typing import *
