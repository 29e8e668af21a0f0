"""What the threads of the embedding program run of Python: functions, a learner and sources of a user's own,
each with a known answer."""

import gc
import threading

import numpy as np

import cantik as C
from cantik.io import MinibatchData, StreamInformation, UserMinibatchSource

W = np.array([[2], [-1], [0.5]], np.float32)


class Cube(C.UserFunction):
    """x^3, with a state for its gradient."""

    def __init__(self, x, name='cube'):
        super().__init__([x], name=name)

    def infer_outputs(self):
        x = self.inputs[0]
        return [C.output_variable(x.shape, x.dtype, x.dynamic_axes)]

    def forward(self, x, device=None, outputs_to_retain=None):
        return {'of': x}, x * x * x

    def backward(self, state, dy):
        return 3 * state['of'] ** 2 * dy

    @staticmethod
    def deserialize(inputs, name, state):
        return Cube(inputs[0], name)


class Picky(Cube):
    """The same, of what is not negative."""

    def forward(self, x, device=None, outputs_to_retain=None):
        if (x < 0).any():
            raise ValueError('a negative number')
        return super().forward(x, device, outputs_to_retain)

    @staticmethod
    def deserialize(inputs, name, state):
        return Picky(inputs[0], name)


class Sums(C.UserFunction):
    """Running sums along each sequence; inside, another network is evaluated."""

    def __init__(self, x, name='sums'):
        super().__init__([x], name=name)
        inner = C.input_variable(2)
        self._twice = inner + inner

    def infer_outputs(self):
        x = self.inputs[0]
        return [C.output_variable(x.shape, x.dtype, x.dynamic_axes)]

    def forward(self, x, device=None, outputs_to_retain=None):
        return None, [self._twice.eval(s.cumsum(axis=0)) for s in x]

    def backward(self, state, dy):
        return [2 * d[::-1].cumsum(axis=0)[::-1] for d in dy]

    @staticmethod
    def deserialize(inputs, name, state):
        return Sums(inputs[0], name)


@C.op
def cubed(x):
    return x * x * x


def write_models(folder):
    """The models that C++ loads."""
    x = C.input_variable(3, needs_gradient=True, name='x')
    C.user_function(Cube(C.times(x, C.parameter(init=W, name='W')))).save(folder + '/cube.model')
    C.user_function(Picky(x)).save(folder + '/picky.model')
    s = C.sequence.input_variable(2, needs_gradient=True, name='s')
    C.user_function(Sums(s)).save(folder + '/sums.model')
    h = C.placeholder()  # called once a step of a recurrence
    loop = cubed(h) * 0.5 + s
    loop.replace_placeholder(C.sequence.past_value(loop)).save(folder + '/loop.model')


class Sgd(C.learners.UserLearner):
    def update(self, gradient_values, training_sample_count, sweep_end):
        for p, g in gradient_values.items():
            w = np.asarray(p.data)
            w -= np.float32(self.learning_rate() / training_sample_count) * g
        return True


def train_with_learner(seed):
    """A learner in Python and the built-in one: the same weights, to the last bit but one."""
    random = np.random.RandomState(int(seed))
    X, start = random.randn(20, 3).astype(np.float32), random.randn(3, 2).astype(np.float32)
    weights = []
    for learner in (Sgd, C.sgd):
        x, w = C.input_variable(3), C.parameter(init=start)
        trainer = C.Trainer(
            None,
            C.reduce_sum(C.square(C.tanh(C.times(x, w)))),
            [learner([w], C.learning_parameter_schedule(0.1))],
        )
        for first in range(0, 20, 5):
            trainer.train_minibatch({x: X[first : first + 5]})
        weights.append(w.value)
    np.testing.assert_allclose(weights[0], weights[1], rtol=1e-6)


class Rows(UserMinibatchSource):
    """Rows of an array, sweep after sweep."""

    read_ahead = True

    def __init__(self, data):
        self.data, self.at = data, 0
        self.x = StreamInformation('x', 0, 'dense', np.float32, (3,))
        super().__init__()

    def stream_infos(self):
        return [self.x]

    def is_infinite(self):
        return True

    def next_minibatch(self, num_samples, number_of_workers=1, worker_rank=0, device=None):
        part = np.take(self.data, range(self.at, self.at + num_samples), axis=0, mode='wrap')
        self.at += num_samples
        return {self.x: MinibatchData(C.Value(part), num_samples, num_samples, False)}

    def get_checkpoint_state(self):
        return {'at': self.at}

    def restore_from_checkpoint(self, state):
        self.at = state['at']


def train_from_source(seed):
    """A source that is read ahead on a thread of Python's, and the same rows by hand."""
    random = np.random.RandomState(int(seed))
    X, start = random.randn(64, 3).astype(np.float32), random.randn(3, 2).astype(np.float32)

    def trainer():
        x, w = C.input_variable(3), C.parameter(init=start)
        return (
            x,
            w,
            C.Trainer(
                None,
                C.reduce_sum(C.user_function(Cube(C.times(x, w)))),
                [C.sgd([w], C.learning_parameter_schedule(0.001))],
            ),
        )

    x, w, by_hand = trainer()
    for first in range(0, 64, 8):
        by_hand.train_minibatch({x: X[first : first + 8]})
    y, v, session = trainer()
    source = Rows(X)
    C.training_session(session, source, 8, {y: source.x}, max_samples=64).train()
    np.testing.assert_array_equal(v.value, w.value)
    assert source.at == 64


def many_threads(seed):
    """Threads that Python starts, with one network between them."""
    x = C.input_variable(3)
    f = C.user_function(Cube(x)) + 1
    wrong = []

    def work(k):
        X = np.full((k + 1, 3), k, np.float32)
        wrong.extend(k for _ in range(5) if not (f.eval({x: X}) == X**3 + 1).all())

    threads = [threading.Thread(target=work, args=(k,)) for k in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong, wrong


def collect(_):
    """Cycles of networks and functions, for the collector."""
    for _ in range(5):
        cycle = [C.user_function(Cube(C.input_variable(3)))]
        cycle.append(cycle)
        cycle[0].owner = cycle
    del cycle
    gc.collect()
