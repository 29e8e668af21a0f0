"""Progress writers: several trainers and evaluators on one, methods overridden in Python. The texts are CNTK
2.7's."""

import re

import numpy as np
import pytest

import cantik as C
from cantik.logging import ProgressBar, ProgressPrinter


def criteria():
    x, w = C.input_variable(1), C.parameter(1, init=1)
    one, ten = C.reduce_sum(x), C.reduce_sum(x * 10)
    return x, one, ten, C.reduce_sum(x * w), C.reduce_sum(x * w * 10), w


def minibatch(x, value, samples):
    return {x: np.full((samples, 1), value, np.float32)}


def lines(text):
    """Without times, and without learning rates."""
    return [
        re.sub(r' \d+\.\d+s\b.*', '', line) if 'Epoch' in line else line
        for line in text.splitlines()
        if not line.startswith('Learning rate')
    ]


def test_several_evaluators(capsys):
    x, one, ten, _, _, _ = criteria()
    printer = ProgressPrinter(test_freq=1, tag='T')
    a, b = C.Evaluator(one, [printer]), C.Evaluator(ten, [printer])
    (
        a.test_minibatch(minibatch(x, 0.1, 2)),
        b.test_minibatch(minibatch(x, 0.2, 3)),
        a.test_minibatch(minibatch(x, 0.3, 4)),
    )
    a.summarize_test_progress()
    assert capsys.readouterr().out.splitlines() == [
        ' Evaluation Minibatch[   1-   1]: metric = 10.00% * 2;',
        ' Evaluation Minibatch[   2-   2]: metric = 193.33% * 3;',
        ' Evaluation Minibatch[   3-   3]: metric = -115.00% * 4;',
        'Finished Evaluation [1]: Minibatch[1-3]: metric = 15.56% * 9;',
    ]
    b.summarize_test_progress()
    assert capsys.readouterr().out.splitlines() == [
        'Finished Evaluation [2]: Minibatch[1-0]: metric = 0.00% * 0;'
    ]


def test_several_evaluators_every_second_time(capsys):
    x, one, ten, _, _, _ = criteria()
    printer = ProgressPrinter(test_freq=2)
    a, b = C.Evaluator(one, [printer]), C.Evaluator(ten, [printer])
    for evaluator, value, samples in ((a, 0.1, 2), (b, 0.2, 3), (a, 0.3, 4), (b, 0.3, 4), (a, 0.4, 4)):
        evaluator.test_minibatch(minibatch(x, value, samples))
    b.summarize_test_progress()
    assert capsys.readouterr().out.splitlines() == [
        ' Evaluation Minibatch[   1-   2]: metric = 120.00% * 5;',
        ' Evaluation Minibatch[   3-   4]: metric = 150.00% * 8;',
        'Finished Evaluation [1]: Minibatch[1-5]: metric = 105.88% * 17;',
    ]


def test_one_evaluator_tells_its_means(capsys):
    x, one, _, _, _, _ = criteria()
    evaluator = C.Evaluator(one, [ProgressPrinter(test_freq=1, metric_is_pct=False)])
    for _ in range(2):
        evaluator.test_minibatch(minibatch(x, 0.1, 2)), evaluator.test_minibatch(minibatch(x, 0.3, 4))
        evaluator.summarize_test_progress()
    first, second = capsys.readouterr().out.splitlines()[:3], capsys.readouterr()
    assert (
        first
        == [
            ' Evaluation Minibatch[   1-   1]: metric = 0.100000 * 2;',
            ' Evaluation Minibatch[   2-   2]: metric = 0.300000 * 4;',
            'Finished Evaluation [1]: Minibatch[1-2]: metric = 0.233333 * 6;',
        ]
        and not second.out
    )


def test_the_first_updates_of_a_loop_of_ones_own(capsys):
    """The first number is one too high while single minibatches are told, in CNTK."""
    printer = ProgressPrinter(freq=2, first=3)
    for _ in range(2):  # and again after each epoch
        for i in range(6):
            printer.update(10.0 + i, 5, 2.0 + i)
        told = capsys.readouterr().out.splitlines()
        spans = [line.split(':')[0] for line in told]
        assert spans == [
            f' Minibatch[{first:4}-{last:4}]' for first, last in [(2, 1), (3, 2), (4, 3), (4, 4), (5, 6)]
        ]
        printer.epoch_summary(with_metric=True)
        capsys.readouterr()


