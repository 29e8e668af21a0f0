"""Where arrays live: `cpu()`, and `gpu()` as a name that this build refuses when memory is asked for."""

from __future__ import annotations

import threading
from typing import Any

from .base import MXNetError


class Context:
    """A device. As a `with` block, the default of the arrays made inside."""

    devtype2str = {1: 'cpu', 2: 'gpu', 3: 'cpu_pinned', 5: 'cpu_shared'}
    devstr2type = {name: number for number, name in devtype2str.items()}
    _default = threading.local()

    def __init__(self, device_type: Any, device_id: float = 0):
        if isinstance(device_type, Context):
            device_type, device_id = device_type.device_type, device_type.device_id
        self.device_typeid = self.devstr2type[device_type]
        self.device_id = device_id

    @property
    def device_type(self) -> str:
        return self.devtype2str[self.device_typeid]

    def __hash__(self):
        return hash((self.device_typeid, self.device_id))

    def __eq__(self, other):
        return isinstance(other, Context) and (self.device_typeid, self.device_id) == (
            other.device_typeid,
            other.device_id,
        )

    def __repr__(self):
        return f'{self.device_type}({self.device_id})'

    __str__ = __repr__

    def __enter__(self):
        self._before = current_context()
        Context._default.value = self
        return self

    def __exit__(self, *error):
        Context._default.value = self._before

    def empty_cache(self) -> None:
        """Nothing is kept that could be freed."""


def cpu(device_id: float = 0) -> Context:
    return Context('cpu', device_id)


def cpu_pinned(device_id: float = 0) -> Context:
    return Context('cpu_pinned', device_id)


def gpu(device_id: float = 0) -> Context:
    return Context('gpu', device_id)


def num_gpus() -> int:
    return 0


def gpu_memory_info(device_id: float = 0) -> Any:
    raise MXNetError('GPU support is disabled: this build of Cantik has no CUDA backend')


_CPU = Context('cpu', 0)


def current_context() -> Any | Context:
    return getattr(Context._default, 'value', _CPU)


def usable(ctx: Any) -> Any | Context:
    """The context, or an error where nothing can live there."""
    if ctx is None:
        return current_context() if current_context().device_type != 'gpu' else usable(current_context())
    if not isinstance(ctx, Context):
        raise TypeError(f'a context is mx.cpu() or mx.gpu(), not {ctx!r}')
    if ctx.device_type == 'gpu':
        raise MXNetError(
            f'GPU support is disabled: nothing can live on {ctx}, this build of Cantik has no CUDA backend'
        )
    return ctx
