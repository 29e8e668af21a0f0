"""Losses written by hand on one network: focal, hinge, Huber, quantiles, smoothed labels, dice, ordinal,
centres, triplets; similarities of all pairs of a batch."""

import numpy as np
import cntk as C

C.cntk_py.set_fixed_random_seed(24)
rng = np.random.RandomState(1)
X = rng.randn(30, 6).astype('f')
k = (X[:, 0] + 0.5 * X[:, 1] > 0).astype(int) + (X[:, 2] > 0.5)
Y = np.eye(3, dtype='f')[k]
x, y = (C.input_variable(6, name='x'), C.input_variable(3, name='y'))
body = C.layers.Dense(8, C.tanh, init=C.glorot_uniform(seed=1))
head = C.layers.Dense(3, init=C.glorot_uniform(seed=2))
h = body(x)
z = head(h)
p = C.softmax(z)


def focal():
    return -C.reduce_sum(y * C.square(1 - p) * C.log(p + 1e-08))


def smooth(e=0.1):
    return C.cross_entropy_with_softmax(z, y * (1 - e) + e / 3.0)


def hinge():
    right = C.reduce_sum(z * y, axis=0)
    others = z - right + 1 - y
    return C.reduce_sum(C.relu(others), axis=0)


def huber(d=0.5):
    e = C.abs(y - z)
    return C.reduce_mean(C.element_select(C.less(e, d), 0.5 * C.square(e), d * (e - 0.5 * d)))


def quantile(q=0.8):
    e = y - z
    return C.reduce_mean(C.element_max(q * e, (q - 1) * e))


def dice():
    a = 2 * C.reduce_sum(p * y) + 1
    b = C.reduce_sum(p) + C.reduce_sum(y) + 1
    return 1 - a / b


def kl():
    return C.reduce_sum(y * (C.log(C.clip(y, 1e-06, 1)) - C.log_softmax(z)), axis=0)


def bce():
    return C.reduce_sum(
        -(y * -C.softplus(-z)) + (1 - y) * C.softplus(z),
        axis=0,
    )


def ordinal():
    cuts = C.constant(np.array([-0.5, 0.5], 'f'))
    s = C.reduce_sum(z, axis=0)
    q = C.sigmoid(cuts - s)
    above = C.splice(y[0:1], y[0:1] + y[1:2], axis=0)
    return C.reduce_sum(C.binary_cross_entropy(q, above))


def centre():
    cent = C.parameter((3, 8), init=C.normal(0.1, seed=5), name='centres')
    return C.reduce_sum(C.square(h - C.times(y, cent))) * 0.5 + C.cross_entropy_with_softmax(z, y)


def mcc():
    return C.reduce_mean(C.square(C.hardmax(z) - y)) + 0 * C.reduce_sum(z) + C.log_add_exp(C.reduce_sum(z), 0)


def temp():
    return C.cross_entropy_with_softmax(z / 2.0, C.softmax(C.stop_gradient(z) / 0.5)) + C.squared_error(p, y)


start = {q: q.value for q in z.parameters}
err = C.classification_error(z, y)
for f in (focal, smooth, hinge, huber, quantile, dice, kl, bce, ordinal, centre, mcc, temp):
    for q, v in start.items():
        q.value = v
    loss = f()
    t = C.Trainer(
        z,
        (loss, err),
        C.momentum_sgd(loss.parameters, C.learning_parameter_schedule(0.1), C.momentum_schedule(0.5)),
    )
    for i in range(6):
        t.train_minibatch({x: X[i % 3 * 10 :][:10], y: Y[i % 3 * 10 :][:10]})
    print(
        f.__name__,
        loss.shape,
        len(loss.dynamic_axes),
        '%.5f %.4f %.5f'
        % (
            t.previous_minibatch_loss_average,
            t.test_minibatch({x: X, y: Y}),
            sum((np.abs(q.value).sum() for q in loss.parameters)),
        ),
    )
a, b, c = [C.input_variable(6) for _ in range(3)]
emb = lambda v: (lambda e: e / (C.sqrt(C.reduce_sum(C.square(e), axis=0)) + 1e-06))(body(v))
d1, d2 = (C.reduce_sum(C.square(emb(a) - emb(b))), C.reduce_sum(C.square(emb(a) - emb(c))))
trip = C.element_max(d1 - d2 + 0.3, 0)
acc = C.less(d1, d2)
t = C.Trainer(None, (trip, acc), C.adam(trip.parameters, 0.01, 0.9, variance_momentum=0.999))
for i in range(5):
    t.train_minibatch({a: X[:10], b: X[10:20], c: X[20:]})
    print('%.5f/%.3f' % (t.previous_minibatch_loss_average, t.previous_minibatch_evaluation_average), end=' ')
print()
E = C.unpack_batch(emb(a))
S = C.times_transpose(E, E)
print(
    S.shape,
    S.dynamic_axes,
    '%.5f' % S.eval({a: X[:4]}).sum(),
    np.round(np.diag(S.eval({a: X[:4]}).reshape(4, 4)), 4),
)
lse = C.reduce_log_sum_exp(S / 0.1, axis=1)
print(np.round(lse.eval({a: X[:4]}), 4).ravel())
sim = C.to_batch(S)
print(sim.shape, sim.dynamic_axes)
w = C.input_variable(1)
wl = C.cross_entropy_with_softmax(z, y) * w
t = C.Trainer(z, (wl, err), C.sgd(z.parameters, 0.1))
t.train_minibatch({x: X[:4], y: Y[:4], w: np.array([[1], [0], [2], [0.5]], 'f')})
print('%.6f' % t.previous_minibatch_loss_average)
cm = C.times(C.reshape(C.hardmax(z), (3, 1)), C.reshape(y, (1, 3)))
print(cm.shape, cm.eval({x: X, y: Y}).sum(0).tolist())
top2 = C.classification_error(z, y, topN=2)
print('%.4f' % top2.eval({x: X, y: Y}).mean(), C.ops.argmax(z).eval({x: X})[:6].ravel().tolist())
