"""Heads of a detector: regions of a feature map are pooled, classified and moved; losses of padded regions
do not count."""

import numpy as np
import cntk
from cntk import input_variable, parameter, times, softmax, reduce_sum, element_times, element_select, less
from cntk.initializer import glorot_uniform, normal
from cntk.layers import *
from cntk.ops import roipooling, relu, slice as cslice
from cntk.losses import cross_entropy_with_softmax
from cntk import MAX_POOLING


def text(values):
    return ' '.join(('%.4f' % v for v in np.ravel(values)))


cntk.cntk_py.set_fixed_random_seed(3)
ROIS, CLASSES = (6, 4)
rng = np.random.RandomState(0)
image = input_variable(shape=(3, 32, 32), dynamic_axes=[cntk.Axis.default_batch_axis()], name='image')
rois = input_variable((ROIS, 4), dynamic_axes=[cntk.Axis.default_batch_axis()], name='rois')
labels = input_variable((ROIS, CLASSES), name='labels')
targets = input_variable((ROIS, 4 * CLASSES), name='targets')
inside = input_variable((ROIS, 4 * CLASSES), name='inside')
base = Sequential(
    [
        For(
            range(2),
            lambda i: [
                Convolution((3, 3), [8, 12][i], activation=relu, pad=True, name='conv_%d' % i),
                MaxPooling((2, 2), (2, 2)),
            ],
        )
    ],
    name='base',
)
features = base(image - 0.5)
pooled = roipooling(features, rois, MAX_POOLING, (3, 3), spatial_scale=0.25)
print(features.shape, pooled.shape)
head = Sequential([Dense(16, activation=relu, input_rank=3, name='fc6'), Dropout(0.2, seed=7)])(pooled)
W = parameter(shape=(16, CLASSES), init=normal(scale=0.1), name='cls.W')
b = parameter(shape=CLASSES, init=0, name='cls.b')
scores = cntk.plus(times(head, W), b, name='scores')
move = Dense(4 * CLASSES, map_rank=1, init=normal(0.01), name='boxes')(head)


def smooth_l1(prediction, target, weights, sigma=1.0):
    sigma2 = sigma * sigma
    d = element_times(prediction - target, weights)
    a = cntk.abs(d)
    small = less(a, 1.0 / sigma2)
    return element_select(small, 0.5 * sigma2 * d * d, a - 0.5 / sigma2)


per_roi = cross_entropy_with_softmax(scores, labels, axis=1)
counts = reduce_sum(labels)
loss_classes = reduce_sum(per_roi) / counts
loss_boxes = reduce_sum(smooth_l1(move, targets, inside, 3.0)) / (counts + 1)
loss = cntk.plus(loss_classes, loss_boxes, name='detection_loss')
error = cntk.classification_error(scores, labels, axis=1, name='class_error')
print(loss.shape, error.shape, per_roi.shape)
biases = [p for p in loss.parameters if 'b' == p.name or p.name.endswith('.b')]
others = [p for p in loss.parameters if p not in biases]
print(len(biases), len(others))
lr = cntk.learning_parameter_schedule_per_sample([0.004] * 2 + [0.001], epoch_size=20)
lr_b = cntk.learning_parameter_schedule_per_sample([0.008] * 2 + [0.002], epoch_size=20)
mm = cntk.momentum_schedule_per_sample(0.9**0.1)
learners = [
    cntk.momentum_sgd(others, lr, mm, unit_gain=False, l2_regularization_weight=0.0005),
    cntk.momentum_sgd(biases, lr_b, mm, unit_gain=False),
]
trainer = cntk.Trainer(
    None, (loss, error), learners, [cntk.logging.ProgressPrinter(freq=5, num_epochs=3, tag='Heads')]
)


def batch(n):
    x = rng.rand(n, 3, 32, 32).astype('f')
    r = np.zeros((n, ROIS, 4), 'f')
    l = np.zeros((n, ROIS, CLASSES), 'f')
    t = np.zeros((n, ROIS, 4 * CLASSES), 'f')
    w = np.zeros_like(t)
    for i in range(n):
        for j in range(rng.randint(2, ROIS + 1)):
            x1, y1 = rng.randint(0, 16, 2)
            ww, hh = rng.randint(6, 16, 2)
            c = rng.randint(CLASSES)
            x[i, :, y1 : y1 + hh, x1 : x1 + ww] += c * 0.4
            r[i, j] = (x1, y1, x1 + ww, y1 + hh)
            l[i, j, c] = 1
            if c:
                t[i, j, 4 * c : 4 * c + 4] = rng.randn(4) * 0.3
                w[i, j, 4 * c : 4 * c + 4] = 1
    return (x, r, l, t, w)


for epoch in range(3):
    for _ in range(10):
        x, r, l, t, w = batch(2)
        trainer.train_minibatch({image: x, rois: r, labels: l, targets: t, inside: w})
    trainer.summarize_training_progress()

x, r, l, t, w = batch(2)
model = cntk.combine([softmax(scores, axis=1), move])
out = model.eval({model.arguments[0]: x, model.arguments[1]: r})
print({k.shape: text(v[0, :2, :4]) for k, v in out.items()})
