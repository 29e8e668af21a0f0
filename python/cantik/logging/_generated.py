"""Writers of progress. Written by tools/generate from what the library describes: change that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _cantik
from . import _printers

if TYPE_CHECKING:
    from ..ops.functions import Function
    from .._types import PathLike

__all__ = [
    'ProgressPrinter',
    'ProgressBar',
    'TensorBoardProgressWriter',
]


class ProgressPrinter(_printers.Printer):
    """Writes CNTK's log of a training, to the letter, but for figures that mean nothing: without a metric its
    lines are those that CNTK writes for loops of one's own without one, and a speed is not told of no
    time.

    Args:
        freq (int): a line after every so many minibatches; none: summaries only; 0: a table at 1, 3, 7,
            15, ... minibatches; at least 0
        first (int): so many minibatches are told of one by one; at least 0
        tag (str): in front of summaries
        log_to_file: the file that the lines go to; none: to the terminal
        rank (int): of a worker: its number is added to the file's name
        gen_heartbeat (bool): a line every ten seconds, for programs that watch
        num_epochs (int): how many there will be, for "Epoch 1 of 9"
        test_freq (int): minibatches of a line while testing; none: summaries only; at least 0
        test_first (int): so many minibatches of tests are told of one by one; at least 0
        metric_is_pct (bool): metrics are shown as percentages
        distributed_freq (int): exchanges of a line; none: none is told of; at least 0
        distributed_first (int): so many exchanges are told of one by one; at least 0

    Example:
        >>> import cantik as C
        >>> printer = C.logging.ProgressPrinter(freq=1)
        >>> printer.update_training(50, 25.0, 5.0)
         Minibatch[   1-   1]: loss = 0.500000 * 50, metric = 10.00% * 50;
    """

    def __init__(
        self,
        freq: int | None = None,
        first: int = 0,
        tag: str | None = '',
        log_to_file: PathLike | None = None,
        rank: int | None = None,
        gen_heartbeat: bool = False,
        num_epochs: int | None = None,
        test_freq: int | None = None,
        test_first: int = 0,
        metric_is_pct: bool = True,
        distributed_freq: int | None = None,
        distributed_first: int = 0,
    ):
        super().__init__(
            {
                'freq': freq,
                'first': first,
                'tag': tag,
                'log_to_file': log_to_file,
                'rank': rank,
                'gen_heartbeat': gen_heartbeat,
                'num_epochs': num_epochs,
                'test_freq': test_freq,
                'test_first': test_first,
                'metric_is_pct': metric_is_pct,
                'distributed_freq': distributed_freq,
                'distributed_first': distributed_first,
            }
        )


class ProgressBar(_cantik.ProgressBar):
    """One line on the terminal that is drawn again and again while an epoch goes on. What is no terminal gets
    nothing.

    Args:
        samples (int): of an epoch; 0: unknown, no bar; at least 0
        epochs (int): how many there will be; 0: unknown; at least 0
        width (int): of the bar, in characters; at least 0 and at most 1000
        metric_is_pct (bool): metrics are shown as percentages

    Example:
        >>> import cantik as C
        >>> bar = C.logging.ProgressBar(samples=60000, epochs=5)
    """

    def __init__(self, samples: int = 0, epochs: int = 0, width: int = 30, metric_is_pct: bool = True):
        super().__init__(
            {'samples': samples, 'epochs': epochs, 'width': width, 'metric_is_pct': metric_is_pct}
        )


class TensorBoardProgressWriter(_cantik.TensorBoardWriter):
    """Writes a training's progress for TensorBoard, under CNTK's tags: minibatch/avg_loss and
    minibatch/avg_metric by minibatches, summary/avg_loss and summary/avg_metric by summaries,
    minibatch/test_avg_metric after tests, and rates that change.

    `tensorboard --logdir FOLDER` shows it while it goes on. More is written by write_value, write_image,
    write_histogram and write_text.

    Args:
        freq (int): a point after every so many minibatches; none: after summaries only; 0: after 1, 3, 7,
            15, ... minibatches; at least 0
        log_dir: the folder; it is made where it is missing
        rank (int): of a worker: only the first one, 0, writes; at least 0
        model: whose graph is shown, if there is one

    Example:
        >>> import cantik as C
        >>> import tempfile
        >>> z = C.layers.Dense(2)(C.input_variable(3))
        >>> writer = C.logging.TensorBoardProgressWriter(freq=10, log_dir=tempfile.mkdtemp(), model=z)
        >>> writer.write_value('validation/error', 0.25, step=1)
        >>> writer.close()
    """

    def __init__(
        self,
        freq: int | None = None,
        log_dir: PathLike = '.',
        rank: int | None = None,
        model: Function | None = None,
    ):
        super().__init__(log_dir, {'freq': freq, 'rank': rank, 'model': model})
