"""Writers of progress: CNTK's log, a bar, callbacks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _cantik
from .._cantik import ProgressBar, TrainingSummaryProgressCallback
from .._checks import network, path, refused, whole

if TYPE_CHECKING:
    from .._types import PathLike
    from ..ops.functions import Function


class ProgressPrinter(_cantik.ProgressPrinter):
    """Writes CNTK's log of a training, to the letter.

    Args:
        freq (int): after every so many minibatches; None for summaries only; 0 for a table at 1, 3, 7, 15,
        ... minibatches first (int): after each of the first ones, too
        tag (str): printed in summaries
        log_to_file (str): the log goes there
        rank (int): of a worker; part of the file's name
        gen_heartbeat (bool): a line every ten seconds
        num_epochs (int): printed in summaries
        test_freq, test_first (int): the same for tests
        metric_is_pct (bool): metrics are printed in percent
        distributed_freq, distributed_first (int): the same for distributed training

    Example:
        >>> import cantik as C
        >>> printer = C.logging.ProgressPrinter(freq=1)
        >>> printer.update_training(50, 25.0, 5.0)
         Minibatch[   1-   1]: loss = 0.500000 * 50, metric = 10.00% * 50;
    """

    def __getattr__(self, name: str) -> Any:
        # Attributes, not properties: a program may set them on a printer of its own class.
        options = self._options
        if name not in options:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return options[name]

    def update_with_trainer(self, trainer: Any, with_metric: bool = False) -> None:
        """Tells of the trainer's last minibatch."""
        if trainer is not None and not isinstance(trainer, _cantik.Trainer):
            raise refused('trainer', 'a Trainer', trainer)
        if trainer is not None and trainer.previous_minibatch_sample_count != 0:
            metric = trainer.previous_minibatch_evaluation_average if with_metric else None
            self.update(
                trainer.previous_minibatch_loss_average, trainer.previous_minibatch_sample_count, metric
            )


class TensorBoardProgressWriter(_cantik.TensorBoardWriter):
    """Writes a training's progress for TensorBoard: `tensorboard --logdir FOLDER` shows it while it goes on.

    Losses and metrics by minibatches are minibatch/avg_loss and minibatch/avg_metric, those of summaries
    summary/avg_loss and summary/avg_metric, a test's is minibatch/test_avg_metric. More is written by
    write_value, write_image, write_histogram and write_text.

    Args:
        freq (int): a point after every so many minibatches; None for summaries only; 0 for points at 1, 3, 7,
          15, ... minibatches
        log_dir (str): the folder; it is made where it is missing
        rank (int): of a worker: only the one of rank 0, or None, writes
        model (Function): its graph is shown

    Example:
        >>> import cantik as C, tempfile
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
        super().__init__(
            None if freq is None else whole(freq, 'freq', 0),
            path(log_dir, 'log_dir'),
            None if rank is None else whole(rank, 'rank', 0),
            None if model is None else network(model, 'model'),
        )


def log_number_of_parameters(model: Function, trace_level: Any = 0) -> None:
    """Prints how many parameters the model trains; with a trace level above 0 their shapes too.

    Example:
        >>> import cantik as C
        >>> C.logging.log_number_of_parameters(C.layers.Dense(3)(C.input_variable(2)))
        Training 9 parameters in 2 parameter tensors.
    """
    with_shapes = whole(trace_level, 'trace_level') > 0
    parameters = network(model, 'model').parameters
    if any(any(d < 0 for d in p.shape) for p in parameters):
        print(f'Training an undetermined number of parameters in {len(parameters)} parameter tensors.')
        return
    total = 0
    for p in parameters:
        count = 1
        for d in p.shape:
            count *= d
        total += count
    print(f'Training {total} parameters in {len(parameters)} parameter tensors.')
    if with_shapes:
        print()
        for p in parameters:
            print(f'\t{p.shape}')
