"""Weights that are computed: hyper-networks, bilinear forms, mixtures of experts, normalized and binary
weights, stochastic depth, gumbel softmax."""

import numpy as np
import cntk as C
from cntk.layers import Dense, Sequential, Convolution2D, For, Dropout, Embedding

C.cntk_py.set_fixed_random_seed(29)
rng = np.random.RandomState(6)
x, y, c = (C.input_variable(4), C.input_variable(2), C.input_variable(3))
X, T, Cc = (
    rng.randn(16, 4).astype('f'),
    rng.randn(16, 2).astype('f'),
    np.eye(3, dtype='f')[rng.randint(0, 3, 16)],
)


def run(name, z, n=5, lr=0.05, feeds=None, learner=None):
    l = C.squared_error(z, y)
    t = C.Trainer(z, l, (learner or C.sgd)(z.parameters, lr))
    out = []
    d = {a: v for a, v in ((x, X), (y, T), (c, Cc)) if a in l.arguments}
    for _ in range(n):
        t.train_minibatch(d)
        out.append('%.5f' % t.previous_minibatch_loss_average)
    print(name, z.shape, len(z.parameters), ' '.join(out))


W = C.reshape(Dense(8, init=C.glorot_uniform(seed=1))(c), (4, 2))
run('hyper', C.reshape(C.times(C.reshape(x, (1, 4)), W), (2,)))
B = C.parameter((4, 3, 2), init=C.normal(0.3, seed=2))
outer = C.times(C.reshape(x, (4, 1)), C.reshape(c, (1, 3)))
run('bilinear', C.times(outer, B))
B2 = C.parameter((4, 3, 2), init=C.normal(0.3, seed=3))
run(
    'bilinear2',
    C.reshape(C.times(c, C.transpose(C.reshape(C.times(x, B2, output_rank=2), (3, 2)), (0, 1))), (2,)),
)
experts = [
    Dense(2, init=C.glorot_uniform(seed=4 + i))(Dense(4, C.tanh, init=C.glorot_uniform(seed=9 + i))(x))
    for i in range(3)
]
gates = C.softmax(Dense(3, init=C.glorot_uniform(seed=8))(x))
mix = C.reduce_sum(
    C.splice(*[C.reshape(e, (1, 2)) for e in experts], axis=0) * C.reshape(gates, (3, 1)), axis=0
)
run('experts', C.reshape(mix, (2,)))
v, g = (C.parameter((4, 2), init=C.normal(1, seed=5)), C.parameter((1, 2), init=1.0))
run('weightnorm', C.times(x, v / C.sqrt(C.reduce_sum(C.square(v), axis=0)) * g) + C.parameter(2))
u = C.parameter((1, 2), init=1.0, name='u')
Wm = C.parameter((4, 2), init=C.normal(1, seed=6))
vv = C.times_transpose(u, Wm)
vv = vv / C.sqrt(C.reduce_sum(C.square(vv)) + 1e-06)
uu = C.times(vv, Wm)
uu = uu / C.sqrt(C.reduce_sum(C.square(uu)) + 1e-06)
sigma = C.reduce_sum(C.times(C.stop_gradient(vv), Wm) * C.stop_gradient(uu))
ups = C.assign(u, uu)
for _ in range(20):
    ups.eval()
print('%.4f %.4f' % (sigma.eval().item(), np.linalg.svd(Wm.value)[1][0]))
z = C.times(x, Wm / sigma)
l = C.squared_error(z, y)
t = C.Trainer(z, l, C.sgd([Wm], 0.05))
[t.train_minibatch({x: X, y: T}) for _ in range(3)]
print('spectral %.5f' % t.previous_minibatch_loss_average)


def depth(h, i, keep=0.7):
    m = C.random.bernoulli_like(C.reduce_sum(h), keep, seed=30 + i)
    return h + m * Dense(4, C.tanh, init=C.glorot_uniform(seed=12 + i))(h)


hh = x
for i in range(3):
    hh = depth(hh, i)
run('stochastic depth', Dense(2, init=C.glorot_uniform(seed=20))(hh))
logits = Dense(3, init=C.glorot_uniform(seed=21))(x)
gum = C.random.gumbel_like(logits, seed=41)
soft = C.softmax((logits + gum) / 0.5)
run('gumbel', Dense(2, init=C.glorot_uniform(seed=22))(soft))
hard = C.stop_gradient(C.hardmax(soft) - soft) + soft
run('straight', C.times(hard, C.parameter((3, 2), init=C.normal(0.2, seed=23))))
bw = C.parameter((4, 2), init=C.normal(1, seed=24))
sign = C.element_select(C.greater_equal(bw, 0), 1, -1)
run(
    'binary',
    C.times(x, C.stop_gradient(sign - C.clip(bw, -1, 1)) + C.clip(bw, -1, 1)) * C.parameter((2,), init=0.3),
)
run('noise', Dense(2, init=C.glorot_uniform(seed=25))(x + 0.1 * C.random.normal_like(x, seed=50)))
run(
    'uniform',
    Dense(2, init=C.glorot_uniform(seed=26))(x * (1 + 0.2 * C.random.uniform_like(x, -1, 1, seed=51))),
)
n1 = C.random.normal((3,), 1, 2, seed=60)
print(np.round(n1.eval(), 4), np.round(n1.eval(), 4))
fr = C.random.normal((2,), seed=61) + C.parameter(2, init=1)
print(np.round(fr.eval(), 4))
img = C.input_variable((2, 5, 5))
I = rng.rand(16, 2, 5, 5).astype('f')
gn = lambda h, G: (
    lambda r: C.reshape(
        (r - C.reduce_mean(r, axis=(1, 2, 3)))
        / C.sqrt(C.reduce_mean(C.square(r - C.reduce_mean(r, axis=(1, 2, 3))), axis=(1, 2, 3)) + 1e-05),
        h.shape,
    )
)(C.reshape(h, (G, h.shape[0] // G) + h.shape[1:]))
q = gn(Convolution2D((3, 3), 4, pad=True, init=C.glorot_uniform(seed=28))(img), 2)
print(q.shape, '%.5f' % np.abs(q.eval({img: I})).sum())
se = lambda h: (
    h
    * C.reshape(
        Dense(h.shape[0], C.sigmoid, init=C.glorot_uniform(seed=30))(
            Dense(2, C.relu, init=C.glorot_uniform(seed=29))(
                C.reshape(C.reduce_mean(h, axis=(1, 2)), (h.shape[0],))
            )
        ),
        (h.shape[0], 1, 1),
    )
)
s = se(q)
print(s.shape, '%.5f' % s.eval({img: I}).sum())
sg = C.reduce_sum(s).grad({img: I}, wrt=s.parameters)
print(sorted(('%.4f' % np.abs(a).sum() for a in sg.values())))
coords = C.constant(
    np.stack(np.meshgrid(np.linspace(-1, 1, 5), np.linspace(-1, 1, 5), indexing='ij')).astype('f')
)
cc = C.splice(img, coords, axis=0)
print(cc.shape)
att = C.softmax(C.reshape(C.slice(q, 0, 0, 1), (25,)))
exy = C.reduce_sum(C.reshape(att, (1, 5, 5)) * coords, axis=(1, 2))
print(exy.shape, np.round(exy.eval({img: I[:2]}).ravel(), 4))