def test_several_trainers(capsys):
    x, one, ten, loss, more, w = criteria()
    printer = ProgressPrinter(freq=1)
    a, b = (
        C.Trainer(loss, (loss, one), [C.sgd([w], 0.0)], [printer]),
        C.Trainer(more, (more, ten), [C.sgd([w], 0.0)], [printer]),
    )
    (
        a.train_minibatch(minibatch(x, 0.1, 2)),
        b.train_minibatch(minibatch(x, 0.2, 3)),
        a.train_minibatch(minibatch(x, 0.3, 4)),
    )
    a.summarize_training_progress()
    assert lines(capsys.readouterr().out) == [
        ' Minibatch[   1-   1]: loss = 0.100000 * 2, metric = 10.00% * 2;',
        ' Minibatch[   2-   2]: loss = 1.933333 * 3, metric = 193.33% * 3;',
        ' Minibatch[   3-   3]: loss = -1.150000 * 4, metric = -115.00% * 4;',
        'Finished Epoch[1]: loss = 0.155556 * 9, metric = 15.56% * 9',
    ]


def test_a_trainer_and_an_evaluator(capsys):
    x, one, ten, loss, _, w = criteria()
    printer = ProgressPrinter(freq=1, test_freq=1)
    trainer, evaluator = (
        C.Trainer(loss, (loss, one), [C.sgd([w], 0.0)], [printer]),
        C.Evaluator(ten, [printer]),
    )
    (
        trainer.train_minibatch(minibatch(x, 0.1, 2)),
        evaluator.test_minibatch(minibatch(x, 0.2, 3)),
        trainer.test_minibatch(minibatch(x, 0.3, 4)),
    )
    trainer.summarize_test_progress()
    assert lines(capsys.readouterr().out)[1:] == [
        ' Evaluation Minibatch[   1-   1]: metric = 200.00% * 3;',
        ' Evaluation Minibatch[   2-   2]: metric = -120.00% * 4;',
        'Finished Evaluation [1]: Minibatch[1-2]: metric = 17.14% * 7;',
    ]


def overriding(base, told):
    class Mine(base):
        def on_write_training_update(self, samples, updates, aggregate_loss, aggregate_metric):
            told.append(('training', samples, updates, aggregate_loss, aggregate_metric))
            super().on_write_training_update(samples, updates, aggregate_loss, aggregate_metric)

        def on_training_update_end(self):
            told.append('end')
            super().on_training_update_end()

        def on_write_test_update(self, samples, updates, aggregate_metric):
            told.append(('test', samples, updates, aggregate_metric))
            super().on_write_test_update(samples, updates, aggregate_metric)

        def on_write_training_summary(
            self, samples, updates, summaries, aggregate_loss, aggregate_metric, elapsed_milliseconds
        ):
            told.append(('epoch', samples, updates, summaries, aggregate_loss, aggregate_metric))
            super().on_write_training_summary(
                samples, updates, summaries, aggregate_loss, aggregate_metric, 1000
            )

        def on_write_test_summary(self, samples, updates, summaries, aggregate_metric, elapsed_milliseconds):
            told.append(('tested', samples, updates, summaries, aggregate_metric))
            super().on_write_test_summary(samples, updates, summaries, aggregate_metric, 1000)

        def write(self, key, value):
            told.append((key, value))
            super().write(key, value)

    return Mine


def run(writer):
    x, one, _, loss, _, w = criteria()
    trainer = C.Trainer(
        loss, (loss, one), [C.sgd([w], C.learning_rate_schedule(0.0, C.UnitType.minibatch))], [writer]
    )
    for _ in range(3):
        trainer.train_minibatch(minibatch(x, 0.5, 2))
    trainer.test_minibatch(minibatch(x, 0.25, 4))
    trainer.summarize_training_progress()
    trainer.summarize_test_progress()


TOLD = [
    ('Learning rate per minibatch', 0.0),
    'end',
    ('training', (0, 4), (0, 2), (0.0, 2.0), (0.0, 2.0)),
    'end',
    'end',
    ('test', (0, 4), (0, 1), (0.0, 1.0)),
    ('epoch', 6, 3, 1, 3.0, 3.0),
    ('tested', 4, 1, 1, 1.0),
]


def test_methods_of_the_printer_that_are_overridden(capsys):
    told = []
    run(overriding(ProgressPrinter, told)(freq=2, test_freq=1))
    assert told == TOLD
    assert capsys.readouterr().out.splitlines() == [
        'Learning rate per minibatch: 0.0',
        ' Minibatch[   1-   2]: loss = 0.500000 * 4, metric = 50.00% * 4;',
        ' Evaluation Minibatch[   1-   1]: metric = 25.00% * 4;',
        'Finished Epoch[1]: loss = 0.500000 * 6, metric = 50.00% * 6 1.000s (  6.0 samples/s);',
        'Finished Evaluation [1]: Minibatch[1-1]: metric = 25.00% * 4;',
    ]


def test_methods_of_other_writers_that_are_overridden(capfd):
    told = []
    run(overriding(C.cntk_py.ProgressWriter, told)(2, 0, 1, 0))
    assert told == TOLD
    epochs = []
    told = []
    run(overriding(C.logging.TrainingSummaryProgressCallback, told)(6, lambda *what: epochs.append(what)))
    assert ('epoch', 6, 3, 1, 3.0, 3.0) in told and epochs == [(0, 3.0, 3.0, 6)]
    told = []
    run(overriding(ProgressBar, told)())
    assert ('epoch', 6, 3, 1, 3.0, 3.0) in told


