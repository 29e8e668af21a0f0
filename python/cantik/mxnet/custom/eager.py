"""mx.nd.Custom: an operator of the program's own on arrays at once."""

from __future__ import annotations

import threading
from typing import Any

from .. import ndarray
from ..base import MXNetError
from ..context import current_context
from ..ndarray.array import NDArray
from ..ndarray.eager import invoke
from ..table import find


class Calls(threading.local):
    """Whose call a thread is in: its auxiliary states, and the CustomOp it makes."""

    aux = ()


class Source:
    """Makes a CustomOp for each call: what it keeps belongs to that call's backward."""

    one_run_at_a_time = False

    def __init__(self, attributes: Any, shapes: Any, dtypes: Any):
        self._made = attributes, shapes, dtypes
        self.calls = Calls()

    def __call__(self) -> Any:
        attributes, shapes, dtypes = self._made
        return attributes.made(current_context(), shapes, dtypes), list(self.calls.aux)

    @staticmethod
    def requests(gradients: Any) -> Any:
        return ['null' if g is None else 'write' for g in gradients]


class Context:
    """What a graph of one call asks about."""

    def __init__(self):
        self.source = None

    def operator_of(self, node: Any, attributes: Any, shapes: Any, dtypes: Any) -> Any:
        self.source = Source(attributes, shapes, dtypes)
        return self.source


def Custom(*args: Any, **kwargs: Any) -> Any:
    """An operator of the program's own, registered with mx.operator.register; `op_type` is its name."""
    kwargs.pop('name', None)
    out = kwargs.pop('out', None)
    by_name = {k: kwargs.pop(k) for k in [k for k, v in kwargs.items() if isinstance(v, NDArray)]}
    kwargs = {k: str(v) for k, v in kwargs.items()}  # texts, however the program's class reads them
    operands = [a for a in args if a is not None]
    if by_name:
        op = find('Custom')
        a = op.read(kwargs)
        names = (op.list_inputs(a) + op.list_aux(a))[len(operands) :]
        wrong = [k for k in by_name if k not in names]
        if wrong:
            raise MXNetError("Custom operator {} has no operand '{}'".format(kwargs.get('op_type'), wrong[0]))
        operands += [by_name[n] for n in names if n in by_name]
    return invoke('Custom', operands, kwargs, out)


ndarray.Custom = Custom
