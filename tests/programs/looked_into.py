"""A trained network looked into: adversarial pictures, saliency, ablated units, activation maps, ascent on
a unit; inner layers evaluated, differentiated, cut off."""

import numpy as np
import cntk as C

C.cntk_py.set_fixed_random_seed(30)
rng = np.random.RandomState(7)
I = rng.rand(24, 1, 8, 8).astype('f')
k = (I[:, 0, :4].mean((1, 2)) > I[:, 0, 4:].mean((1, 2))).astype(int)
Y = np.eye(2, dtype='f')[k]
x, y = (C.input_variable((1, 8, 8), needs_gradient=True, name='x'), C.input_variable(2, name='y'))
with C.layers.default_options(activation=C.relu, pad=True):
    z = C.layers.Sequential(
        [
            C.layers.Convolution2D((3, 3), 4, name='c1'),
            C.layers.MaxPooling((2, 2), (2, 2), name='p1'),
            C.layers.Convolution2D((3, 3), 6, name='c2'),
            C.layers.GlobalAveragePooling(name='gap'),
            C.layers.Dense(2, activation=None, name='out'),
        ]
    )(x / 1.0 - 0.5)
l, e = (C.cross_entropy_with_softmax(z, y), C.classification_error(z, y))
t = C.Trainer(
    z,
    (l, e),
    C.momentum_sgd(
        z.parameters, C.learning_parameter_schedule(0.1), C.momentum_schedule(0.9), unit_gain=False
    ),
)
for i in range(20):
    t.train_minibatch({x: I[i % 3 * 8 :][:8], y: Y[i % 3 * 8 :][:8]})
print(
    z.shape,
    z.gap.shape,
    z.c2.shape,
    '%.5f %.4f' % (t.previous_minibatch_loss_average, t.test_minibatch({x: I, y: Y})),
)
g = l.grad({x: I[:4], y: Y[:4]}, wrt=[x])
print(type(g).__name__, np.asarray(g).shape, '%.5f' % np.abs(g).sum())
adv = np.clip(I[:4] + 0.2 * np.sign(g), 0, 1).astype('f')
print(np.round(l.eval({x: I[:4], y: Y[:4]}).ravel(), 4), np.round(l.eval({x: adv, y: Y[:4]}).ravel(), 4))
fm = C.combine([z.c2.output])
F = fm.eval({x: I[:3]})
W = z.out.W.value
print(F.shape, W.shape)
cam = np.einsum('bchw,ck->bkhw', F, W.reshape(6, 2))
print(np.round(cam[0, 0], 3)[0].tolist())
gr = C.combine([z]).grad({x: I[:3]}, wrt=[z.c1.W, z.out.b])
print(sorted(((p.shape, '%.5f' % np.abs(v).sum()) for p, v in gr.items())))
one = z[0]
s = one.grad({x: I[:3]})
print(np.asarray(s).shape, '%.5f' % np.abs(np.asarray(s)).sum())
img = np.full((1, 1, 8, 8), 0.5, 'f')
unit = C.reduce_sum(C.slice(z.c2, 0, 2, 3))
for i in range(5):
    img = img + 0.1 * unit.grad({x: img})
print(unit.shape, '%.5f' % unit.eval({x: img}).sum())
base = t.test_minibatch({x: I, y: Y})
b0 = z.c1.W.value
for u in range(4):
    w = b0.copy()
    w[u] = 0
    z.c1.W.value = w
    print('%.4f' % l.eval({x: I, y: Y}).mean(), end=' ')
z.c1.W.value = b0
print('%.4f' % l.eval({x: I, y: Y}).mean())
outs = [
    n
    for n in C.logging.depth_first_search(
        z, lambda n: isinstance(n, C.Function) and n.name in ('c1', 'p1', 'c2', 'gap')
    )
]
print([(n.name, n.op_name, n.shape) for n in outs])
allo = C.combine([n.output for n in outs])
r = allo.eval({x: I[:2]})
print(sorted(((v.shape, '%.4f' % v.mean()) for v in r.values())))
st, vals = z.forward({x: I[:2]}, [z.output], {z.output})
b = z.backward(st, {z.output: np.array([[1, 0], [0, 1]], 'f')}, {x})
print([v.shape for v in vals.values()], '%.6f' % np.abs(list(b.values())[0]).sum())
st, vals = z.forward({x: I[:2]}, keep_for_backward={z.output})
b = z.backward(st, {z.output: np.ones((2, 2), 'f')}, {z.c1.W, z.c2.b})
print(sorted((v.shape for v in b.values())))
z.save('z.model')
q = C.load_model('z.model')
print(
    q.arguments[0].needs_gradient,
    q.arguments[0].name,
    np.allclose(q.eval({q.arguments[0]: I}), z.eval({x: I})),
)
sub = C.combine([q.find_by_name('gap')])
v = sub.eval({sub.arguments[0]: I[:2]})
print(v.shape, np.round(v.ravel()[:4], 5))
q2 = q.clone(C.CloneMethod.clone, {q.find_by_name('gap'): C.input_variable((6, 1, 1), name='gapin')})
print(
    q2,
    [a.name for a in q2.arguments],
    np.allclose(q2.eval({q2.arguments[0]: v}), z.eval({x: I[:2]}), atol=1e-06),
)
try:
    q.replace_placeholders({})
except Exception as ex:
    print(type(ex).__name__)
print(len(z.parameters), z.uid != q.uid, z.c1.uid == z.c1.uid, '')
