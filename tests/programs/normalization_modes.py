"""Batch normalization: running statistics in training, use in evaluation, time constants, clones and
checkpoints."""

import numpy as np
import cntk as C


def text(values):
    return ' '.join(('%.4f' % v for v in np.ravel(values)))


C.cntk_py.set_fixed_random_seed(1)
rng = np.random.RandomState(0)
x = C.input_variable((3, 4, 4))
y = C.input_variable(2)


def stats(m):
    return [
        (c.name, text(np.asarray(c.value).ravel()[:3]))
        for c in sorted(m.constants, key=lambda c: (c.name, c.shape))
        if c.name.startswith('aggregate')
    ]


for kw in (
    dict(map_rank=1),
    dict(map_rank=None),
    dict(map_rank=1, normalization_time_constant=10),
    dict(map_rank=1, blend_time_constant=5),
    dict(map_rank=1, init_scale=0.5, epsilon=0.01, use_cntk_engine=True),
    dict(map_rank=1, normalization_time_constant=0),
    dict(map_rank=1, disable_regularization=True),
):
    try:
        m = C.layers.Sequential(
            [
                C.layers.Convolution2D((3, 3), 4, bias=False, pad=True),
                C.layers.BatchNormalization(**kw),
                C.relu,
                C.layers.Dense(2),
            ]
        )(x)
    except Exception as e:
        print(kw, type(e).__name__)
        continue
    loss = C.cross_entropy_with_softmax(m, y)
    t = C.Trainer(
        m,
        (loss, C.classification_error(m, y)),
        [C.momentum_sgd(m.parameters, 0.1, 0.9, l2_regularization_weight=0.1)],
    )
    for i in range(6):
        k = rng.randint(0, 2, 8)
        t.train_minibatch(
            {
                x: (rng.randn(8, 3, 4, 4) * (1 + k[:, None, None, None]) + k[:, None, None, None]).astype(
                    'f'
                ),
                y: np.eye(2, dtype='f')[k],
            }
        )
    print(sorted(kw), '%.5f' % t.previous_minibatch_loss_average, stats(m))
    test = rng.randn(2, 3, 4, 4).astype('f')
    print(text(m.eval({x: test})))
    t.save_checkpoint('bn.ck')
    before = m.eval({x: test})
    for i in range(2):
        t.train_minibatch(
            {x: rng.randn(8, 3, 4, 4).astype('f'), y: np.eye(2, dtype='f')[rng.randint(0, 2, 8)]}
        )
    changed = np.abs(m.eval({x: test}) - before).max() > 1e-06
    t.restore_from_checkpoint('bn.ck')
    print(bool(changed), np.allclose(m.eval({x: test}), before), stats(m)[1][1][:1])
    f = m.clone('freeze')
    print(len(f.parameters), len(f.constants))
    s, o = m.forward({x: test}, [m.output], set([m.output]))
    print(text(list(o.values())[0]))

scale = C.parameter(3, init=1)
bias = C.parameter(3, init=0)
mean = C.constant(0, 3)
var = C.constant(0, 3)
n = C.constant(0)
try:
    b = C.batch_normalization(
        C.input_variable(3),
        scale,
        bias,
        mean,
        var,
        running_count=n,
        spatial=False,
        normalization_time_constant=5,
    )
    print(b.shape, b.arguments, [p.shape for p in b.parameters])
    X = rng.randn(5, 3).astype('f')
    tt = C.Trainer(b, (C.reduce_sum(C.square(b - 1)), None), [C.sgd(b.parameters, 0.1)])
    tt.train_minibatch({b.arguments[0]: X})
    print(text(mean.value), text(var.value), n.value)
except Exception as e:
    print(type(e).__name__)
