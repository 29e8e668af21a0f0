"""The types of a Python function's arguments, as its annotations say them."""

import collections.abc
import inspect
import typing

import numpy as np

from ..variables import VariableMixin
from ._leaves import input_variable


def annotated(f, args, kwargs):
    """The function, with types for its arguments, in their order or by their names, as annotations."""
    names = [
        p.name
        for p in inspect.signature(f).parameters.values()
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    if len(args) > len(names):
        raise TypeError(f'the function has {len(names)} arguments, but {len(args)} types were given')
    types = dict(zip(names, args))
    for name, kind in kwargs.items():
        if name not in names or name in types:
            raise TypeError(f"got an unexpected type for '{name}'")
        types[name] = kind
    f.__annotations__ = {**getattr(f, '__annotations__', {}), **types}
    return f


def is_number(kind):
    """Whether it is an element type that stands for the type of one number a sample."""
    return isinstance(kind, type) and kind in (float, np.float16, np.float32, np.float64)


def _is_type(kind):
    """Whether an annotation says a type of variables. Others are Python's own, for readers and checkers."""
    if isinstance(kind, dict):
        return 'shape' in kind
    if typing.get_origin(kind) is collections.abc.Sequence:
        raise TypeError(
            "Python's typing.Sequence is not a type of variables\n  remedy   use cntk.layers.typing.Sequence"
        )
    if isinstance(kind, type):
        return is_number(kind)
    sizes = kind if isinstance(kind, tuple) and kind else (kind,)
    return all(isinstance(size, int) and not isinstance(size, bool) for size in sizes)


def type_of(kind):
    """A type from what stands for one: a shape, or float, np.float64 and the like for a number."""
    if isinstance(kind, dict):
        return kind
    if is_number(kind):
        return {'shape': (), 'dtype': np.float32 if kind is float else kind}
    return {'shape': kind}


def input_of(name, kind):
    arguments = dict(type_of(kind))
    if not isinstance(arguments['shape'], tuple):
        arguments['shape'] = (arguments['shape'],)
    return input_variable(name=name, **arguments)


def argument_types(f):
    """Names of a Python function's required arguments, and the types they are annotated with."""
    signature = inspect.signature(f)
    names = []
    for p in signature.parameters.values():
        if p.kind is p.KEYWORD_ONLY and p.default is p.empty:
            raise TypeError(
                f"the argument '{p.name}' can only be passed by name: a Function has positional arguments"
            )
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is p.empty:
            names.append(p.name)
    annotations = getattr(f, '__annotations__', {})
    types = {}
    for name in names:
        kind = annotations.get(name)
        if isinstance(kind, str):
            try:
                kind = eval(kind, getattr(f, '__globals__', {}))
            except Exception:
                continue  # a text, or a name for type checkers alone
        if _is_type(kind):
            types[name] = kind
    return names, types


def _fits(wanted, given):
    """Whether a value takes the place of an argument. Sizes that are not known yet fit any, sparse and dense
    values one another, and a value without dynamic axes is the same for all samples."""
    shape, other = wanted.shape, given.shape
    if -2 in shape or -2 in other:  # nothing is known yet
        return True
    axes = given.dynamic_axes
    return (
        len(shape) == len(other)
        and all(a == b or a < 0 or b < 0 for a, b in zip(shape, other))
        and wanted.dtype == given.dtype
        and (not axes or len(axes) == len(wanted.dynamic_axes))
    )


def check_types(bound):
    """A TypeError if a value's type contradicts that of the argument whose place it takes."""
    for argument, value in bound.items():
        if argument.is_placeholder:
            continue
        outputs = getattr(value, 'outputs', (value,))
        if len(outputs) != 1 or _fits(argument, outputs[0]):
            continue
        types = [VariableMixin._type.fget(v) for v in (argument, outputs[0])]
        # CNTK's documentation prints this text, and its programs compare it: it has no line more.
        raise TypeError(
            "argument {}'s type {} is incompatible with the type {} of the passed Variable".format(
                argument.name or argument.uid, *types
            )
        )
