"""The numbers that stand for kinds of things in CNTK's binding, their names, and shapes in the order of its
core."""

from __future__ import annotations

import itertools
from typing import Any

from .. import _cantik
from .._cantik import (
    DataType_Double,
    DataType_Float,
    DataType_Float16,
    DataType_Int8,
    DataType_Int16,
    DataType_Unknown,
)

__all__ = [
    'DataType_Double',
    'DataType_Float',
    'DataType_Float16',
    'DataType_Int16',
    'DataType_Int8',
    'DataType_UChar',
    'DataType_Unknown',
    'DataUnit_Minibatch',
    'DataUnit_Sample',
    'DataUnit_Sweep',
    'DeviceKind_CPU',
    'DeviceKind_GPU',
    'MaskKind_Invalid',
    'MaskKind_SequenceBegin',
    'MaskKind_Valid',
    'ModelFormat_CNTKv2',
    'ModelFormat_ONNX',
    'NDShape',
    'PaddingMode_CONSTANTPAD',
    'PaddingMode_REFLECTPAD',
    'PaddingMode_SYMMETRICPAD',
    'ParameterCloningMethod_Clone',
    'ParameterCloningMethod_Freeze',
    'ParameterCloningMethod_Invalid',
    'ParameterCloningMethod_Share',
    'PoolingType_Average',
    'PoolingType_Max',
    'StorageFormat_Dense',
    'StorageFormat_SparseBlockCol',
    'StorageFormat_SparseCSC',
    'TimesNoInferredInputRank',
    'TimesReduceSequenceAxisWithoutInferredInputRank',
    'TraceLevel_Error',
    'TraceLevel_Info',
    'TraceLevel_Warning',
    'VariableKind_Constant',
    'VariableKind_Input',
    'VariableKind_Output',
    'VariableKind_Parameter',
    'VariableKind_Placeholder',
    'chunk_id_max',
    'data_type_name',
    'data_type_size',
    'default_param_init_filter_rank',
    'default_param_init_output_rank',
    'default_param_init_scale',
    'default_profiler_buffer_size',
    'device_kind_name',
    'is_sparse_storage_format',
    'new_unique_id',
    'sentinel_value_for_auto_select_random_seed',
    'sentinel_value_for_infer_param_init_rank',
    'sequence_len_max',
    'variable_kind_name',
]

DataType_UChar = 3
DataUnit_Sweep, DataUnit_Sample, DataUnit_Minibatch = 0, 1, 2
DeviceKind_CPU, DeviceKind_GPU = 0, 1
MaskKind_Invalid, MaskKind_Valid, MaskKind_SequenceBegin = 0, 1, 2
ModelFormat_CNTKv2, ModelFormat_ONNX = 0, 1
PaddingMode_CONSTANTPAD, PaddingMode_REFLECTPAD, PaddingMode_SYMMETRICPAD = 0, 1, 2
ParameterCloningMethod_Share, ParameterCloningMethod_Clone, ParameterCloningMethod_Freeze = 0, 1, 2
ParameterCloningMethod_Invalid = 3
PoolingType_Max, PoolingType_Average = 0, 1
StorageFormat_Dense, StorageFormat_SparseCSC, StorageFormat_SparseBlockCol = 0, 1, 2
TimesNoInferredInputRank, TimesReduceSequenceAxisWithoutInferredInputRank = -1, -2
TraceLevel_Error, TraceLevel_Warning, TraceLevel_Info = 0, 1, 2
VariableKind_Input, VariableKind_Output, VariableKind_Parameter, VariableKind_Constant = 0, 1, 2, 3
VariableKind_Placeholder = 4
chunk_id_max = sequence_len_max = 2**32 - 1
default_param_init_scale, default_param_init_output_rank, default_param_init_filter_rank = 1, 1, 0
default_profiler_buffer_size = 32 * 1024 * 1024
sentinel_value_for_auto_select_random_seed = _cantik.SentinelValueForAutoSelectRandomSeed
sentinel_value_for_infer_param_init_rank = _cantik.SentinelValueForInferParamInitRank

_TYPES = {
    DataType_Float: ('Float', 4),
    DataType_Double: ('Double', 8),
    DataType_Float16: ('Float16', 2),
    DataType_Int8: ('Int8', 1),
    DataType_Int16: ('Int16', 2),
}
_DEVICES = {DeviceKind_CPU: 'CPU', DeviceKind_GPU: 'GPU'}
_VARIABLES = {
    VariableKind_Input: 'Input',
    VariableKind_Output: 'Output',
    VariableKind_Parameter: 'Parameter',
    VariableKind_Constant: 'Constant',
    VariableKind_Placeholder: 'Placeholder',
}
_ids = itertools.count(1)


