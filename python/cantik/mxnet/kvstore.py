"""mx.kv: arrays by keys, which programs push gradients into and pull parameters from. Of one process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .inner_modules import add_inner as _add_inner
from .base import MXNetError, missing
from .files import write_whole
from .ndarray import NDArray
from .optimizer import get_updater

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._types import PathLike


def _paired(key: Any, value: Any) -> list[tuple[Any, list[Any]]]:
    """Of each key the arrays that are given for it."""
    if not isinstance(key, (list, tuple)):
        return [(key, list(value) if isinstance(value, (list, tuple)) else [value])]
    if len(key) != len(value):
        raise MXNetError(f'{len(key)} keys and {len(value)} values were given')
    return [pair for k, v in zip(key, value) for pair in _paired(k, v)]


class KVStore:
    """What is pushed takes the place of what is there, or goes through an updater or optimizer to it; several
    arrays that are pushed for one key are added up."""

    rank, num_workers = 0, 1

    def __init__(self, name: str = 'local'):
        self.type, self._stored, self._updater, self._keys = name, {}, None, None

    def _place(self, key):
        kind = 'text' if isinstance(key, str) else 'number'
        if self._keys not in (None, kind):
            raise MXNetError('Mixed key types are not allowed')
        self._keys = kind
        return key

    def _at(self, key):
        if self._place(key) not in self._stored:
            raise MXNetError(f'key {key} has not been inited')
        return self._stored[key]

    def init(self, key: Any, value: Any) -> None:
        """First values of keys, once for each."""
        for k, (v, *_) in _paired(key, value):
            if self._place(k) in self._stored:
                raise MXNetError(
                    f'duplicate init of key {k}. Please double check if you called kv.init more than once'
                )
            self._stored[k] = v.copy()

    def push(self, key: Any, value: Any, priority: int = 0) -> None:
        """Arrays for keys: summed for each, then stored or given to the updater."""
        for k, arrays in _paired(key, value):
            stored = self._at(k)
            total = arrays[0] if len(arrays) == 1 else NDArray(np.sum([a._np for a in arrays], 0))
            if self._updater is not None:
                self._updater(k, total, stored)
            else:
                self._stored[k] = total.copy()

    def pull(self, key: Any, out: Any = None, priority: int = 0, ignore_sparse: bool = True) -> None:
        """Copies what is stored into arrays."""
        if out is None:
            raise AssertionError('out, the arrays to be filled, has to be given')
        for k, arrays in _paired(key, out):
            for a in arrays:
                self._at(k).copyto(a)

    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> None:
        """The sum of what is given for a key: stored, and copied into `out`, or into what was given."""
        self.push(key, value, priority)
        self.pull(key, value if out is None else out, priority)

    def broadcast(self, key: Any, value: Any, out: Any, priority: int = 0) -> None:
        self.init(key, value)
        self.pull(key, out, priority)

    def row_sparse_pull(self, *args: Any, **kwargs: Any) -> None:
        missing('KVStore.row_sparse_pull')

    # ---- what changes the parameters
    def set_optimizer(self, optimizer: Any) -> None:
        self._updater = get_updater(optimizer)

    def _set_updater(self, updater: Callable[[Any, NDArray, NDArray], Any]) -> None:
        """updater(key, what was pushed, what is stored) changes what is stored."""
        self._updater = updater

    def set_gradient_compression(self, compression_params: Any) -> None:
        missing('the compression of gradients')

    @staticmethod
    def is_capable(capability: str) -> bool:
        return capability.lower() == 'optimizer'

    def save_optimizer_states(self, fname: PathLike, dump_optimizer: bool = False) -> None:
        if self._updater is None:
            raise AssertionError('the store has no optimizer: call set_optimizer')
        write_whole(fname, self._updater.get_states(dump_optimizer))

    def load_optimizer_states(self, fname: PathLike) -> None:
        if self._updater is None:
            raise AssertionError('the store has no optimizer: call set_optimizer')
        with open(fname, 'rb') as f:
            self._updater.set_states(f.read())

    def _barrier(self) -> None:
        """One process waits for nobody."""


_OF_ONE_PROCESS = ('local', 'device')


def create(name: str = 'local') -> KVStore:
    """A store of this process: 'local', 'device' and their like are one here."""
    if not isinstance(name, str):
        raise TypeError('name must be a string')
    if not name.startswith(_OF_ONE_PROCESS):
        missing(f'the key-value store {name!r}')
    return KVStore(name)


_add_inner(__name__)
