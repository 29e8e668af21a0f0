"""What programs derive from: CustomOp and CustomOpProp, and the names they are registered under."""

from __future__ import annotations

import inspect
import traceback
from typing import Any

from ..base import MXNetError

_registry = {}


class CustomOp:
    """Computes. Derived classes have forward and backward; both write what they make by `assign`."""

    def forward(self, is_train: bool, req: Any, in_data: Any, out_data: Any, aux: Any) -> Any:
        """Fills out_data. req: what happens to each result, 'null', 'write', 'inplace' or 'add'; aux:
        auxiliary states, which may be written to."""

    def backward(self, req: Any, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any) -> Any:
        """Fills in_grad, as req says, from the gradients of the results."""

    def assign(self, dst: Any, req: Any, src: Any) -> Any:
        """Writes src into dst, adds it, or leaves dst alone."""
        if req == 'null':
            return
        if req in ('write', 'inplace'):
            dst[:] = src
        elif req == 'add':
            dst[:] += src


class CustomOpProp:
    """What an operator takes and gives. Its constructor gets the operator's keywords as texts.

    need_top_grad: whether backward asks for gradients of the results; a loss does not.
    """

    def __init__(self, need_top_grad: bool = True):
        self.need_top_grad_ = need_top_grad

    def infer_shape(self, in_shape: Any) -> Any:
        """From shapes of operands: shapes of operands, results and, as a third list, auxiliary states."""
        return in_shape, (in_shape[0],) * len(self.list_outputs()), ()

    def infer_type(self, in_type: Any) -> Any:
        """The same for element types."""
        return (
            in_type,
            [in_type[0]] * len(self.list_outputs()),
            [in_type[0]] * len(self.list_auxiliary_states()),
        )

    def infer_storage_type(self, in_stype: Any) -> Any:
        """The same for storage: 'default' is dense."""
        return (
            in_stype,
            ['default'] * len(self.list_outputs()),
            ['default'] * len(self.list_auxiliary_states()),
        )

    def infer_storage_type_backward(
        self, ograd_stype: Any, in_stype: Any, out_stype: Any, igrad_stype: Any, aux_stype: Any
    ) -> Any:
        """Storage of gradients."""
        return tuple(['default'] * len(s) for s in (ograd_stype, in_stype, out_stype, igrad_stype, aux_stype))

    def list_outputs(self) -> Any:
        return ['output']

    def list_arguments(self) -> Any:
        return ['data']

    def list_auxiliary_states(self) -> Any:
        return []

    def declare_backward_dependency(self, out_grad: Any, in_data: Any, out_data: Any) -> Any:
        """Which numbers backward reads, of those in the three lists."""
        return (list(out_grad) if self.need_top_grad_ else []) + list(in_data) + list(out_data)

    def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> Any:
        """Makes the CustomOp."""
        return CustomOp()


def register(reg_name: Any) -> Any:
    """A class decorator: mx.sym.Custom and mx.nd.Custom find the operator under this name."""

    def add(prop_class):
        if not (inspect.isclass(prop_class) and issubclass(prop_class, CustomOpProp)):
            raise AssertionError('can only register subclass of CustomOpProp')
        _registry[reg_name] = prop_class
        return prop_class

    return add


def failed(where: Any, error: Any) -> Any:
    """The error of a program's method, with its own traceback."""
    return MXNetError(
        'Error in {}: {}'.format(
            where, ''.join(traceback.format_exception(type(error), error, error.__traceback__))
        )
    )


def registered(name: str | None) -> Any:
    return _registry.get(name)


def get_all_registered_operators() -> Any:
    return sorted(_registry)