def test_an_override_with_other_names_and_one_that_raises():
    told = []

    class Any(ProgressPrinter):
        def on_write_training_update(self, *what):
            told.append(what[:2])

    x, one, _, loss, _, w = criteria()
    C.Trainer(loss, (loss, one), [C.sgd([w], 0.0)], [Any(freq=1)]).train_minibatch(minibatch(x, 0.5, 2))
    assert told == [((0, 2), (0, 1))]

    class Raises(ProgressPrinter):
        def on_write_training_update(self, samples, updates, aggregate_loss, aggregate_metric):
            raise KeyError('mine')

    with pytest.raises((KeyError, RuntimeError), match='mine'):
        C.Trainer(loss, (loss, one), [C.sgd([w], 0.0)], [Raises(freq=1)]).train_minibatch(
            minibatch(x, 0.5, 2)
        )


def test_an_override_in_function_train():
    told = []
    _x, _, _, loss, _, w = criteria()
    loss.train(
        (np.full((8, 1), 0.5, np.float32),),
        parameter_learners=[C.sgd([w], 0.1)],
        callbacks=[overriding(ProgressPrinter, told)(freq=2)],
        minibatch_size=2,
    )
    assert (
        [t[1:3] for t in told if t[0] == 'training'] == [((0, 4), (0, 2)), ((4, 8), (2, 4))]
        and told.count('end') == 4
        and told[-1][:3] == ('epoch', 8, 4)
    )


def test_a_printer_tells_what_it_was_made_with(tmp_path):
    printer = C.logging.ProgressPrinter(freq=10, first=3, tag='T', num_epochs=5, metric_is_pct=False)
    assert (printer.freq, printer.first, printer.tag, printer.num_epochs) == (10, 3, '[T] ', 5)
    assert printer.metric_multiplier == 1 and not printer.gen_heartbeat and printer.log_to_file is None
    assert C.logging.ProgressPrinter(log_to_file=tmp_path / 'log').log_to_file == str(tmp_path / 'log')
    plain = C.logging.ProgressPrinter()
    assert (plain.freq, plain.tag, plain.metric_multiplier) == (2**63 - 1, '', 100)
    with pytest.raises(AttributeError, match="'ProgressPrinter' object has no attribute 'frequency'"):
        plain.frequency

    class Mine(C.logging.ProgressPrinter):
        def __init__(self):
            super().__init__(freq=2)
            self.tag = 'mine'

    assert (Mine().tag, Mine().freq) == ('mine', 2)
    assert {'freq', 'loss_since_start', 'logfilename', 'update'} <= set(dir(plain))


def test_the_file_of_a_log(tmp_path):
    path = str(tmp_path / 'log')
    assert C.logging.ProgressPrinter().logfilename is None
    assert C.logging.ProgressPrinter(rank=2).logfilename is None
    assert C.logging.ProgressPrinter(log_to_file=path).logfilename == path
    assert C.logging.ProgressPrinter(log_to_file=path, rank=2).logfilename == path + 'rank2'
    assert sorted(file.name for file in tmp_path.iterdir()) == ['log', 'logrank2']


def test_the_number_of_parameters(capsys):
    # The lines of CNTK 2.7.
    C.logging.log_number_of_parameters(C.layers.Dense(3)(C.input_variable(2)))
    C.logging.log_number_of_parameters(C.layers.Dense(3), trace_level=1)
    assert capsys.readouterr().out == (
        'Training 9 parameters in 2 parameter tensors.\n'
        'Training so far unspecified number of parameters in 2 parameter tensors.\n'
        '\n\t(-1, 3)\n\t(3,)\n'
    )


def test_records_complete_their_entries():
    assert {'dim', 'stream_alias'} <= set(dir(C.io.StreamDef('a', 2)))


def test_the_rate_of_a_universal_learner(capsys):
    """No update reads it; CNTK tells of it all the same."""
    x, w = C.input_variable(1), C.parameter(1, init=1)
    loss = C.reduce_sum(x * w)

    def step(parameters, gradients):
        return C.combine([C.assign(p, p - 0.1 * g) for p, g in zip(parameters, gradients)])

    learner = C.universal(step, [w])
    trainer = C.Trainer(loss, (loss, None), [learner], [ProgressPrinter(1)])
    trainer.train_minibatch(minibatch(x, 1, 2))
    trainer.train_minibatch(minibatch(x, 1, 2))
    learner.reset_learning_rate(C.learning_parameter_schedule(0.05))
    trainer.train_minibatch(minibatch(x, 1, 2))
    rates = [line for line in capsys.readouterr().out.splitlines() if line.startswith('Learning rate')]
    assert rates == ['Learning rate per minibatch: 1.0', 'Learning rate per minibatch: 0.05']
