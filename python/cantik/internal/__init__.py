"""Helpers that CNTK's own programs use."""

from . import utils

# Each by its name: a star brings what it brings in CNTK, modules that need this one among it.
from .sanitize import (
    bounded_cache as bounded_cache,
    data_type_to_dtype as data_type_to_dtype,
    is_byte_buffer as is_byte_buffer,
    is_string as is_string,
    sanitize_2d_number as sanitize_2d_number,
    sanitize_Function_attributes as sanitize_Function_attributes,
    sanitize_axis as sanitize_axis,
    sanitize_axis_list as sanitize_axis_list,
    sanitize_batch as sanitize_batch,
    sanitize_convolution_args as sanitize_convolution_args,
    sanitize_dtype_cntk as sanitize_dtype_cntk,
    sanitize_dtype_numpy as sanitize_dtype_numpy,
    sanitize_dynamic_axes as sanitize_dynamic_axes,
    sanitize_function as sanitize_function,
    sanitize_input as sanitize_input,
    sanitize_multi_axis_reduction_list as sanitize_multi_axis_reduction_list,
    sanitize_permutation as sanitize_permutation,
    sanitize_pooling_args as sanitize_pooling_args,
    sanitize_precision as sanitize_precision,
    sanitize_random_args as sanitize_random_args,
    sanitize_range as sanitize_range,
    sanitize_shape as sanitize_shape,
    sanitize_value as sanitize_value,
    sanitize_var_map as sanitize_var_map,
    sanitize_variable_or_function as sanitize_variable_or_function,
    sanitize_variable_value_dict as sanitize_variable_value_dict,
    sanitize_variables_or_functions as sanitize_variables_or_functions,
)
from .swig_helper import map_if_possible, typemap
from .utils import DATATYPE, _to_cntk_dict_value, _value_as_sequence_or_array, get_data_type
