"""Signals end long calls: what was under way does not come to its end, and models stay whole."""

import os
import signal
import threading
from contextlib import contextmanager

import numpy as np
import pytest

import cantik as C

SOON = 0.3  # seconds


@contextmanager
def ctrl_c():
    """In a moment somebody presses Ctrl-C."""
    assert threading.current_thread() is threading.main_thread()
    timer = threading.Timer(SOON, lambda: os.kill(os.getpid(), signal.SIGINT))
    handler = signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # what a shell runs in the background ignores Ctrl-C
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            yield
            timer.join()  # the call has come to its end first
    finally:
        timer.join()
        signal.signal(signal.SIGINT, handler)


class Reached(C.ops.functions.UserFunction):
    """Passes its operand on, and remembers that a run has come so far."""

    def __init__(self, operand, name='reached'):
        super().__init__([operand], as_numpy=False, name=name)
        self.times = 0

    def infer_outputs(self):
        return [C.output_variable(self.inputs[0].shape, self.inputs[0].dtype, self.inputs[0].dynamic_axes)]

    def forward(self, argument, device=None, outputs_to_retain=None):
        self.times += 1
        return None, argument

    def backward(self, state, root_gradients):
        return root_gradients


def deep(x):
    for _ in range(4):
        x = C.layers.Dense(2048, activation=C.relu)(x)
    return x


def test_long_runs():
    x = C.input_variable(1024)
    last = Reached(deep(x))
    f = C.user_function(last)
    data = np.ones((20000, 1024), np.float32)
    with ctrl_c():
        f.eval({x: data})
    assert last.times == 0
    with ctrl_c():
        f.forward({x: data})
    assert last.times == 0
    assert f.eval({x: data[:3]}).shape == (3, 2048) and last.times == 1  # and all goes on


def test_recurrences():
    x = C.sequence.input_variable(64)
    last = Reached(C.sequence.last(C.layers.Recurrence(C.layers.LSTM(512))(x)))
    f = C.user_function(last)
    with ctrl_c():
        f.eval({x: [np.ones((4000, 64), np.float32)] * 8})
    assert last.times == 0


def test_parameters_alone():
    p, q = C.parameter((6000, 3000), init=0.5), C.parameter((3000, 6000), init=0.5)
    last = Reached(
        C.reduce_sum(C.times(p, q)) * C.reduce_sum(C.times(C.alias(p), q + 1)) * C.input_variable(1)
    )
    f = C.user_function(last)
    with ctrl_c():
        f.eval({f.arguments[0]: np.ones((1, 1))})
    assert last.times == 0


def network(seed=3):
    C.cntk_py.set_fixed_random_seed(seed)
    x, y = C.input_variable(20), C.input_variable(5)
    z = C.layers.Sequential(
        [C.layers.Dense(30, activation=C.relu), C.layers.BatchNormalization(), C.layers.Dense(5)]
    )(x)
    return x, y, z, C.cross_entropy_with_softmax(z, y)


X = np.random.RandomState(1).randn(2000, 20).astype(np.float32)
Y = np.eye(5, dtype=np.float32)[np.arange(2000) % 5]
EPOCHS = 20000  # far more than there is time for


def values(z):
    return [v.value for v in z.parameters + z.constants]


def trained(minibatches):
    """The same training, ended after so many minibatches."""
    x, y, z, loss = network()
    trainer = C.Trainer(z, (loss,), [C.momentum_sgd(z.parameters, 0.05, 0.9)])
    for i in range(minibatches):
        at = i % 20 * 100
        trainer.train_minibatch({x: X[at : at + 100], y: Y[at : at + 100]})
    return values(z)


def test_training_over_arrays():
    _x, _y, z, loss = network()
    learner = C.momentum_sgd(z.parameters, 0.05, 0.9)
    with ctrl_c():
        loss.train((X, Y), parameter_learners=[learner], minibatch_size=100, max_epochs=EPOCHS)
    seen = learner.total_number_of_samples_seen()
    assert 0 < seen < 2000 * EPOCHS and seen % 100 == 0
    for got, expected in zip(values(z), trained(seen // 100)):
        np.testing.assert_array_equal(got, expected)


def test_sessions_over_text(tmp_path):
    path = str(tmp_path / 'train.ctf')
    with open(path, 'w') as file:
        for a, b in zip(X, Y):
            file.write('|x {} |y {}\n'.format(' '.join(map(str, a)), ' '.join(map(str, b))))
    x, y, z, loss = network()
    source = C.io.MinibatchSource(
        C.io.CTFDeserializer(path, C.io.StreamDefs(x=C.io.StreamDef('x', 20), y=C.io.StreamDef('y', 5))),
        randomize=False,
    )
    trainer = C.Trainer(z, (loss,), [C.momentum_sgd(z.parameters, 0.05, 0.9)])
    session = C.training_session(
        trainer,
        source,
        mb_size=100,
        model_inputs_to_streams={x: source.streams.x, y: source.streams.y},
        max_samples=2000 * EPOCHS,
    )
    with ctrl_c():
        session.train()
    seen = trainer.total_number_of_samples_seen
    assert 0 < seen < 2000 * EPOCHS
    for got, expected in zip(values(z), trained(seen // 100)):
        np.testing.assert_array_equal(got, expected)
    trainer.train_minibatch({x: X[:10], y: Y[:10]})
    assert trainer.total_number_of_samples_seen == seen + 10


def test_one_large_minibatch():
    x, y = C.input_variable(1024), C.input_variable(2048)
    z = deep(x)
    trainer = C.Trainer(z, (C.squared_error(z, y),), [C.adam(z.parameters, 0.001, 0.9)])
    small = {x: np.ones((2, 1024), np.float32), y: np.ones((2, 2048), np.float32)}
    trainer.train_minibatch(small)
    before = [p.value for p in z.parameters]
    with ctrl_c():
        trainer.train_minibatch(
            {x: np.ones((15000, 1024), np.float32), y: np.ones((15000, 2048), np.float32)}
        )
    assert trainer.total_number_of_samples_seen == 2
    for p, value in zip(z.parameters, before):
        np.testing.assert_array_equal(p.value, value)


def test_what_other_handlers_do():
    x = C.input_variable(1024)
    last = Reached(deep(x))
    f = C.user_function(last)
    data = np.ones((4000, 1024), np.float32)
    calls = []

    def handler(number, frame):
        calls.append(number)
        if len(calls) == 3:
            signal.setitimer(signal.ITIMER_REAL, 0)
            raise LookupError('enough')

    kept = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
        with pytest.raises(LookupError, match='enough'):
            for _ in range(100):
                f.eval({x: data})
        assert len(calls) == 3  # from now on the handler returns
        signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
        result = f.eval({x: data[:200]})
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, kept)
    np.testing.assert_array_equal(result, f.eval({x: data[:200]}))


def test_other_threads_go_on():
    x = C.input_variable(1024)
    f = deep(x)
    data = np.ones((3000, 1024), np.float32)
    expected = f.eval({x: data})
    results, ended = [], threading.Event()

    def work():
        results.append(f.eval({x: data}))
        ended.set()

    other = threading.Thread(target=work)
    last = Reached(deep(x))
    with ctrl_c():
        other.start()
        C.user_function(last).eval({x: np.ones((20000, 1024), np.float32)})
    assert last.times == 0
    other.join()
    np.testing.assert_array_equal(results[0], expected)
