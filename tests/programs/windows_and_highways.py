"""Texts: windows by convolution over steps, maxima over sequences, highway layers as blocks, attention
pooling; operators on sequences."""

import numpy as np
import cntk as C
from cntk.layers import *

C.cntk_py.set_fixed_random_seed(21)
V, D, K = (20, 5, 3)
rng = np.random.RandomState(8)
x = C.sequence.input_variable(V, is_sparse=True, name='x')
y = C.input_variable(K, name='y')
e = Embedding(D)(x)
c3 = Convolution((3,), 4, sequential=True, pad=True, activation=C.tanh, name='c3')(e)
c2 = Convolution((2,), 4, sequential=True, pad=True, activation=C.relu)(e)
w3 = C.layers.Dense(4, C.relu)(C.splice(C.sequence.past_value(e), e, C.sequence.future_value(e)))
print(c3.shape, c2.shape, w3.shape, [(p.name, p.shape) for p in c3.parameters])
feat = C.splice(
    C.sequence.reduce_max(c3),
    C.sequence.reduce_max(c2),
    C.sequence.reduce_sum(w3),
    C.sequence.first(e),
    C.sequence.last(e),
)


def highway(n):
    gate, change = (Dense(n, C.sigmoid, init_bias=-1), Dense(n, C.relu))

    @C.BlockFunction('Highway', 'hw')
    def f(v):
        g = gate(v)
        return g * change(v) + (1 - g) * v

    return f


hw = highway(22)
z = Sequential([hw, Dropout(dropout_rate=0.25, seed=9), highway(22), Dense(K, name='out')])(feat)
print(
    z.shape,
    len(z.parameters),
    z.out.b.shape,
    [f.op_name for f in C.logging.depth_first_search(z, lambda n: isinstance(n, C.Function) and n.is_block)][
        :6
    ],
)


def batch(n):
    s = [rng.randint(0, V, rng.randint(2, 9)).tolist() for _ in range(n)]
    return (C.Value.one_hot(s, V), np.eye(K, dtype='f')[[max(q) % K for q in s]])


loss, err = (C.cross_entropy_with_softmax(z, y), C.classification_error(z, y))
t = C.Trainer(z, (loss, err), C.adagrad(z.parameters, 0.05), C.logging.ProgressPrinter(4, tag='cnn'))
for i in range(12):
    a, b = batch(10)
    t.train_minibatch({x: a, y: b})
t.summarize_training_progress()
a, b = batch(6)
print(np.round(C.softmax(z).eval({x: a}), 4)[:2].tolist(), '%.4f' % t.test_minibatch({x: a, y: b}))
u = C.parameter((D,), init=C.normal(0.5, seed=2))
s = C.reduce_sum(C.tanh(Dense(D)(e)) * u, axis=0)
wts = C.sequence.softmax(s)
doc = C.sequence.reduce_sum(wts * e)
print(wts.shape, doc.shape, np.round(wts.eval({x: a})[0].ravel(), 4), np.round(doc.eval({x: a})[0], 4))
mx = C.sequence.reduce_max(s)
ls = C.log(C.sequence.reduce_sum(C.exp(s - C.sequence.broadcast_as(mx, s)))) + mx
print(np.round(mx.eval({x: a}).ravel(), 4), np.round(ls.eval({x: a}).ravel(), 4))
isf, isl = (C.sequence.is_first(x), C.sequence.is_last(x))
print([v.ravel().tolist() for v in isf.eval({x: C.Value.one_hot([[1, 2], [3]], V)})], isl.shape)
pick = C.sequence.gather(e, C.greater(s, 0))
print(pick.dynamic_axes == e.dynamic_axes, [v.shape for v in pick.eval({x: a})])
sc = C.sequence.scatter(pick, C.greater(s, 0))
print([np.asarray(v).shape for v in sc.eval({x: a})])
wh = C.sequence.where(C.greater(s, 0))
print([v.ravel().tolist() for v in wh.eval({x: a})])
b3 = C.sequence.slice(e, 1, 3)
print([v.shape for v in b3.eval({x: C.Value.one_hot([[1, 2, 3, 4], [3, 5, 6]], V)})])
d = C.sequence.delay(e, initial_state=1, time_step=2)
print(np.round(d.eval({x: C.Value.one_hot([[1, 2, 3]], V)})[0], 4).tolist())
bag = C.sequence.reduce_sum(x)
print(
    bag.shape,
    bag.is_sparse,
    np.asarray(bag.eval({x: C.Value.one_hot([[1, 2, 1]], V)})).ravel()[:4].tolist(),
)
