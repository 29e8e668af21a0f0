"""Self-attention over sequences by unpack and masks, in heads; positions from a table; causal masks at
fixed lengths; ONNX and back."""

import math
import numpy as np
import cntk as C

C.cntk_py.set_fixed_random_seed(19)
V, D, HEADS, MAXLEN, K = (12, 8, 2, 7, 3)
x = C.sequence.input_variable(V, name='tokens')
y = C.input_variable(K)
emb = C.layers.Embedding(D)(x)
pos_table = np.array(
    [
        [math.sin(p / 50.0 ** (2 * (i // 2) / float(D)) + (math.pi / 2 if i % 2 else 0)) for i in range(D)]
        for p in range(MAXLEN)
    ],
    'f',
)
index = C.layers.Recurrence(lambda s, v: s + 0 * C.reduce_sum(v) + 1, initial_state=-1)(x)
pos = C.times(C.one_hot(index, MAXLEN), C.constant(pos_table))
print(index.shape, pos.shape, np.asarray(index.eval([np.eye(V, dtype='f')[[1, 2, 3]]])[0]).ravel())
h = emb + pos


def attention(h, name):
    q, k, v = [C.layers.Dense(D, bias=False, name=name + n)(h) for n in 'qkv']
    K_, mask = C.sequence.unpack(k, padding_value=0).outputs
    V_ = C.sequence.unpack(v, 0, no_mask_output=True)
    K_, V_, mask = [C.sequence.broadcast_as(t, q) for t in (K_, V_, mask)]
    heads = []
    for i in range(HEADS):
        sl = lambda t, ax: C.slice(t, ax, i * D // HEADS, (i + 1) * D // HEADS)
        s = C.times_transpose(sl(q, 0), sl(K_, 1)) / math.sqrt(D / HEADS)
        s = C.element_select(mask, s, C.constant(-1000000000.0))
        p = C.softmax(s, axis=-1)
        heads.append(C.times(p, sl(V_, 1)))
    out = C.splice(*heads, axis=-1)
    return (C.layers.Dense(D)(out), p)


a, p = attention(h, 'a')
print(a.shape, a.dynamic_axes == x.dynamic_axes, p.shape)
norm = C.layers.LayerNormalization()
h = norm(h + a)
ff = C.layers.Sequential([C.layers.Dense(16, C.relu), C.layers.Dense(D)])(h)
h = C.layers.LayerNormalization(initial_scale=1, initial_bias=0)(h + ff)
pooled = C.sequence.reduce_sum(h) / C.sequence.reduce_sum(C.sequence.broadcast_as(C.constant(1), x))
z = C.layers.Dense(K, name='out')(pooled)
rng = np.random.RandomState(2)


def batch(n):
    seqs = [rng.randint(1, V, rng.randint(2, MAXLEN)) for _ in range(n)]
    return ([np.eye(V, dtype='f')[s] for s in seqs], np.eye(K, dtype='f')[[int(s.sum()) % K for s in seqs]])


loss, err = (C.cross_entropy_with_softmax(z, y), C.classification_error(z, y))
t = C.Trainer(
    z,
    (loss, err),
    C.adam(z.parameters, C.learning_parameter_schedule(0.01), C.momentum_schedule(0.9), unit_gain=False),
    C.logging.ProgressPrinter(3),
)
for i in range(9):
    a_, b_ = batch(8)
    t.train_minibatch({x: a_, y: b_})
a_, b_ = batch(4)
print('%.5f' % t.test_minibatch({x: a_, y: b_}))
w = p.eval({x: a_})
print(
    [np.asarray(q).shape for q in w],
    np.round(np.asarray(w[0])[0], 4).tolist(),
    ['%.4f' % np.asarray(q).sum() for q in w],
)
z.save('t.dnn')
m = C.load_model('t.dnn')
print(np.allclose(m.eval({m.arguments[0]: a_}), z.eval({x: a_}), atol=1e-06), m.out.W.shape)
f = C.input_variable((5, D), name='fixed')
q, k, v = [C.layers.Dense(D, map_rank=1, name=n)(f) for n in 'qkv']
s = C.times_transpose(q, k) / math.sqrt(D)
causal = C.constant(np.tril(np.ones((5, 5), 'f')))
w = C.softmax(C.element_select(causal, s, C.constant(-10000.0)), axis=1)
o = C.times(w, v)
F = rng.randn(2, 5, D).astype('f')
print(o.shape, np.round(w.eval({f: F})[0, 2], 5), '%.5f' % o.eval({f: F}).sum())
head = C.reshape(q, (5, HEADS, D // HEADS))
print(head.shape, C.transpose(head, (1, 0, 2)).shape, C.swapaxes(head, 0, 1).shape)
g = C.reduce_sum(C.square(o)).grad({f: F}, wrt=o.parameters)
print(sorted(('%.4f' % np.abs(v).sum() for v in g.values())))
net = C.layers.Sequential([C.layers.Dense(6, C.relu), C.layers.Dense(2)])(C.input_variable(4, name='in'))
net.save('n.onnx', format=C.ModelFormat.ONNX)
back = C.Function.load('n.onnx', format=C.ModelFormat.ONNX)
X = rng.randn(3, 4).astype('f')
print(
    [
        np.allclose(back.eval({back.arguments[0]: X[i : i + 1]}), net.eval(X[i : i + 1]), atol=1e-06)
        for i in range(3)
    ],
    back.arguments[0].name,
)
