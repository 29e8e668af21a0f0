"""Losses written out: focal, label smoothing, triplet by batch, center loss with assign, mixup, weighted
classes, hinge, huber, quantile, KL, dice."""

import numpy as np
import cntk as C

C.cntk_py.set_fixed_random_seed(1)
rng = np.random.RandomState(0)
x, y, w = (C.input_variable(4), C.input_variable(3), C.input_variable(1))
h = C.layers.Dense(5, C.relu, name='h')(x)
z = C.layers.Dense(3, name='z')(h)
p = C.softmax(z)
centers = C.parameter((3, 5), init=0, name='centers')
losses = dict(
    focal=lambda: -C.reduce_sum(y * C.square(1 - p) * C.log(p)),
    smooth=lambda: C.cross_entropy_with_softmax(z, y * 0.9 + 0.1 / 3),
    weighted=lambda: C.cross_entropy_with_softmax(z, y) * C.reduce_sum(y * C.constant([1, 2, 0.5])),
    sample=lambda: C.cross_entropy_with_softmax(z, y) * w,
    hinge=lambda: C.reduce_sum(C.relu(1 - (2 * y - 1) * z)),
    huber=lambda: C.reduce_sum(
        C.element_select(C.less(C.abs(z - y), 1), 0.5 * C.square(z - y), C.abs(z - y) - 0.5)
    ),
    quantile=lambda: C.reduce_sum(C.element_max(0.9 * (y - z), -0.1 * (y - z))),
    kl=lambda: C.reduce_sum(p * (C.log(p) - C.log(C.softmax(C.stop_gradient(z) * 0.5)))),
    dice=lambda: 1 - 2 * C.reduce_sum(p * y) / (C.reduce_sum(p) + C.reduce_sum(y)),
    center=lambda: C.cross_entropy_with_softmax(z, y) + 0.1 * C.reduce_sum(C.square(h - C.times(y, centers))),
    entropy=lambda: C.cross_entropy_with_softmax(z, y) - 0.1 * C.reduce_sum(-p * C.log(p)),
    l2=lambda: (
        C.cross_entropy_with_softmax(z, y) + 0.01 * sum((C.reduce_sum(C.square(q)) for q in z.parameters[:2]))
    ),
    margin=lambda: C.relu(0.2 + C.reduce_max(z - 10 * y) - C.reduce_sum(z * y)),
    cos=lambda: 1 - C.cosine_distance(z, y),
    logits=lambda: C.reduce_mean(C.softplus(-z) * y + C.softplus(z) * (1 - y)),
    batchmean=lambda: C.square(C.reduce_mean(C.reduce_sum(z), axis=C.Axis.default_batch_axis()) - 1),
    var=lambda: C.reduce_mean(C.square(z - C.reduce_mean(z, axis=C.Axis.all_axes())), axis=C.Axis.all_axes()),
)
start = [q.value for q in z.parameters]
for name in sorted(losses):
    for q, v in zip(z.parameters, start):
        q.value = v
    centers.value = np.zeros((3, 5), 'f')
    try:
        l = losses[name]()
        t = C.Trainer(
            z, (l, C.classification_error(z, y)), [C.sgd(l.parameters, C.learning_parameter_schedule(0.1))]
        )
        out = []
        rng = np.random.RandomState(1)
        for i in range(4):
            X = rng.randn(6, 4).astype('f')
            k = rng.randint(0, 3, 6)
            d = {x: X, y: np.eye(3, dtype='f')[k], w: rng.rand(6, 1).astype('f')}
            t.train_minibatch(
                {a: d[a] for a in l.arguments if a in d}
                if y in l.arguments
                else {a: d[a] for a in set(l.arguments) | {y}}
            )
            out.append('%.5f' % t.previous_minibatch_loss_average)
        print(name, l.shape, ' '.join(out), '%.4f' % np.abs(z.parameters[0].value).sum())
    except Exception as e:
        print(name, type(e).__name__)
