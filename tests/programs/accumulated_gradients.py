"""forward and backward by hand with gradient accumulation, clipping by norm, an own Adam in NumPy, and
moving averages by assign."""

import numpy as np
import cntk as C

C.cntk_py.set_fixed_random_seed(10)
rng = np.random.RandomState(2)
x, y = (C.input_variable(5), C.input_variable(1))
z = C.layers.Sequential([C.layers.Dense(7, C.softplus), C.layers.LayerNormalization(), C.layers.Dense(1)])(x)
loss = C.squared_error(z, y)
params = list(z.parameters)
m = {p: np.zeros(p.shape, 'f') for p in params}
v = {p: np.zeros(p.shape, 'f') for p in params}
average = {p: C.constant(p.value) for p in params}
update = C.combine([C.assign(average[p], 0.9 * average[p] + 0.1 * p) for p in params])
for step in range(1, 16):
    acc = {p: 0 for p in params}
    total = 0
    for micro in range(3):
        X = rng.randn(8, 5).astype('f')
        Y = np.sin(X.sum(1, keepdims=True)).astype('f')
        s, o = loss.forward({x: X, y: Y}, [loss.output], {loss.output})
        total += o[loss.output].mean()
        g = loss.backward(s, {loss.output: np.full(o[loss.output].shape, 1 / 24.0, 'f')}, set(params))
        for p in params:
            acc[p] = acc[p] + np.asarray(g[p])
    norm = np.sqrt(sum(((a**2).sum() for a in acc.values())))
    for p in params:
        a = acc[p] * min(1, 1 / norm)
        m[p] = 0.9 * m[p] + 0.1 * a
        v[p] = 0.999 * v[p] + 0.001 * a * a
        p.value = p.value - 0.05 * (m[p] / (1 - 0.9**step)) / (np.sqrt(v[p] / (1 - 0.999**step)) + 1e-08)
    update.eval()
    if step % 3 == 0:
        print('%.5f %.5f %.5f' % (total / 3, norm, np.abs(average[params[0]].value).sum()))

g, val = (loss.grad({x: X, y: Y}, wrt=params), loss.eval({x: X, y: Y}))
print(sorted(('%.4f' % np.abs(a).sum() for a in g.values())), '%.4f' % val.mean())
xg = C.input_variable(5, needs_gradient=True)
lg = loss.clone('share', {x: xg})
adv = lg.grad({xg: X[:2], lg.arguments[1] if lg.arguments[1] is not xg else lg.arguments[0]: Y[:2]}, wrt=[xg])
print(np.sign(adv).tolist())
