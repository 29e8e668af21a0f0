"""Training without a Trainer: forward, backward, and the update by hand in NumPy."""

import numpy as np

import cntk as C

C.cntk_py.set_fixed_random_seed(21)
rng = np.random.RandomState(3)
X = rng.randn(120, 5).astype(np.float32)
T = np.tanh(X.dot(rng.randn(5, 2)) * 0.7).astype(np.float32)

x = C.input_variable(5, needs_gradient=True, name='x')
t = C.input_variable(2, name='t')
W1, b1 = C.parameter((5, 7), init=C.he_normal(), name='W1'), C.parameter(7, name='b1')
W2, b2 = C.parameter((7, 2), init=C.uniform(0.5), name='W2'), C.parameter((2,), init=0.05, name='b2')
hidden = C.elu(x @ W1 + b1)
z = C.times(hidden, W2) + b2
loss = C.reduce_sum(C.square(z - t), name='loss')
parameters = list(loss.parameters)
print([p.name for p in parameters])
velocity = {p: np.zeros(p.shape, np.float32) for p in parameters}

for step in range(30):
    k = step * 20 % 120
    state, outputs = loss.forward({x: X[k : k + 20], t: T[k : k + 20]}, [loss.output], {loss.output})
    value = outputs[loss.output]
    root_gradients = {loss.output: np.full_like(value, 1.0 / len(value))}
    gradients = loss.backward(state, root_gradients, set(parameters))
    for p in parameters:
        velocity[p] = 0.9 * velocity[p] - 0.02 * gradients[p]
        p.value = p.value + velocity[p]
    if step % 5 == 0:
        norm = np.sqrt(sum((g**2).sum() for g in gradients.values()))
        print('%2d loss %.6f |g| %.6f' % (step, value.mean(), norm))

gradients = loss.grad({x: X[:2], t: T[:2]}, wrt=[x, W2])
print(gradients[x].round(5), gradients[W2].sum().round(5))
both = C.combine([loss, z])
gradient, values = both.grad(
    {x: X[:2], t: T[:2]}, wrt=[b2], outputs=[loss.output, z.output], grad_root=loss.output
)
print(gradient.round(5), values[loss.output].round(5), values[z.output].round(5))

state, outputs = z.forward({x: X[:3]}, [z.output], {z.output}, as_numpy=False)
print(outputs[z.output].shape)
gradients = z.backward(state, {z.output: np.ones((3, 2), np.float32)}, {x}, as_numpy=False)
print(gradients[x].asarray().round(5))
_, outputs = C.combine([z, hidden]).forward({x: X[:1]}, [z.output, hidden.output])
print(sorted(v.shape for v in outputs))


def total():
    return float(loss.eval({x: X[:4], t: T[:4]}).sum())


kept, epsilon = W1.value, 1e-2
shift = np.zeros_like(kept)
shift[2, 3] = epsilon
W1.value = kept + shift
above = total()
W1.value = kept - shift
below = total()
W1.value = kept
gradient = loss.grad({x: X[:4], t: T[:4]}, [W1])[2, 3]
print('differences agree:', abs((above - below) / (2 * epsilon) - gradient) < 1e-2)
