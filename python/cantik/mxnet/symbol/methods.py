"""Methods of symbols that infer, run and write them, or apply operators by name."""

from typing import TYPE_CHECKING


from ..base import NotImplementedForSymbol, give_methods
from ..context import current_context
from ..files import write_whole
from ..ndarray.fluent import METHODS
from . import executor, infer
from .files import load_json, to_json
from .function import named
from .symbol import Symbol


class Methods:
    """They become methods of Symbol."""

    if TYPE_CHECKING:
        _heads: list

    def __reduce__(self):
        return load_json, (self.tojson(),)

    # ---- shapes and types
    def infer_shape(self, *args, **kwargs):
        """Shapes of arguments, outputs and auxiliary states, from those of some arguments; three times None
        where they do not follow."""
        return infer.infer_shape(self, args, kwargs, False)

    def infer_shape_partial(self, *args, **kwargs):
        """The same, with () for those that do not follow."""
        return infer.infer_shape(self, args, kwargs, True)

    def infer_type(self, *args, **kwargs):
        """Element types of arguments, outputs and auxiliary states."""
        return infer.infer_type(self, args, kwargs)

    infer_type_partial = infer_type

    # ---- running
    def bind(
        self, ctx, args, args_grad=None, grad_req='write', aux_states=None, group2ctx=None, shared_exec=None
    ):
        return executor.bind(self, ctx, args, args_grad, grad_req, aux_states)

    def simple_bind(
        self,
        ctx,
        grad_req='write',
        type_dict=None,
        stype_dict=None,
        group2ctx=None,
        shared_arg_names=None,
        shared_exec=None,
        shared_buffer=None,
        **kwargs,
    ):
        return executor.simple_bind(self, ctx, grad_req, type_dict, kwargs, shared_exec)

    def eval(self, ctx=None, **kwargs):
        """The outputs for these arrays."""
        return self.bind(ctx or current_context(), kwargs, grad_req='null').forward()

    # ---- files
    def tojson(self, remove_amp_cast=True):
        return to_json(self)

    def save(self, fname, remove_amp_cast=True):
        write_whole(fname, self.tojson().encode())

    def _viewed(self, name, inplace, **kwargs):
        """Methods that arrays have in place: of symbols that means nothing."""
        return named(name)(self, **kwargs)

    def expand_dims(self, axis, inplace=False, **kwargs):
        return self._viewed('expand_dims', inplace, axis=axis, **kwargs)

    def squeeze(self, axis=None, inplace=False, **kwargs):
        return self._viewed('squeeze', inplace, axis=axis, **kwargs)

    def flatten(self, inplace=False, **kwargs):
        return self._viewed('flatten', inplace, **kwargs)

    def __getattr__(self, name):
        if name in METHODS:
            return lambda *args, **kwargs: named(name)(self, *args, **kwargs)
        if name in (
            'asnumpy',
            'asscalar',
            'copyto',
            'as_in_context',
            'attach_grad',
            'backward',
            'detach',
            'wait_to_read',
        ):
            raise NotImplementedForSymbol(name)
        raise AttributeError("'Symbol' object has no attribute '{}'".format(name))


give_methods(Methods, Symbol)
