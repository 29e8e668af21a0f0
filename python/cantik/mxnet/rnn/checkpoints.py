"""Files of models with cells: their weights gate by gate, whichever cells, fused or not, read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..model import load_checkpoint, save_checkpoint
from .cells import BaseRNNCell

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...mxnet.ndarray.array import NDArray
    from ...mxnet.symbol.symbol import Symbol


def rnn_unroll(
    cell: BaseRNNCell,
    length: int,
    inputs: Any = None,
    begin_state: Any = None,
    input_prefix: str = '',
    layout: str = 'NTC',
) -> Any:
    """cell.unroll under its old name."""
    return cell.unroll(length=length, inputs=inputs, begin_state=begin_state, layout=layout)


def _cells(cells):
    return [cells] if isinstance(cells, BaseRNNCell) else cells


def save_rnn_checkpoint(
    cells: Any,
    prefix: str,
    epoch: int,
    symbol: Symbol,
    arg_params: dict[str, NDArray],
    aux_params: dict[str, NDArray],
) -> None:
    """mx.model.save_checkpoint with the cells' weights unpacked."""
    for cell in _cells(cells):
        arg_params = cell.unpack_weights(arg_params)
    save_checkpoint(prefix, epoch, symbol, arg_params, aux_params)


def load_rnn_checkpoint(cells: Any, prefix: str, epoch: int) -> tuple[Any, ...]:
    """What save_rnn_checkpoint wrote, packed as these cells have it."""
    symbol, arg_params, aux_params = load_checkpoint(prefix, epoch)
    for cell in _cells(cells):
        arg_params = cell.pack_weights(arg_params)
    return symbol, arg_params, aux_params


def do_rnn_checkpoint(cells: Any, prefix: str, period: int = 1) -> Callable[..., None]:
    """A callback for the ends of epochs: a checkpoint after every `period` of them."""
    period = int(max(1, period))

    def callback(epoch, symbol=None, arg_params=None, aux_params=None):
        if (epoch + 1) % period == 0:
            save_rnn_checkpoint(cells, prefix, epoch + 1, symbol, arg_params, aux_params)

    return callback
