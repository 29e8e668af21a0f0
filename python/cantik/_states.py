"""The numbers of a network by unique names: Function.state_dict and load_state_dict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._bases import method_of
from ._checks import dictionary, flag, refused
from .logging.graph import depth_first_search
from .ops.functions import Function

if TYPE_CHECKING:
    from .variables import Variable

# Batch normalization keeps its statistics in constants of these names.
_STATISTICS = ('aggregate_mean', 'aggregate_variance', 'aggregate_count')


def tensors_of(model: Function) -> dict[str, Variable]:
    """Parameters, and the statistics of batch normalization, by name: that of the layer, or of its operator,
    and that of the parameter."""
    found: dict[str, Variable] = {}
    seen: set[str] = set()
    prefixes: set[str] = set()
    functions = depth_first_search(model.root_function, lambda node: isinstance(node, Function), depth=0)
    for function in reversed(functions):
        own = [v for v in function.inputs if _is_state(v) and v.uid not in seen]
        if not own:
            continue
        prefix = _numbered(function.name or function.op_name, prefixes)
        prefixes.add(prefix)
        for variable in own:
            seen.add(variable.uid)
            found[_numbered(f'{prefix}.{variable.name or "parameter"}', found)] = variable
    return found


def _is_state(variable):
    return variable.is_parameter or (variable.is_constant and variable.name in _STATISTICS)


def _numbered(name, taken):
    """The name, with a number where it is taken."""
    if name not in taken:
        return name
    number = 2
    while f'{name}_{number}' in taken:
        number += 1
    return f'{name}_{number}'


@method_of(Function)
def state_dict(self: Function) -> dict[str, np.ndarray]:
    """Copies of the parameters, and of the statistics of batch normalization, by unique names in the order
    data flow.

    A name has two parts, the layer's name (or its operator) and the parameter's: 'hidden.W'. Layers of the
    same name get numbers: 'Dense.W', 'Dense_2.W'.

    Returns:
        a dictionary from names to arrays

    Example:
        >>> import cantik as C
        >>> z = C.layers.Sequential([C.layers.Dense(4, name='hidden'), C.layers.Dense(2)])(
        ...     C.input_variable(3)
        ... )
        >>> {name: value.shape for name, value in z.state_dict().items()}
        {'hidden.W': (3, 4), 'hidden.b': (4,), 'Dense.W': (4, 2), 'Dense.b': (2,)}
    """
    return {name: np.array(variable.value) for name, variable in tensors_of(self).items()}


@method_of(Function)
def load_state_dict(self: Function, state: dict[str, Any], strict: bool = True) -> None:
    """Gives the parameters the values of a dictionary that `state_dict` made. Nothing changes where a name or
    a shape does not fit.

    Args:
        state (dict): from names to arrays
        strict (bool): whether the names have to be those of the model; with False what only one of the two
          has is passed over

    Raises:
        ValueError: names that are missing or too many, or none that fits; another shape

    Example:
        >>> import cantik as C
        >>> z = C.layers.Dense(2)(C.input_variable(3))
        >>> z.load_state_dict({name: 0 * value for name, value in z.state_dict().items()})
        >>> float(z.W.value.sum())
        0.0
    """
    own, state = tensors_of(self), dictionary(state, 'state')
    missing = [name for name in own if name not in state]
    unknown = [str(name) for name in state if name not in own]
    is_strict = flag(strict, 'strict')
    fits = not missing and not unknown if is_strict else len(missing) < len(own) or not own
    if not fits:
        raise ValueError(
            'load_state_dict: the names do not fit the model\n'
            f'  missing  {", ".join(missing) or "none"}\n'
            f'  unknown  {", ".join(unknown) or "none"}\n'
            '  remedy   give the weights the names of state_dict()'
            + (', or strict=False to pass over these' if is_strict and len(missing) < len(own) else '')
        )
    values = {name: _value(name, state[name], own[name]) for name in own if name in state}
    for name, value in values.items():
        own[name].value = value


def _value(name, given, variable):
    try:
        value = np.asarray(given, variable.dtype)
    except (TypeError, ValueError) as error:
        raise refused(f"state['{name}']", 'an array of numbers', given) from error
    if value.shape != tuple(variable.shape):
        raise ValueError(
            f'load_state_dict: {name} has another shape\n'
            f'  expected {tuple(variable.shape)}\n'
            f'  got      {value.shape}'
        )
    return np.array(value)
