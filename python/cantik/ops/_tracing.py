"""Python functions as networks: what they do with placeholders."""

from __future__ import annotations

from .. import _cantik
from ._annotations import argument_types, input_of


def composite(result, name):
    """What a traced function returned, as one network."""
    if isinstance(result, (_cantik.Variable, _cantik.Function)):
        return _cantik.as_composite(result)
    if (
        isinstance(result, (tuple, list))
        and result
        and all(isinstance(r, (_cantik.Variable, _cantik.Function)) for r in result)
    ):
        return _cantik.combine(result)
    raise TypeError(
        f"the Python function '{name}' must return a variable, a function or a tuple of them, not "
        f"{type(result).__name__}"
    )


def trace(f, op_name=None, name=None):
    """The network of what `f` does with placeholders; a block where `op_name` is given."""
    names, types = argument_types(f)
    f_name = getattr(f, '__name__', type(f).__name__)

    def code(*places):
        return composite(f(*places), f_name)

    network = (
        _cantik.trace(code, names, f_name)
        if op_name is None
        else _cantik.trace_block(code, names, op_name, name or '')
    )
    places = network.signature
    if types:
        network.replace_placeholders({p: input_of(p.name, types[p.name]) for p in places if p.name in types})
    network.__doc__ = f.__doc__ or type(network).__doc__
    return network
