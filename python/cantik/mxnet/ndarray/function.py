"""The operators of the table as functions of arrays: operands by position or name, then attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..base import MXNetError
from ..table import OPERATORS, find, functions
from .array import NDArray
from .eager import invoke

if TYPE_CHECKING:
    from collections.abc import Sequence


def _function(name):
    op = find(name)
    fields = list(op.attributes)

    def call(*args, out=None, name=None, attr=None, ctx=None, **kwargs):
        kwargs = {k: v for k, v in kwargs.items() if v is not None or k in op.attributes}
        if ctx is not None and 'ctx' in op.attributes:
            kwargs['ctx'] = str(ctx)
        operands, out = arranged(op, args, kwargs, NDArray, out)
        return invoke(op.name, operands, kwargs, out)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = '{}\n\nAttributes: {}'.format(
        op.doc, ', '.join(f'{n} ({op.attributes[n].text()})' for n in fields) or 'none'
    )
    return call


named = functions(_function)


def arranged(op: Any, args: Any, kwargs: Any, kind: Any, out: Any = None) -> tuple[list[Any], Any]:
    """The operands in their order, and `out`, which may stand behind operands and attributes; attributes
    given by position and operands given by name change places."""
    args = (
        list(args[0]) if op.variadic and len(args) == 1 and isinstance(args[0], (list, tuple)) else list(args)
    )
    count = next((i for i, a in enumerate(args) if not isinstance(a, kind)), len(args))
    if not (op.variadic or op.attributes):
        count = min(count, op.usual_operands)  # an array behind them is the result's
    operands, rest = args[:count], args[count:]
    while rest and rest[0] is None and len(args) - len(rest) < op.usual_operands:  # bias=None
        del rest[0]
    by_name = {k: kwargs.pop(k) for k in [k for k, v in kwargs.items() if isinstance(v, kind)]}
    if op.variadic:
        operands += [by_name[k] for k in sorted(by_name, key=lambda k: (len(k), k))]
    if rest:
        out = _by_position(op, rest, kwargs, kind, out)
    if by_name and not op.variadic:
        a = op.read(kwargs)
        operands = place(op, op.list_inputs(a) + op.list_aux(a), operands, by_name)
    return operands, out


def _by_position(op, rest, kwargs, kind, out):
    """Puts what stands behind the operands among the attributes; the result's array, which may follow."""
    given = dict(zip([*(f for f in op.attributes if f not in kwargs), 'out', 'name'], rest))
    if len(rest) > len(given):
        raise TypeError(f'{op.name} takes {len(given)} arguments behind its operands, and {len(rest)} came')
    if any(isinstance(v, kind) for f, v in given.items() if f in op.attributes):
        if rest[0] is None:
            raise MXNetError(f'{op.name}: operands given by position have none between them')
        raise TypeError(f'{op.name}: an operand is {kind.__name__}, not {type(rest[0]).__name__}')
    kwargs.update({f: v for f, v in given.items() if f in op.attributes and v is not None})
    return given.get('out', out)


def place(op: Any, names: Sequence[str], operands: Any, by_name: Any) -> Any:
    """Operands by position, then those given by name."""
    left = list(names[len(operands) :])
    for key in by_name:
        if key not in left:
            raise MXNetError(
                "Operator {} has no operand '{}'; it takes {}".format(op.name, key, ', '.join(names))
            )
    return operands + [by_name[n] for n in left if n in by_name]


def known() -> list[Any]:
    return sorted(OPERATORS)
