"""Toy problems of recurrent networks: parity, adding, copying after a wait, waves that go on by themselves;
states step by step, initial states by inputs."""

import numpy as np
import cntk as C
from cntk.layers import *

C.cntk_py.set_fixed_random_seed(38)
rng = np.random.RandomState(12)
x = C.sequence.input_variable(1)
y = C.sequence.input_variable(1)
z = Dense(1)(Recurrence(RNNStep(6, activation=C.tanh))(x))
l = C.reduce_mean(C.binary_cross_entropy(C.sigmoid(z), y))
e = C.not_equal(C.greater(z, 0), y)
t = C.Trainer(
    z,
    (l, e),
    C.rmsprop(z.parameters, 0.01, 0.9, 1.1, 0.9, 5, 0.1, gradient_clipping_threshold_per_sample=0.5),
)
for i in range(8):
    s = [rng.randint(0, 2, (rng.randint(3, 8), 1)).astype('f') for _ in range(6)]
    t.train_minibatch({x: s, y: [np.cumsum(v, 0) % 2 for v in s]})
    print(
        '%.4f/%.3f/%d'
        % (
            t.previous_minibatch_loss_average,
            t.previous_minibatch_evaluation_average,
            t.previous_minibatch_sample_count,
        ),
        end=' ',
    )
print()
a = C.sequence.input_variable(2)
b = C.input_variable(1)
m = Sequential([Recurrence(GRU(7)), C.sequence.last, Dense(1)])(a)
l = C.squared_error(m, b)
t = C.Trainer(
    m,
    l,
    C.nesterov(
        m.parameters, C.learning_parameter_schedule_per_sample(0.005), C.momentum_schedule_per_sample(0.99)
    ),
)


def adding(n):
    X, T = ([], [])
    for _ in range(n):
        k = rng.randint(4, 9)
        v = np.zeros((k, 2), 'f')
        v[:, 0] = rng.rand(k)
        i, j = rng.choice(k, 2, replace=False)
        v[[i, j], 1] = 1
        X.append(v)
        T.append([v[i, 0] + v[j, 0]])
    return (X, np.array(T, 'f'))


for i in range(8):
    X, T = adding(5)
    t.train_minibatch({a: X, b: T})
    print('%.5f' % t.previous_minibatch_loss_average, end=' ')
print(np.round(m.eval({a: X[:2]}), 4).ravel())
V = 5
q = C.sequence.input_variable(V)
w = C.sequence.input_variable(V)
cell = LSTM(8, use_peepholes=True)
c = Sequential([Recurrence(cell), Dense(V)])(q)
mask = C.sequence.input_variable(1)
l = C.cross_entropy_with_softmax(c, w) * mask
e = C.classification_error(c, w) * mask
t = C.Trainer(c, (l, e), C.adagrad(c.parameters, 0.1))
for i in range(6):
    Q, W_, M = ([], [], [])
    for _ in range(4):
        k = rng.randint(1, V, 3)
        s = np.concatenate([k, [0] * 4])
        r = np.concatenate([[0] * 4, k])
        Q.append(np.eye(V, dtype='f')[s])
        W_.append(np.eye(V, dtype='f')[r])
        M.append((np.arange(7) >= 4).astype('f')[:, None])
    t.train_minibatch({q: Q, w: W_, mask: M})
    print('%.5f' % t.previous_minibatch_loss_average, end=' ')
print()
wave = np.sin(np.arange(60) / 4.0).astype('f')[:, None]
u, v = (C.sequence.input_variable(1), C.sequence.input_variable(1))
g = Sequential([Recurrence(GRU(6)), Dense(1)])(u)
l = C.squared_error(g, v)
t = C.Trainer(g, l, C.adam(g.parameters, 0.02, 0.9))
for i in range(10):
    k = rng.randint(0, 40)
    t.train_minibatch(
        {u: [wave[k : k + 15], wave[k + 2 : k + 12]], v: [wave[k + 1 : k + 16], wave[k + 3 : k + 13]]}
    )
gen = [wave[0], wave[1]]
for i in range(6):
    gen.append(g.eval({u: [np.array(gen)]})[0][-1])
print('%.5f' % t.previous_minibatch_loss_average, np.round(np.array(gen).ravel(), 4).tolist())
full = Recurrence(LSTM(3), return_full_state=True)(u)
st = C.combine(full.outputs).eval({u: [wave[:4]]})
print(sorted(((v[0].shape, '%.4f' % np.abs(v[0]).sum()) for v in st.values())))
h0, c0 = (C.input_variable(3), C.input_variable(3))
step = RecurrenceFrom(LSTM(3, init=C.uniform(0.3, seed=4)), return_full_state=True)(h0, c0, u)
H, Cc = (np.zeros((1, 3), 'f'), np.zeros((1, 3), 'f'))
whole = C.combine(step.outputs)
W1 = whole.eval({h0: H, c0: Cc, u: [wave[:6]]})
for i in range(6):
    r = whole.eval({h0: H, c0: Cc, u: [wave[i : i + 1]]})
    H, Cc = [np.asarray(r[o])[0][-1:] for o in whole.outputs]
print(np.allclose(H, np.asarray(W1[whole.outputs[0]])[0][-1:], atol=1e-06), np.round(H, 5))
echo = C.sequence.delay(u, 0, 2)
d3 = C.sequence.past_value(u, time_step=3)
f2 = C.sequence.future_value(u, initial_state=5, time_step=2)
print([np.round(k.eval({u: [wave[:4]]})[0].ravel(), 3).tolist() for k in (echo, d3, f2)])
init = C.input_variable(1)
pv = C.sequence.past_value(u, initial_state=init)
print(np.round(pv.eval({u: [wave[:3], wave[3:5]], init: np.array([[9], [8]], 'f')})[1], 3).ravel().tolist())
gr = C.sequence.reduce_sum(C.square(pv * u))
iv = C.input_variable(1, needs_gradient=True)
pv2 = C.sequence.past_value(u, initial_state=iv)
print(
    np.round(
        C.sequence.reduce_sum(C.square(pv2 * u)).grad(
            {u: [wave[:3], wave[3:5]], iv: np.array([[9], [8]], 'f')}, wrt=[iv]
        ),
        5,
    ).tolist()
)
p = C.parameter((1,), init=0.5)
pp = C.sequence.past_value(u, initial_state=p)
print(np.round(C.sequence.reduce_sum(pp).grad({u: [wave[1:3]]}, wrt=[p]), 4).tolist())
