"""An image is changed until a network sees the content of one picture and the style of another: gradients
with respect to the input, for an optimizer of SciPy."""

import numpy as np
from scipy.optimize import fmin_l_bfgs_b

import cntk as C

SIZE = 16
rng = np.random.RandomState(0)
image = C.input_variable((3, SIZE, SIZE), needs_gradient=True)
h, layers = image, []
for filters, channels, scale in ((8, 3, 0.3), (8, 8, 0.2), (12, 8, 0.2)):
    W = C.constant((rng.randn(filters, channels, 3, 3) * scale).astype(np.float32))
    b = C.constant((rng.randn(filters, 1, 1) * 0.1).astype(np.float32))
    h = C.relu(C.convolution(W, h, auto_padding=[False, True, True]) + b)
    layers.append(h)
    if len(layers) == 1:
        h = C.pooling(h, C.AVG_POOLING, (2, 2), (2, 2))
network = C.combine(layers)


def gram(features):
    rows = C.reshape(features, (features.shape[0], int(np.prod(features.shape[1:]))))
    return C.times_transpose(rows, rows) / float(np.prod(features.shape))


content, style = (rng.rand(3, SIZE, SIZE).astype(np.float32) for _ in range(2))
wanted = np.squeeze(network.eval({image: [content]})[network.outputs[2]][0])
loss = C.reduce_sum(C.square(layers[2] - C.constant(wanted))) * 0.01
of_style = network.eval({image: [style]})
for layer, output in zip(layers, network.outputs):
    seen = np.squeeze(of_style[output][0])
    rows = seen.reshape(seen.shape[0], -1)
    target = (rows.dot(rows.T) / seen.size).astype(np.float32)
    loss += C.reduce_sum(C.square(gram(layer) - C.constant(target))) * 10
down, right = image[:, 1:, :] - image[:, :-1, :], image[:, :, 1:] - image[:, :, :-1]
loss += 0.001 * (C.reduce_sum(C.square(down)) + C.reduce_sum(C.square(right)))
print(loss)


def loss_and_slopes(pixels):
    picture = pixels.reshape((1, 3, SIZE, SIZE)).astype(np.float32)
    slopes, value = loss.grad({image: picture}, wrt=[image], outputs=[loss.output])
    value = list(value.values())[0] if isinstance(value, dict) else value
    slopes = list(slopes.values())[0] if isinstance(slopes, dict) else slopes
    return np.asarray(value, np.float64).ravel()[0], np.asarray(slopes, np.float64).ravel()


start = content.astype(np.float64).ravel()
value, slopes = loss_and_slopes(start)
print('loss %.5f, |slopes| %.4f' % (value, np.abs(slopes).sum()))
_, value, told = fmin_l_bfgs_b(loss_and_slopes, start, maxiter=3)
print('loss %.4f after %d steps' % (value, told['nit']))