def _looked_up(table, number, what):
    if number not in table:
        raise RuntimeError(f'unknown {what}: {number!r}')
    return table[number]


def data_type_name(data_type: Any) -> str:
    """The name of an element type: 'Float' for DataType_Float."""
    return _looked_up(_TYPES, data_type, 'data type')[0]


def data_type_size(data_type: Any) -> int:
    """How many bytes an element has: 4 for DataType_Float."""
    return _looked_up(_TYPES, data_type, 'data type')[1]


def device_kind_name(kind: Any) -> str:
    """The name of a kind of device: 'CPU' for DeviceKind_CPU."""
    return _looked_up(_DEVICES, kind, 'kind of device')


def variable_kind_name(kind: Any) -> str:
    """The name of a kind of variable: 'Input' for VariableKind_Input."""
    return _looked_up(_VARIABLES, kind, 'kind of variable')


def is_sparse_storage_format(storage_format: Any) -> bool:
    """Whether a format is sparse: False for StorageFormat_Dense."""
    return storage_format in (StorageFormat_SparseCSC, StorageFormat_SparseBlockCol)


def new_unique_id() -> int:
    """A number that no other call gives."""
    return next(_ids)


class NDShape:
    """A shape as CNTK's core has it: the axes in the order that is the reverse of Python's.

    Args:
        dimensions (tuple): in Python's order; a number n makes n axes, all of the size `value`
        value (int): of each axis; to be inferred by default

    Example:
        >>> import cantik as C
        >>> shape = C.cntk_py.NDShape((2, 3))
        >>> shape.dimensions(), shape[0], shape.rank(), shape.total_size()
        ((3, 2), 3, 2, 6)
    """

    def __init__(self, dimensions: tuple[int, ...] = (), value: Any = _cantik.InferredDimension):
        sizes = (value,) * dimensions if isinstance(dimensions, int) else tuple(dimensions)
        if not all(isinstance(n, int) for n in sizes):
            raise TypeError(f'a shape must consist of whole numbers, not {dimensions!r}')
        self._sizes, self._known = sizes[::-1], True

    @staticmethod
    def unknown() -> NDShape:
        """The shape of something whose rank is not known yet."""
        shape = NDShape()
        shape._known = False
        return shape

    def dimensions(self) -> tuple[int, ...] | tuple[Any, ...]:
        """The sizes of the axes, the last of Python's order first."""
        return self._sizes

    def rank(self) -> int:
        """How many axes there are."""
        return len(self._sizes)

    def total_size(self) -> int:
        """How many elements there are."""
        if not self._known or self.has_unbound_dimension():
            raise RuntimeError(
                f'a shape with axes of unknown size has no number of elements: {self.as_string()}'
            )
        total = 1
        for n in self._sizes:
            total *= n
        return total

    def sub_shape(self, begin: int, end: int | None = None) -> tuple[int, ...] | tuple[Any, ...]:
        """The sizes of some of the axes, as a tuple."""
        return self._sizes[begin:end]

    def is_unknown(self) -> bool:
        """Whether not even the rank is known."""
        return not self._known

    def is_scalar(self) -> bool:
        """Whether there is no axis."""
        return self._known and not self._sizes

    def has_inferred_dimension(self) -> bool:
        """Whether an axis is to be inferred."""
        return _cantik.InferredDimension in self._sizes

    def has_free_dimension(self) -> bool:
        """Whether an axis differs from call to call."""
        return _cantik.FreeDimension in self._sizes

    def has_unbound_dimension(self) -> bool:
        """Whether an axis has no size yet."""
        return self.has_inferred_dimension() or self.has_free_dimension()

    def as_string(self) -> str:
        """As error messages have it: [3 x 2]."""
        names = {_cantik.InferredDimension: '?', _cantik.FreeDimension: '*'}
        return (
            '[{}]'.format(' x '.join(names.get(n, str(n)) for n in self._sizes)) if self._known else '[???]'
        )

    __repr__ = as_string

    def __getitem__(self, axis):
        return self._sizes[axis]

    def __len__(self):
        return len(self._sizes)

    def __eq__(self, other):
        return isinstance(other, NDShape) and (self._known, self._sizes) == (other._known, other._sizes)

    def __hash__(self):
        return hash((self._known, self._sizes))
