"""Variables, parameters and constants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _cantik
from ._bases import mixed_with
from ._checks import listed
from .axis import Axes, Axis
from .default_options import default_override_or, get_default_override
from .tensor import TensorOpsMixin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._cantik import DeviceDescriptor
    from ._types import DTypeLike, InitLike, ShapeLike

__all__ = ['Constant', 'Parameter', 'Record', 'Variable', 'VariableMixin']


class Record(dict):
    """A dictionary whose entries are attributes too. Attributes cannot be set.

    Example:
        >>> import cantik as C
        >>> r = C.layers.Record(a=1)
        >>> r.a, r.updated_with(b=2)
        (1, {'a': 1, 'b': 2})
    """

    def __init__(self, **args_dict: Any):
        super().__init__(args_dict)

    def __getattr__(self, key: str) -> Any:
        if key in self:
            return self[key]
        raise AttributeError(f"record has no attribute '{key}'")

    def __setattr__(self, key, value):
        raise AttributeError('attributes of a record cannot be set; use updated_with')

    def __dir__(self):
        return sorted({*super().__dir__(), *(key for key in self if isinstance(key, str))})

    def updated_with(self, **kwargs: Any) -> Record:
        """A copy with some entries changed or added."""
        return Record(**{**self, **kwargs})


class VariableMixin:
    """What is known of a variable."""

    class _Type(Record):
        """What a type annotation says: shape, storage, dynamic axes."""

        def __call__(self, *args, **kwargs):
            raise TypeError(
                f"abstract type {self} cannot be instantiated; use 'input_variable(**{self})' instead"
            )

        def updated_with(self, **kwargs):
            return VariableMixin._Type(**{**self, **kwargs})

        @property
        def shape_is_known(self):
            """Whether the annotation says a shape."""
            shape = self.get('shape')
            return shape is not None and shape != (-2,)

        def __str__(self):
            shape = self.get('shape')
            axes = self.get('dynamic_axes', ())
            known = self.shape_is_known
            number = f"np.{np.dtype(self['dtype']).name}" if self.get('dtype') else 'float'
            dims = (
                ','.join(str(d) for d in (shape if isinstance(shape, tuple) else (shape,))) if known else ''
            )
            if known and self.get('dtype') not in (None, np.float32):
                dims = 'np.{}{}'.format(np.dtype(self['dtype']).name, ',' + dims if dims else '')
            head = 'Tensor' if len(axes) else 'ParameterTensor'
            if self.get('is_sparse'):
                head = 'SparseTensor'
            text = f'{head}[{dims}]' if known else head[:1].lower() + head[1:]
            if shape == ():
                text = number
            sequence = [a for a in axes if isinstance(a, Axis) and a.is_sequence_axis]
            for a in sequence:
                text = (
                    f'Sequence[{text}]'
                    if a == Axis.default_dynamic_axis()
                    else f'SequenceOver[{a.name}][{text}]'
                )
            return text

    for _name in (
        'dynamic_axes',
        'dtype',
        'is_constant',
        'is_input',
        'is_output',
        'is_parameter',
        'is_placeholder',
        'is_sparse',
        'name',
        'needs_gradient',
        'owner',
        'shape',
        'uid',
    ):
        locals()[_name] = getattr(_cantik.Variable, _name)
    del _name

    @property
    def axes(self) -> Axes:
        """All its axes, dynamic and static, in the order of its data: [#, *, 3]."""
        return Axes(self.dynamic_axes, self.shape)

    @property
    def _type(self):
        return VariableMixin._Type(
            shape=self.shape,
            dtype=self.dtype,
            needs_gradient=self.needs_gradient,
            is_sparse=self.is_sparse,
            dynamic_axes=self.dynamic_axes,
        )


if TYPE_CHECKING:

    class _Base(VariableMixin, TensorOpsMixin, _cantik.Variable):
        pass
else:
    _Base = _cantik.Variable


@mixed_with(VariableMixin, TensorOpsMixin)
class Variable(_Base):
    """A value in a graph.

    Args:
        shape (tuple): of a sample
        dtype: NumPy's type of the elements
        needs_gradient (bool): whether gradients with respect to it may be asked for
        is_sparse (bool): whether it is fed with sparse rows
        dynamic_axes (list): its batch and sequence axes
        name (str): its name

    Example:
        >>> import cantik as C
        >>> x = C.input_variable((2, 3), name='x')
        >>> x.shape, x.name, x.is_input
        ((2, 3), 'x', True)
    """

    def __init__(
        self,
        shape: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
        needs_gradient: bool = False,
        is_sparse: bool = False,
        dynamic_axes: Sequence[Axis] = (Axis.default_batch_axis(), Axis.default_dynamic_axis()),
        name: str = '',
    ):
        super().__init__(
            () if shape is None else shape,
            np.float32 if dtype is None else dtype,
            needs_gradient,
            is_sparse,
            listed(dynamic_axes, 'dynamic_axes'),
            name,
        )

    def as_parameter(self) -> Any:
        """Itself, where it is a parameter; a TypeError otherwise."""
        if not self.is_parameter:
            raise TypeError('cannot be converted into a Parameter')
        return self

    def as_constant(self) -> Any:
        """Itself, where it is a constant; a TypeError otherwise."""
        if not self.is_constant:
            raise TypeError('cannot be converted into a Constant')
        return self


class StatedOutput(Variable):
    """An output that a user function states before there is one. To a graph it is a placeholder."""

    is_output, is_placeholder, owner = True, False, None

    @property
    def uid(self) -> str:
        """A name that no other variable of the process has."""
        return super().uid.replace('Placeholder', 'Output', 1)

    def as_string(self) -> str:
        """Its printed form."""
        _, rest = super().as_string().split('(', 1)
        return f'Output({rest.replace(super().uid, self.uid, 1)}'

    __repr__ = as_string


class _Stored(Variable):
    """A variable with numbers."""

    def __init__(self, kind, shape, init, dtype, device, name):
        _cantik.Variable.__init__(self, kind, shape, init, dtype, device, name)

    @property
    def value(self) -> np.ndarray:
        """Its numbers, as a copy. Assigning takes an array, a number, an NDArrayView or a Value."""
        return self.asarray()

    @value.setter
    def value(self, val):
        self.set_value(val)

    @property
    def data(self):
        """Its memory itself, as an NDArrayView."""
        return self.get_value()


class Parameter(_Stored):
    """A value that learners change.

    Args:
        shape (tuple): its shape; -1 stands for dimensions to be inferred
        init: a number, an array or an initializer
        dtype: NumPy's type of the elements; None is that of an array given as `init`
        device: where it lives
        name (str): its name

    Example:
        >>> import cantik as C
        >>> C.Parameter((2, 3), init=1, name='W')
        Parameter('W', [], [2 x 3])
    """

    def __init__(
        self,
        shape: ShapeLike | None = None,
        init: InitLike | None = None,
        dtype: DTypeLike = default_override_or(np.float32),
        device: DeviceDescriptor | None = None,
        name: str = '',
    ):
        dtype = get_default_override(Parameter, dtype=dtype)
        super().__init__('parameter', shape, 0 if init is None else init, dtype, device, name)


class Constant(_Stored):
    """A value that learners leave alone.

    Args:
        value: a number or an array
        shape (tuple): its shape, where the value is one number
        dtype: NumPy's type of the elements; None is that of an array given as `value`
        device: where it lives
        name (str): its name

    Example:
        >>> import cantik as C
        >>> C.Constant([[1, 2]]).value
        array([[1., 2.]], dtype=float32)
    """

    def __init__(
        self,
        value: Any = None,
        shape: ShapeLike | None = None,
        dtype: DTypeLike = default_override_or(np.float32),
        device: DeviceDescriptor | None = None,
        name: str = '',
    ):
        dtype = get_default_override(Constant, dtype=dtype)
        super().__init__('constant', shape, 0 if value is None else value, dtype, device, name)

    @staticmethod
    def scalar(data_type: Any, value: Any, device: DeviceDescriptor | None = None) -> Constant:
        """A constant of one number."""
        return Constant(value, shape=(), dtype=data_type, device=device)


_cantik.set_class('Variable', Variable)
_cantik.set_class('Parameter', Parameter)
_cantik.set_class('Constant', Constant)
