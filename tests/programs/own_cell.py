"""An LSTM with peepholes and stabilizers written with placeholders and delays, one in each direction."""

import numpy as np

import cntk as C
from cntk import parameter, placeholder, sequence
from cntk.initializer import glorot_uniform
from cntk.ops import combine, element_times, exp, log, sigmoid, tanh, times
from cntk.ops.sequence import future_value, past_value

C.cntk_py.set_fixed_random_seed(31)


def stabilize(operand):
    f = C.constant(4.0)
    steepness = parameter(shape=(), init=0.99537863)
    beta = element_times(C.constant(1.0) / f, log(C.constant(1.0) + exp(element_times(f, steepness))))
    return element_times(beta, operand)


def linear(operand, dim):
    return times(operand, parameter((C.InferredDimension, dim), init=glorot_uniform()))


def lstm_cell(x, prev_h, prev_c, dim):
    dh, dc = stabilize(prev_h), stabilize(prev_c)

    def gate(peek):
        return sigmoid(linear(x, dim) + parameter(dim) + linear(dh, dim) + parameter(dim, init=0.1) * peek)

    kept, new = gate(dc), gate(dc)
    c = kept * dc + new * tanh(linear(x, dim) + parameter(dim) + linear(dh, dim))
    h = gate(stabilize(c)) * tanh(c)
    return h, c


def recurrence(x, dim, delay):
    dh = placeholder(shape=(dim,), dynamic_axes=x.dynamic_axes)
    dc = placeholder(shape=(dim,), dynamic_axes=x.dynamic_axes)
    h, c = lstm_cell(x, dh, dc, dim)
    h.replace_placeholders({dh: delay(h).output, dc: delay(c).output})
    return combine([h]), combine([c])


x, y = sequence.input_variable(4, name='x'), C.input_variable(2, name='y')
forward, cells = recurrence(x, 6, past_value)
backward, _ = recurrence(forward.output, 5, future_value)
z = C.layers.Dense(2)(sequence.first(backward))
loss, error = C.cross_entropy_with_softmax(z, y), C.classification_error(z, y)
print(len(z.parameters), z.arguments, forward.output.dynamic_axes)

learner = C.momentum_sgd(
    z.parameters, C.learning_rate_schedule(0.05, C.UnitType.sample), C.momentum_as_time_constant_schedule(20)
)
trainer = C.Trainer(z, (loss, error), learner)
rng = np.random.RandomState(0)
for _ in range(8):
    X = [rng.randn(rng.randint(2, 7), 4).astype(np.float32) for _ in range(10)]
    Y = np.array([[1, 0] if s[0, 0] > s[-1, 1] else [0, 1] for s in X], np.float32)
    trainer.train_minibatch({x: X, y: Y})
    print(
        '%.6f %.2f' % (trainer.previous_minibatch_loss_average, trainer.previous_minibatch_evaluation_average)
    )
for v in cells.eval({x: X[:2]}):
    print(v.round(5))
