"""mx.model: files of a trained model, prefix-symbol.json and prefix-0001.params."""

from __future__ import annotations

import logging
from collections import namedtuple
from typing import TYPE_CHECKING, Any, Any as _Any

from . import ndarray as nd
from .symbol import load as load_symbol

if TYPE_CHECKING:
    from ..mxnet.ndarray.array import NDArray
    from ..mxnet.symbol.symbol import Symbol

BatchEndParam = namedtuple('BatchEndParams', ['epoch', 'nbatch', 'eval_metric', 'locals'])


def save_checkpoint(
    prefix: str,
    epoch: int,
    symbol: Symbol | None,
    arg_params: dict[str, NDArray],
    aux_params: dict[str, NDArray],
    remove_amp_cast: bool = True,
) -> None:
    """Writes the symbol and the parameters."""
    if symbol is not None:
        symbol.save(f'{prefix}-symbol.json')
    name = f'{prefix}-{epoch:04d}.params'
    nd.save(
        name,
        {**{'arg:' + k: v for k, v in arg_params.items()}, **{'aux:' + k: v for k, v in aux_params.items()}},
    )
    logging.info('Saved checkpoint to "%s"', name)


def load_params(prefix: str, epoch: int) -> tuple[Any, ...]:
    """The parameters and auxiliary states of a checkpoint."""
    loaded = nd.load(f'{prefix}-{epoch:04d}.params')
    if not loaded:
        logging.warning('Params file \'%s\' is empty', f'{prefix}-{epoch:04d}.params')
        return {}, {}
    return (
        {k[4:]: v for k, v in loaded.items() if k.startswith('arg:')},
        {k[4:]: v for k, v in loaded.items() if k.startswith('aux:')},
    )


def load_checkpoint(prefix: str, epoch: int) -> tuple[Any, ...]:
    """Symbol, parameters and auxiliary states of a checkpoint."""
    return (load_symbol(f'{prefix}-symbol.json'), *load_params(prefix, epoch))


def __getattr__(name) -> _Any:
    if name == 'FeedForward':
        raise AttributeError(
            "mxnet.model.FeedForward is not there in Cantik's MXNet layer: use mx.mod.Module"
        )
    raise AttributeError(f"module 'mxnet.model' has no attribute '{name}'")
