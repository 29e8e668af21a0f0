"""Exchange of the values of models of this package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...ops.functions import Function
from ...variables import Constant, Parameter, Variable
from .base import Crosstalk
from .kinds import Conv2DArgs, Conv2DAttr, EmbedAttr, RnnArgs, RnnAttr

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..._types import ShapeLike

DictParameterType = 'DictParameter'


def find_func_param(
    func: Function, name: str | None = None, shape: ShapeLike | None = None, allow_not_found: bool = False
) -> Any:
    """A parameter of a function, by its name, its shape or both. The only parameter of a function is found in
    any case.

    Args:
        func (Function): the function
        name (str): the parameter's name
        shape (tuple): its shape
        allow_not_found (bool): gives None where there is none, in place of an error

    Returns:
        Parameter

    Example:
        >>> import cantik as C
        >>> find_func_param(C.layers.Dense(3)(C.input_variable(2)), shape=(3,))
        Parameter('b', [], [3])
    """
    if len(func.parameters) == 1:
        return func.parameters[0]
    if name is not None or shape is not None:
        for p in func.parameters:
            if name in (None, p.name) and shape in (None, p.shape):
                return p
    if allow_not_found:
        return None
    raise ValueError(
        'the function has no parameter of the name {!r} and the shape {}; it has {}'.format(
            name, shape, ', '.join(map(str, func.parameters))
        )
    )


# ---- parameters, and dictionaries of them


def _parameter(p, attr):
    return p.value


def _set_parameter(p, value, attr):
    p.value = np.asarray(value, p.dtype).reshape(p.shape)


def _parameters(named, attr):
    return {key: p.value for key, p in named.items()}


def _set_parameters(named, value, attr):
    for key, p in named.items():
        _set_parameter(p, value[key], attr)


# ---- layers


def _convolution(f, attr):
    W, b = _convolution_parameters(f, attr)
    return Conv2DArgs(W.value.reshape((attr.num_filters,) + tuple(attr.filter_shape)), b.value.reshape(-1))


def _set_convolution(f, value, attr):
    for p, part in zip(_convolution_parameters(f, attr), value):
        _set_parameter(p, part, attr)


def _convolution_parameters(f, attr):
    filters = attr.num_filters
    shapes = (filters, 1) + tuple(attr.filter_shape), (filters, 1, 1)
    return [find_func_param(f, shape=shape) for shape in shapes]


def _embedding(p, attr):
    return dict(zip(attr.dict, p.value))


def _set_embedding(p, value, attr):
    _set_parameter(p, [value[word] for word in attr.dict], attr)


def _recurrence(f, attr):
    _check_recurrence(attr)
    if len(f.parameters) == 1:
        return _from_stack(f.parameters[0].value, attr)
    return RnnArgs(*(p.value for p in _recurrence_parameters(f)))


def _set_recurrence(f, value, attr):
    _check_recurrence(attr)
    if len(f.parameters) == 1:
        _set_parameter(f.parameters[0], _to_stack(value), attr)
        return
    for p, part in zip(_recurrence_parameters(f), value):
        _set_parameter(p, part, attr)


def _check_recurrence(attr):
    if not attr.bidirectional or attr.op_type != 'lstm':
        raise NotImplementedError(
            f"recurrences are exchanged with bidirectional=True and op_type='lstm', not {attr}"
        )


def _recurrence_parameters(f):
    """W, H and b of the forward cell and of the backward one: a function lists its parameters in the order of
    its operands."""
    found = [[p for p in f.parameters if p.name == name] for name in 'WHb']
    if any(len(pair) != 2 for pair in found):
        raise ValueError(
            'the function has to have two LSTMs side by side, with W, H and b each; it has {}'.format(
                ', '.join(map(str, f.parameters))
            )
        )
    return [pair[0] for pair in found] + [pair[1] for pair in found]


# A stack of recurrences has one parameter. Per direction: W transposed, H transposed, gates i, f, g, o;
# behind both directions two biases each, of which only the first is used here.


def _gates(value):
    """The order of gates, i, g, f, o, in the order of a stack, or back."""
    i, g, f, o = np.split(value, 4, axis=-1)
    return np.concatenate((i, f, g, o), axis=-1)


def _to_stack(value):
    matrices = [_gates(m).T.ravel() for m in (value.fw_W, value.fw_H, value.bw_W, value.bw_H)]
    biases = [part for b in (value.fw_b, value.bw_b) for part in (_gates(b), np.zeros_like(b))]
    return np.concatenate(matrices + biases)


def _from_stack(value, attr):
    n, rows = 4 * attr.hidden_dim, (attr.input_dim, attr.hidden_dim)
    sizes = [n * k for k in rows * 2] + [n] * 4
    if value.size != sum(sizes):
        raise ValueError(f'{attr} does not tell the recurrence, whose parameter has {value.size} numbers')
    parts = np.split(value.ravel(), np.cumsum(sizes)[:-1])
    fw_W, fw_H, bw_W, bw_H = (_gates(part.reshape(n, k).T) for part, k in zip(parts, rows * 2))
    return RnnArgs(fw_W, fw_H, _gates(parts[4] + parts[5]), bw_W, bw_H, _gates(parts[6] + parts[7]))


class CNTKCrosstalk(Crosstalk):
    """Crosstalk for parameters, dictionaries of them (var_type=DictParameterType), convolutions, embeddings
    and recurrences (var_type=Conv2DAttr, EmbedAttr, RnnAttr), and for the values of functions and inputs."""

    def __init__(self):
        super().__init__()
        self.data = None
        for kind in (Parameter, Constant):
            self.register_funcs(kind, _set_parameter, _parameter)
        self.register_funcs(DictParameterType, _set_parameters, _parameters)
        self.register_funcs(Conv2DAttr, _set_convolution, _convolution)
        self.register_funcs(EmbedAttr, _set_embedding, _embedding)
        self.register_funcs(RnnAttr, _set_recurrence, _recurrence)
        for kind in (Function, Variable):
            self.register_funcs(kind, getter=self._evaluated)

    def set_data(self, data: Mapping[Any, Any]) -> None:
        """Says what functions and inputs are evaluated on.

        Args:
            data (dict): as Function.eval takes it
        """
        self.data = data

    def reset(self) -> None:
        """Forgets all variables and the data, and begins with pass 0."""
        super().reset()
        self.data = None

    def is_param(self, name: str) -> bool:
        """Whether a variable is a parameter, or consists of parameters.

        Args:
            name (str): its name
        """
        return self._watched(name).type not in (Function, Variable)

    def save_all_params(self) -> None:
        """Saves all variables that consist of parameters."""
        self.save([name for name in self.vars if self.is_param(name)])

    def load_all_params(self) -> None:
        """Sets all variables that consist of parameters to their saved values."""
        self.load([name for name in self.vars if self.is_param(name)])

    def _evaluated(self, f, attr):
        function = f.owner if not isinstance(f, Function) and f.is_output else f
        arguments = function.arguments if isinstance(function, Function) else [function]
        if self.data is None and arguments:
            raise ValueError(f'there are no data to evaluate {f}: call set_data first')
        fed = {v: data for v, data in (self.data or {}).items() if v in arguments}
        return (f if isinstance(f, Function) else f + 0).eval(fed)


instance = CNTKCrosstalk()
