"""The operators of the table as functions of symbols: operands by position or name, then attributes."""

from ..table import find, functions
from .symbol import Symbol, apply


def _function(name_of_operator):
    op = find(name_of_operator)
    called = name_of_operator.removeprefix('_linalg_').removeprefix('_contrib_')  # as nodes are named

    def call(*args, name=None, attr=None, out=None, **kwargs):
        args = (
            list(args[0])
            if op.variadic and len(args) == 1 and isinstance(args[0], (list, tuple))
            else list(args)
        )
        operands = [a for a in args if isinstance(a, Symbol)]
        rest = [a for a in args if not isinstance(a, Symbol)]
        by_name = {k: v for k, v in kwargs.items() if isinstance(v, Symbol)}
        attrs = {
            k: v
            for k, v in kwargs.items()
            if not isinstance(v, Symbol) and (v is not None or k in op.attributes)
        }
        if op.name == 'Custom':  # texts, however the program's class reads them
            attrs = {k: str(v) for k, v in kwargs.items() if not isinstance(v, Symbol)}
        fields = [f for f in op.attributes if f not in attrs]
        attrs.update((field, value) for field, value in zip(fields, rest) if value is not None)
        if op.variadic:
            operands += [by_name.pop(k) for k in sorted(by_name, key=lambda k: (len(k), k))]
        return apply(op.name, operands, attrs, name, attr, called, by_name)

    call.__name__ = call.__qualname__ = name_of_operator
    call.__doc__ = '{}\n\nAttributes: {}'.format(
        op.doc, ', '.join(f'{n} ({f.text()})' for n, f in op.attributes.items()) or 'none'
    )
    return call


named = functions(_function)
