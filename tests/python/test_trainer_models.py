"""Trainers whose model has more than the loss: outputs to ask for, inputs that a step does without, metrics
of parameters alone. Figures are CNTK 2.7's."""

import copy

import cntk as C
import numpy as np
import pytest

DATA = np.arange(6, dtype='f').reshape(3, 2)


class Net:
    """A product and its loss; a sum of the product with an input of its own."""

    def __init__(self):
        self.x, self.t, self.u = (C.input_variable(2, name=n) for n in 'xtu')
        self.w, self.p = C.parameter(init=np.ones((2, 2), 'f')), C.parameter((2,), init=0)
        self.y = C.times(self.x, self.w)
        self.loss, self.more = C.squared_error(self.y, self.t), self.y + self.u

    def trainer(self, model, metric=None):
        criterion = self.loss if metric is None else (self.loss, metric)
        return C.Trainer(model, criterion, [C.sgd([self.w], C.learning_parameter_schedule(0.01))])

    def feed(self, *names):
        return {getattr(self, n): DATA for n in names}


def test_outputs_of_the_model_that_the_loss_does_not_need():
    n = Net()
    moved = C.assign(n.p, n.p + 1)
    trainer = n.trainer(C.combine([n.y, moved]))
    updated, found = trainer.train_minibatch(n.feed('x', 't'), outputs=[moved.output])
    np.testing.assert_array_equal(found[moved.output], [1, 1])
    assert updated
    trainer.train_minibatch(n.feed('x', 't'))
    np.testing.assert_array_equal(n.p.value, [1, 1], 'what is not asked for does not happen')
    inner = C.reduce_sum(n.y * 2)
    trainer = n.trainer(inner + 1)
    found = trainer.train_minibatch(n.feed('x', 't'), outputs=[inner.output])[1]
    assert np.asarray(found[inner.output]).shape == (3,)


@pytest.mark.parametrize('model', [True, False])
def test_outputs_of_neither_are_refused(model):
    n = Net()
    doubled = n.y * 2
    with pytest.raises(ValueError, match='not part of the function'):
        n.trainer(n.y if model else None).train_minibatch(n.feed('x', 't'), outputs=[doubled.output])


def test_inputs_of_the_model_that_the_loss_does_not_read():
    n = Net()
    trainer = n.trainer(n.more, n.loss)
    assert trainer.train_minibatch(n.feed('x', 't')) and trainer.train_minibatch(n.feed('x', 't', 'u'))
    assert trainer.train_minibatch({'x': DATA, 't': DATA, 'u': DATA})
    assert trainer.test_minibatch(n.feed('x', 't')) == trainer.test_minibatch(n.feed('x', 't', 'u'))
    found = trainer.train_minibatch(n.feed('x', 't', 'u'), outputs=[n.more.output])[1]
    assert np.asarray(found[n.more.output]).shape == (3, 2)
    with pytest.raises(ValueError):
        trainer.train_minibatch(n.feed('x', 't'), outputs=[n.more.output])
    with pytest.raises(ValueError):
        trainer.train_minibatch(n.feed('x'))


def test_a_session_that_reads_them(tmp_path):
    n = Net()
    path = tmp_path / 'two.ctf'
    path.write_text('|x 1 2 |t 3 4 |u 5 6\n|x 1 2 |t 3 5 |u 5 6\n')
    streams = C.io.StreamDefs(**{s: C.io.StreamDef(s, 2) for s in 'xtu'})
    source = C.io.MinibatchSource(C.io.CTFDeserializer(str(path), streams), randomize=False, max_sweeps=2)
    trainer = n.trainer(n.more)
    C.training_session(
        trainer=trainer,
        mb_source=source,
        mb_size=1,
        model_inputs_to_streams={getattr(n, s): source.streams[s] for s in 'xtu'},
    ).train()
    assert trainer.total_number_of_samples_seen == 4


def test_metrics_without_samples():
    n = Net()
    trainer = n.trainer(n.y, C.reduce_mean(n.w))
    trainer.train_minibatch(n.feed('x', 't'))
    trainer.train_minibatch({n.x: DATA[:2], n.t: DATA[:2]})
    assert trainer.previous_minibatch_evaluation_average == pytest.approx(0.41083332896232605)
    assert trainer.test_minibatch({n.x: DATA[:2], n.t: DATA[:2]}) == pytest.approx(0.7806000113487244)
    trainer = n.trainer(n.y, C.constant(1))
    trainer.train_minibatch(n.feed('x', 't'))
    assert trainer.previous_minibatch_evaluation_average == pytest.approx(1 / 3)
    assert trainer.test_minibatch(n.feed('x', 't')) == 1
    assert C.eval.Evaluator(C.constant(2.0)).test_minibatch({}) == 2


def test_a_copy_is_the_same_variable_or_function():
    n = Net()
    n.y.mine = n.x.mine = 5
    assert copy.copy(n.y).mine == copy.copy(n.x).mine == 5
    assert copy.copy(n.w) == n.w and copy.copy(n.x) in n.y.arguments
    assert {n.x: 1}[copy.copy(n.x)] == 1
    assert copy.copy(n.y).parameters == n.y.parameters


def test_attributes_of_the_output():
    y = Net().y
    assert y.is_initialized() and callable(y.current_value_time_stamp)
    for f in (y.as_parameter, y.as_constant):
        with pytest.raises(TypeError):
            f()


@pytest.mark.parametrize('one', [np.ones(1), np.ones((1, 1)), [1.0]])
def test_an_array_of_one_number_keeps_its_shape(one):
    assert C.Parameter((2, 3), init=one).shape == C.constant(one, (2, 3)).shape == np.shape(one)
    assert C.constant(1, (2, 3)).shape == (2, 3)


def test_classes_of_the_binding():
    raw, w, c = C.cntk_py, Net().w, C.constant(1)
    kinds = [(t, isinstance(v, t)) for v in (w, c) for t in (raw.Parameter, raw.Constant, raw.Variable)]
    assert [k for _, k in kinds] == [True, False, True, False, True, True]
    assert raw.Constant((2,), raw.DataType_Float, 3).value.tolist() == [3, 3]
    assert issubclass(C.train.distributed.Communicator, raw.DistributedCommunicator)
    assert issubclass(C.TestConfig, raw.TestConfig) and issubclass(
        C.train.TrainingSession, raw.TrainingSession
    )
    assert issubclass(C.io.UserDeserializer, raw.SwigDataDeserializer)
    assert raw.default_unit_gain_value() is C.default_unit_gain_value()
