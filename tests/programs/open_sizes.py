"""Inputs with free axes: convolutions on pictures of any size, graphs of any number of nodes, sets;
operators on them one by one."""

import numpy as np
import cntk as C

C.cntk_py.set_fixed_random_seed(33)
rng = np.random.RandomState(9)
FD = C.FreeDimension
img = C.input_variable((3, FD, FD), name='img')
seg = C.input_variable((2, FD, FD), name='seg')
f = C.layers.Sequential(
    [
        C.layers.Convolution2D((3, 3), 4, C.relu, pad=True, name='c1'),
        C.layers.Convolution2D((3, 3), 4, C.relu, pad=True, strides=2),
        C.layers.ConvolutionTranspose2D((2, 2), 2, strides=2, pad=False, name='up'),
    ]
)(img)
print(img, f.shape, f)
for s in ((4, 4), (6, 8), (10, 4)):
    v = f.eval({img: rng.rand(2, 3, *s).astype('f')})
    print(v.shape, '%.4f' % np.abs(v).sum())
g = C.layers.Sequential(
    [C.layers.Convolution2D((3, 3), 4, C.relu, pad=True), C.layers.Convolution2D((1, 1), 2)]
)(img)
l = C.reduce_mean(C.cross_entropy_with_softmax(g, seg, axis=0))
e = C.reduce_mean(C.classification_error(g, seg, axis=0))
t = C.Trainer(g, (l, e), C.momentum_sgd(g.parameters, 0.1, 0.9))
print(g.shape, l.shape, e.shape)
for s in ((4, 4), (6, 8), (6, 8), (3, 5)):
    a = rng.rand(3, 3, *s).astype('f')
    b = np.stack([a[:, 0] > 0.5, a[:, 0] <= 0.5], 1).astype('f')
    t.train_minibatch({img: a, seg: b})
    print(
        '%.5f %.4f' % (t.previous_minibatch_loss_average, t.previous_minibatch_evaluation_average), end='; '
    )
print()
p = C.layers.Dense(2)(
    C.reshape(
        C.reduce_mean(
            C.layers.MaxPooling((2, 2), 2)(C.layers.Convolution2D((3, 3), 5, C.relu)(img)), axis=(1, 2)
        ),
        (5,),
    )
)
for s in ((6, 6), (8, 10)):
    print(np.round(p.eval({img: rng.rand(1, 3, *s).astype('f')}), 4).tolist())
A, H = (C.input_variable((FD, FD), name='A'), C.input_variable((FD, 3), name='H'))
W1, W2 = (
    C.parameter((3, 4), init=C.glorot_uniform(seed=1)),
    C.parameter((4, 2), init=C.glorot_uniform(seed=2)),
)
h1 = C.relu(C.times(A, C.times(H, W1)))
h2 = C.times(A, C.times(h1, W2))
out = C.reduce_sum(h2, axis=0)
y = C.input_variable((1, 2))
print(h1.shape, h2.shape, out.shape)
lg = C.reduce_mean(C.square(out - y))
tg = C.Trainer(None, lg, C.adam(lg.parameters, 0.02, 0.9))
for n in (3, 5, 4, 5):
    a = (rng.rand(2, n, n) < 0.5).astype('f')
    a = a / np.maximum(a.sum(2, keepdims=True), 1)
    tg.train_minibatch({A: a, H: rng.rand(2, n, 3).astype('f'), y: np.ones((2, 1, 2), 'f')})
    print('%.5f' % tg.previous_minibatch_loss_average, end=' ')
print()
s = C.input_variable((FD, 2))
m = C.reduce_max(C.layers.Dense(3, C.tanh, map_rank=1, init=C.glorot_uniform(seed=4))(s), axis=0)
print(m.shape, [np.round(m.eval({s: rng.rand(1, n, 2).astype('f')}), 4).ravel().tolist() for n in (1, 4)])
sm = C.softmax(s, axis=0)
tr = C.transpose(s, (1, 0))
rs = C.reshape(s, (-1,))
print(sm.shape, tr.shape, rs.shape)
for fn in (
    sm,
    tr,
    rs,
    C.slice(s, 0, 0, 1),
    C.splice(s, s, axis=1),
    C.splice(s, s, axis=0),
    C.reduce_sum(s),
    C.reduce_sum(s, 1),
    s + C.constant([1, 2]),
    s * s,
    C.times_transpose(s, s),
    C.flatten(s),
    C.pad(s, [(1, 1), (0, 0)]),
    C.argmax(s, 0),
    C.abs(s),
    C.swapaxes(s, 0, 1),
    C.gather(C.constant(np.arange(6).reshape(3, 2).astype('f')), s),
    C.one_hot(s, 4),
    s - 1,
):
    try:
        v = np.asarray(fn.eval({s: np.array([[[1, 2], [0, 1], [2, 2]]], 'f')}))
        print(fn.shape, v.shape, '%.4f' % (v * np.arange(1, v.size + 1).reshape(v.shape)).sum())
    except Exception as e:
        print(fn.shape, type(e).__name__)
pl = C.placeholder()
d = C.layers.Dense(3, map_rank=1)(pl)
r = d.replace_placeholders({pl: s})
print(r.shape, r.parameters[0].shape)
w = C.parameter((C.InferredDimension, 3), init=C.glorot_uniform(seed=5))
print(w.shape)
u = C.times(C.input_variable(5), w)
print(w.shape, u.shape, np.round(w.value[0], 5))
f.save('free.model')
q = C.load_model('free.model')
print(q.arguments[0].shape, q.eval({q.arguments[0]: rng.rand(1, 3, 4, 6).astype('f')}).shape)
q.find_by_name('c1')
c1 = C.combine([q.c1])
print(c1.eval({c1.arguments[0]: np.ones((1, 3, 4, 5), 'f')}).shape)
for bad in (np.ones((1, 2, 4, 4), 'f'), np.ones((1, 3, 4), 'f')):
    try:
        print(f.eval({img: bad}).shape)
    except Exception as e:
        print(type(e).__name__)
