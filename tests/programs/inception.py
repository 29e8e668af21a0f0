"""Pictures classified by towers of convolutions side by side, with an auxiliary head, label smoothing and
cross-validation on the way."""

import numpy as np

import cntk as C
from cntk.layers import (
    AveragePooling,
    BatchNormalization,
    Convolution2D,
    Dense,
    Dropout,
    GlobalAveragePooling,
    MaxPooling,
)

CLASSES = 5


def images(count, seed):
    """Stripes whose direction is the class."""
    rng = np.random.RandomState(seed)
    kind = rng.randint(0, CLASSES, count)
    row, column = np.mgrid[0:16, 0:16]
    angle = kind * np.pi / CLASSES
    waves = np.sin(1.3 * (np.cos(angle)[:, None, None] * row + np.sin(angle)[:, None, None] * column))
    pixels = np.stack([waves, -waves, waves**2], 1) + 0.3 * rng.randn(count, 3, 16, 16)
    return pixels.astype(np.float32), np.eye(CLASSES, dtype=np.float32)[kind]


def conv(filters, shape, strides=1, pad=True):
    """A convolution, normalized."""

    def apply(x):
        h = Convolution2D(shape, filters, strides=strides, pad=pad, bias=False, init=C.he_normal())(x)
        return C.relu(BatchNormalization(map_rank=1, normalization_time_constant=64, epsilon=0.001)(h))

    return apply


def tower(*layers):
    def apply(x):
        for layer in layers:
            x = layer(x)
        return x

    return apply


def block_a(x, pooled):
    return C.splice(
        conv(6, (1, 1))(x),
        tower(conv(4, (1, 1)), conv(6, (5, 5)))(x),
        tower(conv(4, (1, 1)), conv(6, (3, 3)), conv(6, (3, 3)))(x),
        tower(AveragePooling((3, 3), strides=1, pad=True), conv(pooled, (1, 1)))(x),
        axis=0,
    )


def block_reduce(x):
    return C.splice(
        conv(8, (3, 3), strides=2, pad=False)(x),
        tower(conv(4, (1, 1)), conv(6, (3, 3)), conv(6, (3, 3), strides=2, pad=False))(x),
        MaxPooling((3, 3), strides=2)(x),
        axis=0,
    )


def block_b(x):
    """Long kernels, one direction after the other."""
    return C.splice(
        conv(6, (1, 1))(x),
        tower(conv(4, (1, 1)), conv(4, (1, 5)), conv(6, (5, 1)))(x),
        tower(AveragePooling((3, 3), strides=1, pad=True), conv(4, (1, 1)))(x),
        axis=0,
    )


C.cntk_py.set_fixed_random_seed(3)
x, y = C.input_variable((3, 16, 16), name='pixels'), C.input_variable(CLASSES, name='kind')
h = conv(8, (3, 3))(x - 0.1)
h = block_a(h, 4)
h = block_reduce(h)
aux = Dense(CLASSES, init=C.glorot_uniform(), name='aux')(
    tower(AveragePooling((3, 3), strides=2), conv(4, (1, 1)))(h)
)
h = block_b(h)
h = block_b(h)
z = Dense(CLASSES, init=C.glorot_uniform(), name='z')(Dropout(0.0)(GlobalAveragePooling()(h)))

smooth = 0.9 * y + 0.1 / CLASSES
loss = C.cross_entropy_with_softmax(z, smooth) + 0.3 * C.cross_entropy_with_softmax(aux, smooth)
error, top2 = C.classification_error(z, y), C.classification_error(z, y, topN=2)

X, Y = images(160, 1)
X_test, Y_test = images(60, 2)
rate = C.learning_parameter_schedule([0.02, 0.01], epoch_size=160)
trainer = C.Trainer(
    C.combine([z, aux]),
    (loss, error),
    C.nesterov(loss.parameters, rate, C.momentum_schedule(0.9), l2_regularization_weight=0.0001),
)
for epoch in range(3):
    total = wrong = 0.0
    for k in range(0, 160, 32):
        trainer.train_minibatch({x: X[k : k + 32], y: Y[k : k + 32]})
        total += trainer.previous_minibatch_loss_average / 5
        wrong += trainer.previous_minibatch_evaluation_average / 5
    print(
        'epoch %d loss %.4f error %.3f test %.3f'
        % (epoch, total, wrong, trainer.test_minibatch({x: X_test, y: Y_test}))
    )
print('parameters', len(loss.parameters), sum(int(np.prod(p.shape)) for p in loss.parameters))
print('wrong among two %.3f' % (np.sum(top2.eval({x: X_test, y: Y_test})) / len(X_test)))
print('scores', ' '.join('%.3f' % v for v in z.eval({x: X_test[:1]}).ravel()))
