"""Writers of progress: CNTK's log, a bar, callbacks."""

from .. import _cantik
from .._checks import network, refused, whole
from .._cantik import ProgressBar, TrainingSummaryProgressCallback
from .._waiting import not_there


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

    def update_with_trainer(self, trainer, with_metric=False):
        """Tells of the trainer's last minibatch."""
        if trainer is not None and not isinstance(trainer, _cantik.Trainer):
            raise refused('trainer', 'a Trainer', trainer)
        if trainer is not None and trainer.previous_minibatch_sample_count != 0:
            metric = trainer.previous_minibatch_evaluation_average if with_metric else None
            self.update(
                trainer.previous_minibatch_loss_average, trainer.previous_minibatch_sample_count, metric
            )


class TensorBoardProgressWriter(_cantik.ProgressWriter):
    """Writes for TensorBoard. Not there yet, see docs/status.md."""

    def __init__(self, freq=None, log_dir='.', rank=None, model=None):
        raise not_there('logging.TensorBoardProgressWriter')


def log_number_of_parameters(model, trace_level=0):
    """Prints how many parameters the model trains.

    Example:
        >>> import cantik as C
        >>> C.logging.log_number_of_parameters(C.layers.Dense(3)(C.input_variable(2)))
        Training 9 parameters in 2 parameter tensors.
    """
    whole(trace_level, 'trace_level')
    parameters = network(model, 'model').parameters
    if any(any(d < 0 for d in p.shape) for p in parameters):
        print(
            'Training an undetermined number of parameters in {} parameter tensors.'.format(len(parameters))
        )
        return
    total = 0
    for p in parameters:
        count = 1
        for d in p.shape:
            count *= d
        total += count
    print('Training {} parameters in {} parameter tensors.'.format(total, len(parameters)))
