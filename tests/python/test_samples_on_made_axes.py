"""Losses on sequence axes that no input has count their own steps. The figures are CNTK 2.7's."""

import numpy as np
import pytest

import cantik as C

EYE = np.eye(3, dtype=np.float32)
DATA = [EYE[[0, 1, 2]], EYE[[2, 1, 0]]]
LOSS = 1.0986123


def network(make):
    labels = C.sequence.input_variable(3, name='labels')
    z, y = make(labels)
    return labels, z, C.cross_entropy_with_softmax(z, y), C.classification_error(z, y)


def dense(x):
    return C.layers.Dense(3, init=0)(x)


def sliced(labels):
    return C.sequence.slice(labels, 1, 0)


def shifted(labels):
    y = sliced(labels)
    return dense(C.sequence.past_value(y)), y


def gathered(labels):
    y = C.sequence.gather(labels, C.greater(C.reduce_sum(labels * C.constant([0.0, 1, 1])), 0.5))
    return dense(y), y


# loss, metric, samples; loss of the second step
MADE = {
    'past_value': (shifted, LOSS, 0.75, 4, 1.0903138),
    'slice': (lambda x: (lambda y: (dense(y), y))(sliced(x)), LOSS, 0.75, 4, 1.0697954),
    'gather': (gathered, LOSS, 1.0, 4, 1.0494455),
    'last': (lambda x: (lambda y: (dense(y), y))(C.sequence.last(x)), LOSS, 0.5, 2, 1.0494455),
}


@pytest.mark.parametrize('what', MADE)
def test_training(what):
    make, loss_now, metric_now, samples, loss_then = MADE[what]
    labels, z, loss, metric = network(make)
    trainer = C.Trainer(
        z, (loss, metric), [C.sgd(z.parameters, C.learning_rate_schedule(0.1, C.UnitType.minibatch))]
    )
    trainer.train_minibatch({labels: DATA})
    assert trainer.previous_minibatch_loss_average == pytest.approx(loss_now, abs=1e-6)
    assert trainer.previous_minibatch_evaluation_average == metric_now
    assert trainer.previous_minibatch_sample_count == samples
    trainer.train_minibatch({labels: DATA})
    assert trainer.previous_minibatch_loss_average == pytest.approx(loss_then, abs=1e-6)
    assert trainer.total_number_of_samples_seen == 2 * samples


def test_losses_that_are_reduced():
    labels, z, loss, _ = network(shifted)
    for reduced, want, samples in (
        (C.sequence.reduce_sum(loss), 2 * LOSS, 2),
        (C.reduce_sum(loss, axis=C.Axis.all_axes()), LOSS, 4),
    ):
        trainer = C.Trainer(z, (reduced,), [C.sgd(z.parameters, 0.0)])
        trainer.train_minibatch({labels: DATA})
        assert trainer.previous_minibatch_loss_average == pytest.approx(want, abs=1e-6)
        assert trainer.previous_minibatch_sample_count == samples


def test_evaluation(capsys):
    labels, z, loss, metric = network(shifted)
    evaluator = C.Evaluator(loss, [C.logging.ProgressPrinter()])
    assert evaluator.test_minibatch({labels: DATA}) == pytest.approx(LOSS, abs=1e-6)
    evaluator.summarize_test_progress()
    assert capsys.readouterr().out == 'Finished Evaluation [1]: Minibatch[1-1]: metric = 109.86% * 4;\n'
    trainer = C.Trainer(z, (loss, C.sequence.reduce_sum(metric)), [C.sgd(z.parameters, 0.0)])
    assert trainer.test_minibatch({labels: DATA}) == pytest.approx(1.5)


def test_in_training_loops(tmp_path):
    path = tmp_path / 'labels.ctf'
    path.write_text(
        ''.join(
            '{}\t|labels {}\n'.format(i, ' '.join(f'{v:.0f}' for v in row))
            for i, data in enumerate(DATA * 3)
            for row in data
        )
    )
    labels, z, loss, metric = network(shifted)
    stream = C.io.StreamDef(field='labels', shape=3)
    source = C.io.MinibatchSource(
        C.io.CTFDeserializer(str(path), C.io.StreamDefs(labels=stream)), randomize=False, max_sweeps=1
    )
    progress = C.combine([loss, metric]).train(
        source,
        parameter_learners=[C.sgd(z.parameters, 0.1)],
        minibatch_size=6,
        model_inputs_to_streams={labels: source.streams.labels},
    )
    assert progress.epoch_summaries[0].samples == 12


def test_minibatches_that_make_nothing():
    """Sequences of one step: the slice has none. Parameters stay as they are, with learners of all kinds."""
    labels, z, loss, _ = network(shifted)
    short = [EYE[[0]], EYE[[2]]]
    W, b = z.parameters
    own = C.universal(
        lambda parameters, gradients: C.combine(
            [C.assign(p, p - g + 1) for p, g in zip(parameters, gradients)]
        ),
        z.parameters,
    )
    for learner in (C.sgd(z.parameters, 0.1), C.adam(z.parameters, 0.1, 0.9), own):
        trainer = C.Trainer(z, (loss,), [learner])
        before = [p.value for p in z.parameters]
        assert trainer.train_minibatch({labels: short}) is False
        assert all(np.array_equal(p.value, v) for p, v in zip(z.parameters, before))
    assert trainer.train_minibatch({labels: DATA}) is True
    assert not np.array_equal(W.value, before[0]) or not np.array_equal(b.value, before[1])


def test_several_axes_of_one_input():
    """What is counted is the axis of the loss, not that of the labels."""
    labels = C.sequence.input_variable(3)
    first, second = C.sequence.slice(labels, 0, 1), C.sequence.slice(labels, 0, 2)
    for y, samples in ((first, 2), (second, 4)):
        z = dense(y)
        trainer = C.Trainer(z, (C.cross_entropy_with_softmax(z, y),), [C.sgd(z.parameters, 0.0)])
        trainer.train_minibatch({labels: DATA})
        assert trainer.previous_minibatch_sample_count == samples
