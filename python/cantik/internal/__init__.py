"""Helpers that CNTK's own programs use."""

from .sanitize import *
from .swig_helper import map_if_possible, typemap
from . import utils
from .utils import DATATYPE, _to_cntk_dict_value, _value_as_sequence_or_array, get_data_type
