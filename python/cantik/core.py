"""Data: NDArrayView and Value, to and from NumPy and SciPy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _cantik
from ._bases import mixed_with
from ._checks import element_type, network
from ._native_values import NativeValues
from .tensor import ArrayMixin

if TYPE_CHECKING:
    from ._types import DTypeLike, VariableLike
    from .ops.functions import Function

__all__ = ['NDArrayView', 'Value', 'asarray', 'asvalue', 'user_function']


class NDArrayView(_cantik.NDArrayView):
    """A block of numbers, dense or with sparse rows. Several views may share the memory.

    Args:
        shape (tuple): its shape
        data_type: NumPy's type of the elements
        device: where it lives

    Example:
        >>> import cantik as C, numpy as np
        >>> C.NDArrayView.from_dense(np.ones((2, 3), np.float32))
        NDArrayView([2 x 3], CPU)
    """

    def __call__(self) -> NDArrayView:
        """Itself: value.data() is value.data, for CNTK's user functions."""
        return self


class Dims(tuple):
    """The shape of data. CNTK's own binding, whose values its user functions get, has methods where we have
    properties: shape() is the shape, with dimensions()."""

    __slots__ = ()

    def __call__(self) -> Dims:
        return self

    def dimensions(self) -> tuple[int, ...]:
        """The sizes, as of CNTK's shapes."""
        return tuple(self)

    def __reduce__(self):
        return tuple, (tuple(self),)


@mixed_with(NativeValues)
class Value(_cantik.Value):
    """Data of a batch: rows, and how they belong to samples and sequences.

    Values of sequences come from Value.create and Value.one_hot, or from a run with as_numpy=False. Their
    sequences lie side by side in one block, without padding; `as_sequences` gives views of it.

    Args:
        batch: an array, a CSR matrix or an NDArrayView, whose memory is shared
        seq_starts: of [sequences, steps, ...]: a list with True for each sequence that begins, False for one
          that goes on with that of the last minibatch
        device: where it lives

    Example:
        >>> import cantik as C, numpy as np
        >>> C.Value(np.ones((2, 3), np.float32))
        Value([2 x 3], CPU)
        >>> x = C.sequence.input_variable(2)
        >>> value = C.Value.create(x, [np.array([[1, 2], [3, 4]]), np.array([[5, 6]])])
        >>> value.as_sequences(x)
        [array([[1., 2.],
               [3., 4.]], dtype=float32), array([[5., 6.]], dtype=float32)]
        >>> value.mask
        array([[2, 1],
               [2, 0]], dtype=int8)
        >>> C.Value.one_hot([[3, 0], [1]], num_classes=4)
        Value([2 x 2 x 4], CPU)
    """

    __slots__ = ()  # results are made by the hundred
    ONE_HOT_SKIP = _cantik.Value.one_hot_skip


_cantik.set_class('NDArrayView', NDArrayView)
_cantik.set_class('Value', Value)


def user_function(user_func: Function) -> Function:
    """The network of a user function, or of any function.

    Args:
        user_func: a UserFunction, or a function with user functions below it

    Returns:
        a function

    Example:
        >>> import cantik as C, numpy as np
        >>> class Twice(C.UserFunction):
        ...     def infer_outputs(self):
        ...         return [
        ...             C.output_variable(
        ...                 self.inputs[0].shape, self.inputs[0].dtype, self.inputs[0].dynamic_axes
        ...             )
        ...         ]
        ...
        ...     def forward(self, x, device=None, outputs_to_retain=None):
        ...         return None, 2 * x
        >>> C.user_function(Twice([C.input_variable(2)])).eval(np.array([[1, 3]], np.float32))
        array([[2., 6.]], dtype=float32)
    """
    return _cantik.as_composite(network(user_func, 'user_func'))


def asarray(value: Any, dtype: DTypeLike | None = None) -> Any:
    """The numbers of a variable, view or value as an array, a copy. Sequences of different lengths are padded
    with zeros behind their end.

    Args:
        value: a Parameter, Constant, NDArrayView or Value
        dtype: NumPy's type to convert to

    Returns:
        an array; of a sparse matrix a CSR matrix

    Example:
        >>> import cantik as C
        >>> C.asarray(C.parameter((1, 2), init=3))
        array([[3., 3.]], dtype=float32)
    """
    if not hasattr(value, 'asarray'):
        raise ValueError(f'could not convert instance of type {type(value).__name__} to an array')
    array = value.asarray()
    return array if dtype is None else array.astype(element_type(dtype))


def asvalue(variable: VariableLike, data_array: Any) -> Value:
    """Data as a Value for the variable: an array, or a list with an item for each sample or sequence. The
    memory of an array is shared.

    Args:
        variable: the variable
        data_array: what eval takes for it

    Example:
        >>> import cantik as C, numpy as np
        >>> C.asvalue(C.input_variable(2), [[1, 2], [3, 4]])
        Value([2 x 1 x 2], CPU)
    """
    return _cantik.value_for(variable, data_array)
