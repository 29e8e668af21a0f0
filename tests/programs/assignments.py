"""Networks without learners: k-means and a mixture by assign, power iteration, PCA by gradient, counters;
effects in runs."""

import numpy as np
import cntk as C


def text(values):
    return ' '.join(('%.4f' % v for v in np.ravel(values)))


rng = np.random.RandomState(1)
X = np.vstack([rng.randn(20, 2) + [3, 0], rng.randn(20, 2) - [3, 1], rng.randn(20, 2) + [0, 4]]).astype('f')
x = C.input_variable(2)
K = 3
cent = C.parameter((K, 2), init=X[[0, 25, 50]])
d = C.reduce_sum(C.square(C.reshape(x, (1, 2)) - cent), axis=1)
member = C.one_hot(C.reshape(C.argmin(C.reshape(d, (K,)), 0), ()), K)
ba = C.Axis.default_batch_axis()
count = C.reduce_sum(member, axis=ba)
total = C.reduce_sum(C.reshape(member, (K, 1)) * C.reshape(x, (1, 2)), axis=ba)
new = total / C.reshape(count + 1e-06, (K, 1))
step = C.assign(cent, new)
for i in range(5):
    step.eval({x: X})
    print(text(cent.value))

n = C.constant(0)
inc = C.assign(n, n + 1)
for _ in range(3):
    inc.eval()

print(n.value, C.combine([inc, n * 10]).eval() and n.value)
A = rng.randn(4, 4)
A = C.constant((A @ A.T).astype('f'))
v = C.parameter((4, 1), init=1)
w = C.times(A, v)
nv = w / C.sqrt(C.reduce_sum(w * w))
it = C.assign(v, nv)
for _ in range(30):
    it.eval()

print(text(np.abs(v.value)), '%.3f' % C.reduce_sum(v * C.times(A, v)).eval())
m = C.parameter(2, init=0)
ema = C.assign(m, 0.9 * m + 0.1 * C.reduce_mean(x, axis=ba))
for i in range(3):
    ema.eval({x: X[i * 20 : i * 20 + 20]})
    print(text(m.value))

f = C.combine([x * 2, C.assign(m, m * 0)])
r = f.eval({x: X[:1]})
print(sorted((np.asarray(e).shape for e in r.values())), m.value)
acc = C.constant(np.zeros((2, 2), 'f'))
outer = C.times_transpose(C.reshape(x, (2, 1)), C.reshape(x, (2, 1)))
print(outer.shape, C.assign(acc, acc + C.reduce_sum(outer, axis=ba)).eval({x: X}).shape, text(acc.value))
