"""What programs derive from: CustomOp and CustomOpProp, and the names they are registered under."""

import inspect
import traceback

from ..base import MXNetError

_registry = {}


class CustomOp:
    """Computes. Derived classes have forward and backward; both write what they make by `assign`."""

    def forward(self, is_train, req, in_data, out_data, aux):
        """Fills out_data. req: what happens to each result, 'null', 'write', 'inplace' or 'add'; aux:
        auxiliary states, which may be written to."""

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        """Fills in_grad, as req says, from the gradients of the results."""

    def assign(self, dst, req, src):
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

    def __init__(self, need_top_grad=True):
        self.need_top_grad_ = need_top_grad

    def infer_shape(self, in_shape):
        """From shapes of operands: shapes of operands, results and, as a third list, auxiliary states."""
        return in_shape, (in_shape[0],) * len(self.list_outputs()), ()

    def infer_type(self, in_type):
        """The same for element types."""
        return (
            in_type,
            [in_type[0]] * len(self.list_outputs()),
            [in_type[0]] * len(self.list_auxiliary_states()),
        )

    def infer_storage_type(self, in_stype):
        """The same for storage: 'default' is dense."""
        return (
            in_stype,
            ['default'] * len(self.list_outputs()),
            ['default'] * len(self.list_auxiliary_states()),
        )

    def infer_storage_type_backward(self, ograd_stype, in_stype, out_stype, igrad_stype, aux_stype):
        """Storage of gradients."""
        return tuple(['default'] * len(s) for s in (ograd_stype, in_stype, out_stype, igrad_stype, aux_stype))

    def list_outputs(self):
        return ['output']

    def list_arguments(self):
        return ['data']

    def list_auxiliary_states(self):
        return []

    def declare_backward_dependency(self, out_grad, in_data, out_data):
        """Which numbers backward reads, of those in the three lists."""
        return (list(out_grad) if self.need_top_grad_ else []) + list(in_data) + list(out_data)

    def create_operator(self, ctx, in_shapes, in_dtypes):
        """Makes the CustomOp."""
        return CustomOp()


def register(reg_name):
    """A class decorator: mx.sym.Custom and mx.nd.Custom find the operator under this name."""

    def add(prop_class):
        if not (inspect.isclass(prop_class) and issubclass(prop_class, CustomOpProp)):
            raise AssertionError('can only register subclass of CustomOpProp')
        _registry[reg_name] = prop_class
        return prop_class

    return add


def failed(where, error):
    """The error of a program's method, with its own traceback."""
    return MXNetError(
        'Error in {}: {}'.format(
            where, ''.join(traceback.format_exception(type(error), error, error.__traceback__))
        )
    )


def registered(name):
    return _registry.get(name)


def get_all_registered_operators():
    return sorted(_registry)
