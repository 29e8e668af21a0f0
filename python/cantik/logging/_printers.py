"""What CNTK's printer has beside the options of the library's."""

from __future__ import annotations

from typing import Any

from .. import _cantik
from .._checks import path, refused


class Printer(_cantik.ProgressPrinter):
    """A printer that takes None for no tag, paths, and trainers."""

    def __init__(self, options: dict[str, Any]):
        if options['tag'] is None:
            options['tag'] = ''
        if options['log_to_file'] is not None:
            options['log_to_file'] = path(options['log_to_file'], 'log_to_file')
        super().__init__(options)
        self.logfilename = options['log_to_file']
        if self.logfilename is not None and options['rank'] is not None:
            self.logfilename += f'rank{options["rank"]}'

    def __getattr__(self, name: str) -> Any:
        # Attributes, not properties: a program may set them on a printer of its own class.
        options = self._options
        if name not in options:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return options[name]

    def __dir__(self):
        return sorted({*super().__dir__(), *self._options})

    def update_with_trainer(self, trainer: Any, with_metric: bool = False) -> None:
        """Tells of the trainer's last minibatch."""
        if trainer is not None and not isinstance(trainer, _cantik.Trainer):
            raise refused('trainer', 'a Trainer', trainer)
        if trainer is not None and trainer.previous_minibatch_sample_count != 0:
            metric = trainer.previous_minibatch_evaluation_average if with_metric else None
            self.update(
                trainer.previous_minibatch_loss_average, trainer.previous_minibatch_sample_count, metric
            )
