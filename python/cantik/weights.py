"""Weights in files of the safetensors format, which PyTorch, Keras and Hugging Face exchange them in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _cantik
from ._checks import dictionary, flag, network, path, refused, text

if TYPE_CHECKING:
    from ._types import PathLike
    from .ops.functions import Function

__all__ = ['load_weights', 'save_weights']

# Types of NumPy that files have and networks have not.
_WHOLE = {
    'BOOL': np.bool_,
    'U8': np.uint8,
    'U16': np.uint16,
    'U32': np.uint32,
    'U64': np.uint64,
    'I64': np.int64,
}
_TYPES = (np.float32, np.float64, np.float16, np.int8, np.int16)


def save_weights(weights: Any, filename: PathLike, metadata: dict[str, str] | None = None) -> None:
    """Writes weights by name into a file in the safetensors format: crash-safe, the old file or the new one.

    Args:
        weights: a Function, whose `state_dict` is written; or a dictionary from names to arrays
        filename (str): where to
        metadata (dict): texts that are kept with them

    Raises:
        ValueError: an element type that the format or Cantik lacks
        RuntimeError: a file that cannot be written

    Example:
        >>> import cantik as C
        >>> z = C.layers.Dense(2)(C.input_variable(3))
        >>> C.save_weights(z, 'weights.safetensors')
        >>> list(C.load_weights('weights.safetensors'))
        ['Dense.W', 'Dense.b']
    """
    state = weights.state_dict() if isinstance(weights, _cantik.Function) else dictionary(weights, 'weights')
    arrays = [(text(name, 'a name of weights'), _array(name, value)) for name, value in state.items()]
    texts = {} if metadata is None else dictionary(metadata, 'metadata')
    texts = {
        text(key, 'a key of metadata'): text(value, f"metadata['{key}']") for key, value in texts.items()
    }
    _cantik.save_safetensors(path(filename, 'filename'), arrays, texts)


def load_weights(
    filename: PathLike, model: Function | None = None, strict: bool = True
) -> dict[str, np.ndarray]:
    """Reads weights that `save_weights` or another program wrote. Nothing in the file is executed.

    Args:
        filename (str): a file in the safetensors format
        model (Function): gets the weights, as by `load_state_dict`
        strict (bool): whether the names have to be those of the model. With False what only one of the two
          has is passed over, and the result tells which weights the model got

    Returns:
        a dictionary from names to arrays, in the order of the file; behind them those of whole numbers of
        types that networks lack, as counts of batches in int64. BF16 is read as float32

    Raises:
        RuntimeError: a damaged file
        ValueError: names or shapes that do not fit the model
        NotImplementedError: an element type that NumPy lacks (F8_E4M3, F8_E5M2), where it is asked for

    Example:
        >>> import cantik as C, numpy as np
        >>> C.save_weights({'Dense.W': np.ones((3, 2)), 'Dense.b': np.zeros(2)}, 'weights.safetensors')
        >>> z = C.layers.Dense(2)(C.input_variable(3))
        >>> found = C.load_weights('weights.safetensors', z)
        >>> float(z.W.value.sum())
        6.0
    """
    found, others = _cantik.load_safetensors(path(filename, 'filename'))
    is_strict = flag(strict, 'strict')
    own = None if model is None else network(model, 'model').state_dict()
    state = {name: np.asarray(view.asarray()) for name, view in found}
    for name, kind, shape, numbers in others:
        if kind in _WHOLE:
            state[name] = np.array(numbers.asarray()).view(_WHOLE[kind]).reshape(shape)
        elif is_strict and own is not None and name not in own:
            state[name] = None  # its name is refused below
        elif own is None or name in own:
            raise NotImplementedError(
                f"the tensor '{name}' has the element type {kind}\n"
                '  remedy   store it as F32, F64, F16, BF16, I8, I16 or I32'
            )
    if own is None:
        return state
    if not is_strict:  # what the model does not ask for is left out
        state = {name: value for name, value in state.items() if name in own}
    model.load_state_dict(state, strict=is_strict)
    return state


def _array(name, value):
    try:
        array = np.ascontiguousarray(value)
    except (TypeError, ValueError) as error:
        raise refused(f"weights['{name}']", 'an array of numbers', value) from error
    if array.dtype not in _TYPES:
        kinds = 'an array of float32, float64, float16, int8 or int16'
        raise refused(f"weights['{name}']", kinds, value)
    return array.reshape(np.shape(value))
