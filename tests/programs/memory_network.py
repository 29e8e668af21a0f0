"""End-to-end memory: sentences encoded by bags of words, attention hops over an axis of memories, by unpack
and free dimensions; a copy mechanism."""

import numpy as np
import cntk as C


def text(values):
    return ' '.join(('%.4f' % v for v in np.ravel(values)))


C.cntk_py.set_fixed_random_seed(4)
V, D, M = (15, 6, 4)
rng = np.random.RandomState(2)
mem = C.input_variable((M, V), name='memories')
q = C.input_variable(V, name='question')
a = C.input_variable(V, name='answer')
A, B, Cc = [C.parameter((V, D), init=C.normal(0.1)) for _ in range(3)]
H = C.parameter((D, D), init=C.glorot_normal())
W = C.parameter((D, V), init=C.normal(0.1))
TA = C.parameter((M, D), init=C.normal(0.1))
u = C.times(q, B)
for hop in range(3):
    m = C.times(mem, A) + TA
    c = C.times(mem, Cc)
    p = C.softmax(C.reduce_sum(m * C.reshape(u, (1, D)), axis=1), axis=0)
    o = C.reshape(C.reduce_sum(p * c, axis=0), (D,))
    u = C.times(u, H) + o

z = C.times(u, W)
loss, err = (C.cross_entropy_with_softmax(z, a), C.classification_error(z, a))
t = C.Trainer(
    z,
    (loss, err),
    [
        C.sgd(
            z.parameters,
            C.learning_parameter_schedule_per_sample([0.05] * 3 + [0.02], 64),
            gradient_clipping_threshold_per_sample=0.5,
            gradient_clipping_with_truncation=False,
        )
    ],
)
for i in range(12):
    k = rng.randint(0, V, (8, M, 3))
    mm = np.zeros((8, M, V), 'f')
    for b in range(8):
        for j in range(M):
            mm[b, j, k[b, j]] = 1
    w = rng.randint(0, M, 8)
    Q = np.eye(V, dtype='f')[k[np.arange(8), w, 0]]
    Y = np.eye(V, dtype='f')[k[np.arange(8), w, 2]]
    t.train_minibatch({mem: mm, q: Q, a: Y})
    print('%.5f' % t.previous_minibatch_loss_average, end=' ')

print()
print(text(p.eval({mem: mm[:2], q: Q[:2]})[..., 0]), p.shape)
s = C.sequence.input_variable(V, name='s')
y = C.input_variable(V)
h = C.layers.Recurrence(C.layers.GRU(5))(C.times(s, A))
last = C.sequence.last(h)
score = C.reduce_sum(C.layers.Dense(5)(h) * C.sequence.broadcast_as(last, h))
w = C.sequence.softmax(score)
copy = C.sequence.reduce_sum(w * s)
gen = C.softmax(C.layers.Dense(V)(last))
g = C.sigmoid(C.layers.Dense(1)(last))
prob = g * copy + (1 - g) * gen
l = -C.log(C.reduce_sum(prob * y) + 1e-08)
t = C.Trainer(None, (l, None), [C.adam(l.parameters, 0.02, 0.9, use_mean_gradient=True)])
for i in range(8):
    S = [rng.randint(0, V, rng.randint(2, 7)) for _ in range(5)]
    t.train_minibatch({s: [np.eye(V, dtype='f')[e] for e in S], y: np.eye(V, dtype='f')[[e[0] for e in S]]})
    print('%.5f' % t.previous_minibatch_loss_average, end=' ')

print()
