"""A printer in training loops of one's own: what it counts, and what is read of it. Figures: CNTK 2.7."""

import pytest

import cantik as C


def told(printer, losses):
    for loss in losses:
        printer.update(loss, 10, 0.5)


class TestWhatAPrinterCounts:
    def test_since_the_epoch_and_the_line_began(self, capsys):
        printer = C.logging.ProgressPrinter(freq=3, tag='A')
        told(printer, (1.0, 2.0, 3.0, 4.0))
        assert (printer.loss_since_start, printer.metric_since_start) == (100, 20)
        assert (printer.samples_since_start, printer.updates_since_start) == (40, 4)
        assert (printer.loss_since_last, printer.metric_since_last, printer.samples_since_last) == (40, 5, 10)
        assert (printer.total_updates, printer.epochs) == (4, 0)
        assert printer.epoch_summary(with_metric=True) == (2.5, 0.5, 40)
        assert (printer.total_updates, printer.epochs) == (4, 1)
        assert printer.samples_since_start == printer.updates_since_start == 0

    def test_a_line_goes_on_over_the_end_of_an_epoch(self, capsys):
        printer = C.logging.ProgressPrinter(freq=3)
        told(printer, (1.0, 2.0, 3.0, 4.0))
        printer.epoch_summary()
        told(printer, (11.0, 12.0, 13.0))
        line = capsys.readouterr().out.splitlines()[-1]
        assert line == ' Minibatch[   1-   3]: loss = 10.000000 * 40, metric = 50.00% * 40;'

    def test_beginning_anew_returns_the_averages_of_before(self):
        printer = C.logging.ProgressPrinter()
        told(printer, (1.0, 3.0))
        assert printer.reset_last() == (2, 0.5, 20) and printer.samples_since_last == 0
        assert printer.reset_start() == (2, 0.5, 20) and printer.samples_since_start == 0
        assert printer.reset_last() == printer.reset_start() == (0, 0, 0)
        assert printer.total_updates == 2

    def test_a_table_has_no_summary(self, capsys):
        printer = C.logging.ProgressPrinter(freq=0)
        told(printer, (1.0, 2.0))
        assert printer.epoch_summary() is None
        assert (printer.epochs, printer.samples_since_start) == (1, 20)

    def test_minibatches_of_a_trainer_are_not_counted(self, capsys):
        x, y = C.input_variable(2), C.input_variable(1)
        z = C.layers.Dense(1)(x)
        loss = C.squared_error(z, y)
        printer = C.logging.ProgressPrinter(freq=1)
        trainer = C.Trainer(z, (loss, loss), C.sgd(z.parameters, 0.1), printer)
        trainer.train_minibatch({x: [[0, 0]], y: [[1]]})
        trainer.summarize_training_progress()
        assert printer.total_updates == printer.epochs == printer.samples_since_start == 0

    def test_printers_of_ones_own_set_them(self):
        class Printer(C.logging.ProgressPrinter):
            def __init__(self):
                super().__init__()
                self.epochs = 7

        assert Printer().epochs == 7
        with pytest.raises(AttributeError, match='no attribute'):
            Printer().losses_since_start
