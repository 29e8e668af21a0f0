"""Training loops of one's own on arrays: autograd, an optimizer's updater, gradients that add up, a function
of one's own, Newton's step."""

import mxnet as mx
import numpy as np
from mxnet import autograd, nd

np.random.seed(1)
ctx = mx.cpu()

# ---- a regression
true_w, true_b = nd.array([2, -3.4]), 4.2
features = nd.array(np.random.normal(0, 1, (200, 2)), ctx=ctx)
labels = nd.dot(features, true_w) + true_b + nd.array(np.random.normal(0, 0.01, 200))
w, b = nd.array(np.random.normal(0, 0.01, (2, 1))), nd.zeros((1,))
for param in (w, b):
    param.attach_grad()


def squared_loss(y_hat, y):
    return (y_hat - y.reshape(y_hat.shape)) ** 2 / 2


def sgd(params, lr, batch_size):
    for param in params:
        param[:] = param - lr * param.grad / batch_size


for epoch in range(3):
    for i in range(0, 200, 20):
        with autograd.record():
            loss = squared_loss(nd.dot(features[i : i + 20], w) + b, labels[i : i + 20])
        loss.backward()
        sgd([w, b], 0.1, 20)
    print('epoch', epoch, 'loss %.5f' % squared_loss(nd.dot(features, w) + b, labels).mean().asscalar())
print(np.round(w.asnumpy().ravel(), 3).tolist(), round(float(b.asscalar()), 3))

# ---- spirals by a network with dropout in training only, and MXNet's optimizers
n = 40
angle = np.concatenate([np.linspace(0.5, 5, n) + 2 * np.pi / 3 * k for k in range(3)])
radius = np.tile(np.linspace(0.2, 1, n), 3)
points = nd.array(np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1))
classes = nd.array(np.repeat(np.arange(3), n))


def start(*shape):
    return nd.array(np.random.uniform(-1, 1, shape) / np.sqrt(shape[-1]))


params = [start(24, 2), nd.zeros(24), start(24, 24), nd.zeros(24), start(3, 24), nd.zeros(3)]


def net(x):
    h1 = nd.relu(nd.FullyConnected(x, params[0], params[1], num_hidden=24))
    h2 = nd.tanh(nd.FullyConnected(h1, params[2], params[3], num_hidden=24))
    return nd.FullyConnected(h2, params[4], params[5], num_hidden=3)


for name, options in (
    ('adam', {'learning_rate': 0.02}),
    ('nag', {'learning_rate': 0.05, 'momentum': 0.9}),
    ('rmsprop', {'learning_rate': 0.005}),
    ('ftrl', {'learning_rate': 0.1}),
    ('adadelta', {}),
    ('lamb', {'learning_rate': 0.02}),
    ('nadam', {'learning_rate': 0.02}),
    ('signum', {'learning_rate': 0.003}),
):
    work = [p.copy() for p in params]
    keep, params = params, work
    for p in params:
        p.attach_grad()
    updater = mx.optimizer.get_updater(mx.optimizer.create(name, rescale_grad=1.0 / 120, **options))
    for step in range(40):
        with autograd.record():
            loss = nd.softmax_cross_entropy(net(points), classes)
        loss.backward()
        for i, p in enumerate(params):
            updater(i, p.grad, p)
    right = (net(points).argmax(axis=1) == classes).mean().asscalar()
    print('%-9s loss %.4f right %.3f' % (name, loss.asscalar() / 120, right))
    params = keep

# ---- gradients that add up, gradients with respect to what is computed, heads of one's own
x = nd.array([1.0, 2, 3])
x.attach_grad(grad_req='add')
for k in range(3):
    with autograd.record():
        y = x * x * (k + 1)
    y.backward(nd.array([1, 10, 100]))
print('added', x.grad.asnumpy().tolist())
a, c = nd.array([0.5, 1.5]), nd.array([2.0, 3])
a.attach_grad(), c.attach_grad()
with autograd.record():
    z = nd.sin(a) * c
    with autograd.pause():
        still = z * 2
    y = z * still
print(
    'grad',
    [np.round(g.asnumpy(), 4).tolist() for g in autograd.grad(y, [a, c], retain_graph=True)],
    autograd.is_recording(),
    autograd.is_training(),
)
y.backward()
print('detached', np.round(a.grad.asnumpy(), 4).tolist(), (y.detach() * 1).asnumpy().shape)


class Sigmoid(autograd.Function):
    def forward(self, x):
        y = 1 / (1 + nd.exp(-x))
        self.save_for_backward(y)
        return y

    def backward(self, dy):
        (y,) = self.saved_tensors
        return dy * y * (1 - y)


v = nd.array([-1.0, 0, 2])
v.attach_grad()
with autograd.record():
    out = Sigmoid()(v) * 3
out.backward()
print('function', np.round(out.asnumpy(), 4).tolist(), np.round(v.grad.asnumpy(), 4).tolist())


# ---- control flow of Python's, and dropout in either mode
def rough(x):
    y = x * 2
    while nd.norm(y).asscalar() < 100:
        y = y * 2
    return nd.sum(y) if nd.sum(y).asscalar() > 0 else 100 * y


t = nd.array([0.3, -0.1, 0.4])
t.attach_grad()
with autograd.record():
    r = rough(t)
r.backward()
print('rough %.3f' % r.asscalar(), t.grad.asnumpy().tolist())
ones = nd.ones((2000,))
with autograd.train_mode():
    dropped = nd.Dropout(ones, p=0.25)
print(
    'dropout',
    np.unique(np.round(dropped.asnumpy() * 3)).tolist(),
    abs(dropped.mean().asscalar() - 1) < 0.1,
    nd.Dropout(ones, p=0.25).sum().asscalar(),
)
