"""The operators of the table as functions of arrays: operands by position or name, then attributes."""

from ..base import MXNetError
from .eager import invoke
from ..table import OPERATORS, find, functions
from .array import NDArray


def _function(name):
    op = find(name)
    fields = list(op.attributes)

    def call(*args, out=None, name=None, attr=None, ctx=None, **kwargs):
        kwargs = {k: v for k, v in kwargs.items() if v is not None or k in op.attributes}
        if ctx is not None and 'ctx' in op.attributes:
            kwargs['ctx'] = str(ctx)
        return invoke(op.name, arranged(op, args, kwargs, NDArray), kwargs, out)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = '{}\n\nAttributes: {}'.format(
        op.doc, ', '.join('{} ({})'.format(n, op.attributes[n].text()) for n in fields) or 'none'
    )
    return call


named = functions(_function)


def arranged(op, args, kwargs, kind):
    """The operands in their order; attributes given by position and operands given by name change places."""
    args = (
        list(args[0]) if op.variadic and len(args) == 1 and isinstance(args[0], (list, tuple)) else list(args)
    )
    operands = [a for a in args if isinstance(a, kind)]
    if any(a is None for a in args[: len(operands)]):
        raise MXNetError('{}: operands given by position have none between them'.format(op.name))
    rest = args[len(operands) :] if all(isinstance(a, kind) for a in args[: len(operands)]) else None
    if rest is None:
        raise TypeError(
            '{}: an operand is {}, not {}'.format(
                op.name, kind.__name__, next(type(a).__name__ for a in args if not isinstance(a, kind))
            )
        )
    by_name = {k: kwargs.pop(k) for k in [k for k, v in kwargs.items() if isinstance(v, kind)]}
    if op.variadic:
        operands += [by_name[k] for k in sorted(by_name, key=lambda k: (len(k), k))]
    if rest:
        for field, value in zip([f for f in op.attributes if f not in kwargs], rest):
            if value is not None:
                kwargs[field] = value
    if by_name and not op.variadic:
        a = op.read(kwargs)
        operands = place(op, op.list_inputs(a) + op.list_aux(a), operands, by_name)
    return operands


def place(op, names, operands, by_name):
    """Operands by position, then those given by name."""
    left = list(names[len(operands) :])
    for key in by_name:
        if key not in left:
            raise MXNetError(
                "Operator {} has no operand '{}'; it takes {}".format(op.name, key, ', '.join(names))
            )
    return operands + [by_name[n] for n in left if n in by_name]


def known():
    return sorted(OPERATORS)
