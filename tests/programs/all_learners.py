"""Options of learners: L1, L2, noise, clipping with and without truncation, minibatch_size, schedules of
everything; all learners."""

import numpy as np
import cntk as C

rng = np.random.RandomState(0)
X = rng.randn(60, 4).astype('f')
Y = np.eye(3, dtype='f')[(X[:, 0] > 0).astype(int) + (X[:, 1] > 0)]
S, M = (C.learning_parameter_schedule, C.momentum_schedule)


def run(name, make):
    C.cntk_py.set_fixed_random_seed(4)
    x, y = (C.input_variable(4), C.input_variable(3))
    z = C.layers.Sequential([C.layers.Dense(5, C.relu), C.layers.Dense(3)])(x)
    loss = C.cross_entropy_with_softmax(z, y)
    try:
        learner = make(z.parameters)
    except Exception as e:
        return print(name, type(e).__name__)
    t = C.Trainer(z, (loss, C.classification_error(z, y)), [learner])
    out = []
    for e in range(2):
        for i in range(0, 60, 12):
            t.train_minibatch({x: X[i : i + 12], y: Y[i : i + 12]})
            out.append(t.previous_minibatch_loss_average)
    print(name, ' '.join(('%.5f' % v for v in out[2::3])), '%.5f' % np.abs(z.parameters[0].value).sum())


run('sgd', lambda p: C.sgd(p, S(0.2)))
run('sgd l1', lambda p: C.sgd(p, S(0.2), l1_regularization_weight=0.05))
run('sgd l2', lambda p: C.sgd(p, S(0.2), l2_regularization_weight=0.1))
run('sgd both', lambda p: C.sgd(p, S(0.2, 12), l1_regularization_weight=0.01, l2_regularization_weight=0.02))
run('sgd clip', lambda p: C.sgd(p, S(0.2), gradient_clipping_threshold_per_sample=0.01))
run(
    'sgd clip norm',
    lambda p: C.sgd(
        p, S(0.2), gradient_clipping_threshold_per_sample=0.01, gradient_clipping_with_truncation=False
    ),
)
run('sgd per sample', lambda p: C.sgd(p, C.learning_parameter_schedule_per_sample(0.02)))
run('sgd mb 3', lambda p: C.sgd(p, S(0.1, 3)))
run('sgd list', lambda p: C.sgd(p, S([0.3, 0.1, 0.01], epoch_size=24)))
run('sgd pairs', lambda p: C.sgd(p, S([(3, 0.3), (1, 0.1)], 12, 12)))
run('sgd mean', lambda p: C.sgd(p, S(0.1, 3), use_mean_gradient=True))
run('sgd noise', lambda p: C.sgd(p, S(0.2), gaussian_noise_injection_std_dev=0.0))
run('momentum', lambda p: C.momentum_sgd(p, S(0.2), M(0.9)))
run('momentum no unit', lambda p: C.momentum_sgd(p, S(0.05), M(0.9), unit_gain=False))
run('momentum time', lambda p: C.momentum_sgd(p, S(0.2), C.momentum_as_time_constant_schedule(100)))
run('momentum list', lambda p: C.momentum_sgd(p, S(0.2), M([0.5, 0.9], 24)))
run('momentum mb', lambda p: C.momentum_sgd(p, S(0.2, 12), M(0.9, 12), minibatch_size=12))
run('nesterov', lambda p: C.nesterov(p, S(0.2), M(0.9)))
run('nesterov l2', lambda p: C.nesterov(p, S(0.1), M(0.9), unit_gain=False, l2_regularization_weight=0.1))
run('adagrad', lambda p: C.adagrad(p, S(0.2)))
run('adagrad plain', lambda p: C.adagrad(p, S(0.2), need_ave_multiplier=False))
run('fsadagrad', lambda p: C.fsadagrad(p, S(0.05), M(0.9)))
run('fsadagrad var', lambda p: C.fsadagrad(p, S(0.05, 1), M(0.9, 1), variance_momentum=M(0.99)))
run('adam', lambda p: C.adam(p, S(0.05), M(0.9)))
run(
    'adam ps',
    lambda p: C.adam(
        p,
        C.learning_parameter_schedule_per_sample(0.05),
        C.momentum_schedule_per_sample(0.99),
        variance_momentum=M(0.99),
        unit_gain=False,
        epsilon=1e-06,
    ),
)
run('adamax', lambda p: C.adam(p, C.learning_parameter_schedule_per_sample(0.05), M(0.9), adamax=True))
run('rmsprop', lambda p: C.rmsprop(p, S(0.05), 0.9, 1.2, 0.8, 10, 0.1))
run('rmsprop ave', lambda p: C.rmsprop(p, S(0.05), 0.9, 1.2, 0.8, 10, 0.1, need_ave_multiplier=False))
run('adadelta', lambda p: C.adadelta(p, S(1.0), 0.9, 0.0001))
run('adadelta mb', lambda p: C.adadelta(p, S(1.0, 12), 0.9, 0.0001, l2_regularization_weight=0.01))


def universal(p):
    lr = 0.1
    states = {}

    def f(ps, gs):
        return C.combine([C.assign(a, a - lr * g) for a, g in zip(ps, gs)])

    return C.universal(f, p)


run('universal', universal)


def urms(ps, gs):
    accu = [C.constant(0, shape=p.shape, dtype=p.dtype) for p in ps]
    return C.combine(
        [C.assign(p, p - 0.05 * g / C.sqrt(0.9 * a + 0.1 * g * g + 0.0001)) for p, g, a in zip(ps, gs, accu)]
        + [C.assign(a, 0.9 * a + 0.1 * g * g) for a, g in zip(accu, gs)]
    )


run('universal rms', lambda p: C.universal(urms, p))
