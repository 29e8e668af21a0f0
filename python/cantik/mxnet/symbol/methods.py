"""Methods of symbols that infer, run and write them, or apply operators by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..files import write_whole
from ..base import NotImplementedForSymbol, give_methods
from ..context import current_context
from ..ndarray.fluent import METHODS
from . import executor, infer
from .files import load_json, to_json
from .function import named
from .symbol import Symbol

if TYPE_CHECKING:
    from ...mxnet.ndarray.array import NDArray
    from ...mxnet.symbol.executor import Executor


class Methods:
    """They become methods of Symbol."""

    if TYPE_CHECKING:  # operators are made below
        _heads: list

        def __getattr__(self, name: str) -> Any: ...

    def __reduce__(self):
        return load_json, (self.tojson(),)

    # ---- shapes and types
    def infer_shape(self, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Shapes of arguments, outputs and auxiliary states, from those of some arguments; three times None
        where they do not follow."""
        return infer.infer_shape(self, args, kwargs, False)

    def infer_shape_partial(self, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """The same, with () for those that do not follow."""
        return infer.infer_shape(self, args, kwargs, True)

    def infer_type(self, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Element types of arguments, outputs and auxiliary states."""
        return infer.infer_type(self, args, kwargs)

    infer_type_partial = infer_type

    # ---- running
    def bind(
        self,
        ctx: Any,
        args: Any,
        args_grad: Any = None,
        grad_req: Any = 'write',
        aux_states: Any = None,
        group2ctx: Any = None,
        shared_exec: Any = None,
    ) -> Executor:
        return executor.bind(self, ctx, args, args_grad, grad_req, aux_states)

    def simple_bind(
        self,
        ctx: Any,
        grad_req: Any = 'write',
        type_dict: Any = None,
        stype_dict: Any = None,
        group2ctx: Any = None,
        shared_arg_names: Any = None,
        shared_exec: Any = None,
        shared_buffer: Any = None,
        **kwargs: Any,
    ) -> Executor:
        return executor.simple_bind(self, ctx, grad_req, type_dict, kwargs, shared_exec)

    def eval(self, ctx: Any = None, **kwargs: Any) -> list[NDArray]:
        """The outputs for these arrays."""
        return self.bind(ctx or current_context(), kwargs, grad_req='null').forward()

    # ---- files
    def tojson(self, remove_amp_cast: bool = True) -> str:
        return to_json(self)

    def save(self, fname: Any, remove_amp_cast: bool = True) -> None:
        write_whole(fname, self.tojson().encode())

    def _viewed(self, name, inplace, **kwargs):
        """Methods that arrays have in place: of symbols that means nothing."""
        return named(name)(self, **kwargs)

    def expand_dims(self, axis: Any, inplace: bool = False, **kwargs: Any) -> Any:
        return self._viewed('expand_dims', inplace, axis=axis, **kwargs)

    def squeeze(self, axis: Any = None, inplace: bool = False, **kwargs: Any) -> Any:
        return self._viewed('squeeze', inplace, axis=axis, **kwargs)

    def flatten(self, inplace: bool = False, **kwargs: Any) -> Any:
        return self._viewed('flatten', inplace, **kwargs)


def _applied(name):
    def method(self, *args, **kwargs):
        return named(name)(self, *args, **kwargs)

    method.__name__ = method.__qualname__ = name
    return method


def _refused(name):
    def method(self, *args, **kwargs):
        raise NotImplementedForSymbol(name)

    method.__name__ = method.__qualname__ = name
    return method


for _name in METHODS:
    if not hasattr(Methods, _name):
        setattr(Methods, _name, _applied(_name))
for _name in ('asnumpy', 'asscalar', 'as_in_context', 'backward', 'copy', 'detach', 'wait_to_read'):
    setattr(Methods, _name, _refused(_name))
give_methods(Methods, Symbol)
