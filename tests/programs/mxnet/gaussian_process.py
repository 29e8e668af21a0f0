"""Matrices: regression by a Gaussian process with its evidence maximized, principal components, whitening,
least squares by an LQ factorization."""

import mxnet as mx
import numpy as np
from mxnet import nd

np.random.seed(4)
N, M = 25, 6
x = np.sort(np.random.uniform(-3, 3, N))
y = np.sin(2 * x) + 0.3 * x + np.random.normal(0, 0.1, N)


def kernel(a, b, log_length, log_scale):
    d = nd.broadcast_sub(a.reshape((-1, 1)), b.reshape((1, -1)))
    return nd.broadcast_mul(
        nd.exp(2 * log_scale), nd.exp(nd.broadcast_div(-0.5 * d * d, nd.exp(2 * log_length)))
    )


X, Y = nd.array(x, dtype='float64'), nd.array(y.reshape(-1, 1), dtype='float64')
eye = nd.array(np.eye(N), dtype='float64')
log_length, log_scale, log_noise = (nd.array([v], dtype='float64') for v in (0.5, 0.0, -1.0))
hyper = [log_length, log_scale, log_noise]
for h in hyper:
    h.attach_grad()
for step in range(60):
    with mx.autograd.record():
        K = kernel(X, X, log_length, log_scale) + nd.broadcast_mul(nd.exp(2 * log_noise), eye)
        L = nd.linalg.potrf(K)
        a = nd.linalg.trsm(L, Y)
        evidence = 0.5 * nd.sum(a * a) + nd.linalg.sumlogdiag(L) + 0.5 * N * np.log(2 * np.pi)
    evidence.backward()
    for h in hyper:
        h[:] = h - 0.02 * nd.clip(h.grad, -5, 5)
    if step % 20 == 19:
        print(
            'step',
            step,
            'minus log evidence %.4f' % evidence.asscalar(),
            *['%.4f' % nd.exp(h).asscalar() for h in hyper],
        )
K = kernel(X, X, log_length, log_scale) + nd.exp(2 * log_noise) * eye
L = nd.linalg.potrf(K)
at = nd.array(np.linspace(-3, 3, M), dtype='float64')
k = kernel(X, at, log_length, log_scale)
weights = nd.linalg.trsm(L, nd.linalg.trsm(L, Y), transpose=True)
mean = nd.linalg.gemm2(k, weights, transpose_a=True)
half = nd.linalg.trsm(L, k)
variance = nd.exp(2 * log_scale) - nd.sum(half * half, axis=0)
print(
    'mean',
    np.round(mean.asnumpy().ravel(), 3).tolist(),
    'deviation',
    np.round(np.sqrt(variance.asnumpy()), 3).tolist(),
)
inverse = nd.linalg.potri(L)
print(
    'inverse',
    np.abs(nd.dot(inverse, K).asnumpy() - np.eye(N)).max() < 1e-6,
    'determinants %.4f' % (2 * nd.linalg.sumlogdiag(L).asscalar()),
    '%.4f' % nd.linalg.slogdet(K)[1].asscalar(),
)

# ---- principal components of correlated numbers, and numbers made white with them
mixing = np.random.normal(0, 1, (4, 4))
data = nd.array(np.random.normal(0, 1, (200, 4)) @ mixing.T, dtype='float64')
data = data - data.mean(axis=0)
covariance = nd.linalg.syrk(data, transpose=True, alpha=1.0 / 200)
vectors, values = nd.linalg.syevd(covariance)
print('values', np.round(values.asnumpy(), 3).tolist())
print(
    'part of the first two %.4f' % (values[2:].sum() / values.sum()).asscalar(),
    'trace',
    np.allclose(nd.linalg.extractdiag(covariance).sum().asscalar(), values.sum().asscalar()),
)
white = nd.dot(nd.dot(data, vectors, transpose_b=True), nd.linalg.makediag(1 / nd.sqrt(values)))
print(
    'white', np.abs(nd.linalg.syrk(white, transpose=True, alpha=1.0 / 200).asnumpy() - np.eye(4)).max() < 1e-6
)
projection = nd.dot(nd.dot(data, vectors[2:], transpose_b=True), vectors[2:])
print('left over %.4f' % nd.norm(data - projection).asscalar())

# ---- least squares
A = nd.array(np.random.normal(0, 1, (5, 30)), dtype='float64')  # five features of thirty samples
t = nd.dot(nd.array([[1.0, -2, 0.5, 0, 3]], dtype='float64'), A) + nd.array(
    np.random.normal(0, 0.01, (1, 30)), dtype='float64'
)
Q, L = nd.linalg.gelqf(A)
w = nd.linalg.trsm(L, nd.linalg.gemm2(t, Q, transpose_b=True), rightside=True)
print(
    'least squares',
    np.round(w.asnumpy().ravel(), 2).tolist(),
    np.abs(nd.dot(L, Q).asnumpy() - A.asnumpy()).max() < 1e-10,
)

# ---- the same in a graph, on a stack of matrices
a, b = mx.sym.Variable('a'), mx.sym.Variable('b')
solved = mx.sym.linalg.trsm(
    mx.sym.linalg.potrf(mx.sym.linalg.gemm(a, a, mx.sym.linalg.makediag(b), transpose_b=True, alpha=0.5)),
    mx.sym.linalg.makediag(b),
    name='solved',
)
stack, diagonals = np.random.normal(0, 1, (3, 4, 4)), np.random.uniform(1, 2, (3, 4))
exe = solved.bind(
    mx.cpu(),
    {'a': nd.array(stack), 'b': nd.array(diagonals)},
    {'a': nd.zeros((3, 4, 4)), 'b': nd.zeros((3, 4))},
)
out = exe.forward(is_train=True)[0]
exe.backward(nd.ones(out.shape))
print(
    out.shape,
    '%.3f' % out.sum().asscalar(),
    '%.3f %.3f' % (exe.grad_dict['a'].sum().asscalar(), exe.grad_dict['b'].sum().asscalar()),
)
