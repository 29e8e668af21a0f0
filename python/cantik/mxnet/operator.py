"""mx.operator: operators of the program's own, written in Python.

An operator is two classes: a CustomOpProp says what its operands and results are and makes the CustomOp,
which computes. `register` gives it a name; mx.sym.Custom and mx.nd.Custom take it by that name. In the graph
it is a node like others (see ops/python_functions.py): the arrays that forward and backward get are the run's
own memory.
"""

from typing import Any as _Any

from .custom.classes import CustomOp, CustomOpProp, get_all_registered_operators, register

__all__ = ['CustomOp', 'CustomOpProp', 'register', 'get_all_registered_operators']


def __getattr__(name) -> _Any:
    if name in ('NumpyOp', 'NDArrayOp', 'PythonOp'):
        raise AttributeError(
            "mxnet.operator.{} is not there in Cantik's MXNet layer: MXNet replaced it by CustomOp".format(
                name
            )
        )
    raise AttributeError("module 'mxnet.operator' has no attribute '{}'".format(name))
