"""mx.optimizer, mx.lr_scheduler and mx.init of the MXNet layer; figures are those of MXNet 1.9.1."""

import math

import numpy as np
import pytest

import cantik.mxnet as mx

# Three updates of [1, 2] by the gradient [0.5, -1], rate 0.1; then with wd=0.1, rescale_grad=0.5,
# clip_gradient=0.3 and momentum 0.9 where there is one.
FIGURES = {
    'sgd': ([0.8499999642372131, 2.299999713897705], [0.8053264617919922, 2.0556209087371826]),
    'adam': ([0.699998140335083, 2.300001859664917], [0.6999982595443726, 2.2996201515197754]),
    'rmsprop': ([0.2622619867324829, 2.7377378940582275], [0.2641219198703766, 2.7082338333129883]),
    'adagrad': ([0.7715543508529663, 2.228445529937744], [0.7445504665374756, 2.166346311569214]),
    'adadelta': ([0.9693084359169006, 2.030696153640747], [0.7012508511543274, 1.4857561588287354]),
    'nag': ([0.8499999642372131, 2.299999713897705], [0.7248956561088562, 2.078601360321045]),
    'ftrl': ([0.2432490587234497, 1.1275238990783691], [0.1421184539794922, 0.5206820964813232]),
    'signum': ([0.6999999284744263, 2.299999713897705], [0.6999999284744263, 2.299999713897705]),
    'adamax': (None, [0.6999999284744263, 2.294990301132202]),
}


def updated(name, **more):
    op = mx.optimizer.create(name, learning_rate=0.1, **more)
    w = mx.nd.array([1, 2.0])
    state = op.create_state(0, w)
    for _ in range(3):
        op.update(0, w, mx.nd.array([0.5, -1.0]), state)
    return w.asnumpy()


@pytest.mark.parametrize('name', sorted(FIGURES))
def test_updates(name):
    plain, all_options = FIGURES[name]
    if plain:
        np.testing.assert_allclose(updated(name), plain, rtol=1e-5)
    momentum = {'momentum': 0.9} if name in ('sgd', 'nag', 'signum') else {}
    np.testing.assert_allclose(
        updated(name, wd=0.1, rescale_grad=0.5, clip_gradient=0.3, **momentum), all_options, rtol=1e-5
    )


def test_centered_rmsprop():
    np.testing.assert_allclose(
        updated('rmsprop', centered=True, wd=0.1, rescale_grad=0.5, clip_gradient=0.3),
        [-0.5927410125732422, 3.54349422454834],
        rtol=1e-5,
    )


def test_rates_of_single_parameters():
    data = mx.sym.Variable('data')
    weight = mx.sym.Variable('slow_weight', lr_mult=0.5, wd_mult=2.0)
    net = mx.sym.FullyConnected(data, weight=weight, num_hidden=2, name='fc')
    op = mx.optimizer.create(
        'sgd', learning_rate=1.0, wd=0.1, sym=net, param_idx2name={0: 'slow_weight', 1: 'fc_bias'}
    )
    assert (op._get_lr(0), op._get_wd(0)) == (0.5, 0.2)
    assert (op._get_lr(1), op._get_wd(1)) == (1.0, 0.0)  # biases do not decay
    op.set_lr_mult({'fc_bias': 3.0})
    assert op._get_lr(1) == 3.0


def test_schedules():
    f = mx.lr_scheduler.FactorScheduler(10, 0.5, base_lr=1.0)
    assert [f(n) for n in (1, 10, 11, 21, 31)] == [1.0, 1.0, 0.5, 0.25, 0.125]
    m = mx.lr_scheduler.MultiFactorScheduler([3, 5], 0.1, base_lr=1.0)
    np.testing.assert_allclose([m(n) for n in (3, 4, 5, 6)], [1, 0.1, 0.1, 0.01])
    p = mx.lr_scheduler.PolyScheduler(10, base_lr=1.0, pwr=2)
    np.testing.assert_allclose([p(n) for n in (0, 5, 10)], [1, 0.25, 0])
    c = mx.lr_scheduler.CosineScheduler(10, base_lr=1.0, warmup_steps=2)
    np.testing.assert_allclose(
        [c(n) for n in (0, 1, 2, 6, 10)], [0, 0.5, 1, (1 + math.cos(math.pi / 2)) / 2, 0], atol=1e-12
    )
    with pytest.warns(UserWarning, match='``lr_scheduler`` has been overwritten by ``learning_rate``'):
        op = mx.optimizer.create(
            'sgd', learning_rate=2.0, lr_scheduler=mx.lr_scheduler.FactorScheduler(1, 0.5)
        )
    assert op.lr_scheduler.base_lr == 2.0
    op = mx.optimizer.create('sgd', lr_scheduler=mx.lr_scheduler.FactorScheduler(1, 0.5, base_lr=0.25))
    assert op.lr is None and op.learning_rate == 0.25
    with pytest.raises(ValueError, match='Factor must be no more than 1'):
        mx.lr_scheduler.FactorScheduler(1, 2)


def test_one_of_ones_own():
    @mx.optimizer.register
    class Halving(mx.optimizer.Optimizer):
        def update(self, index, weight, grad, state):
            weight[:] = weight / 2

    w = mx.nd.array([4.0])
    updater = mx.optimizer.get_updater(mx.optimizer.create('halving'))
    updater(0, mx.nd.array([1.0]), w)
    assert w.asscalar() == 2
    with pytest.raises(ValueError, match='Cannot find optimizer foo'):
        mx.optimizer.create('foo')


def test_langevin_dynamics():
    """SGLD goes half a step down and a random one, whose variance is the rate."""
    mx.random.seed(5)
    optimizer = mx.optimizer.create('sgld', learning_rate=0.04, wd=0.5, rescale_grad=2.0)
    w, n = mx.nd.ones((20000,)), 20000
    optimizer.update(0, w, mx.nd.ones((n,)) * 3, optimizer.create_state(0, w))
    steps = w.asnumpy() - 1
    assert abs(steps.mean() + 0.02 * (2 * 3 + 0.5)) < 5 * 0.2 / n**0.5 and abs(steps.std() - 0.2) < 0.01


def test_delays_are_compensated():
    """DCASGD with momentum, which MXNet 1.9.1 cannot do: it asks an array for its truth."""
    optimizer = mx.optimizer.create('dcasgd', learning_rate=0.1, momentum=0.5, lamda=0.04)
    w, state = mx.nd.array([1.0]), None
    state = optimizer.create_state(0, w)
    value, before, moment = 1.0, 1.0, 0.0
    for g in (1.0, 2.0, -1.0):
        optimizer.update(0, w, mx.nd.array([g]), state)
        moment = 0.5 * moment - 0.1 * (g + 0.04 * g * g * (value - before))
        before, value = value, value + moment
    assert w.asscalar() == pytest.approx(value, rel=1e-5)


def test_half_precision():
    """The program of the report: steps of adam in half precision with the weight kept in float32, and the
    warning without."""
    optimizer = mx.optimizer.create('adam', learning_rate=0.1, multi_precision=True)
    updater = mx.optimizer.get_updater(optimizer)
    w = mx.nd.array([1, -2, 0], dtype='float16')
    for g in ([1e-4, 3, 0], [-1e-4, 2, 0]):
        updater(0, mx.nd.array(g, dtype='float16'), w)
    assert w.dtype == np.float16 and np.isfinite(w.asnumpy()).all() and w.asnumpy()[2] == 0
    master, (mean, var) = updater.states[0]
    assert (master.dtype, mean.dtype, var.dtype) == (np.float32,) * 3
    np.testing.assert_allclose(w.asnumpy(), master.asnumpy().astype(np.float16))
    plain = mx.optimizer.get_updater(mx.optimizer.create('adam', learning_rate=0.1))
    v = mx.nd.array([1, -2, 0], dtype='float16')
    with pytest.warns(UserWarning, match='Accumulating with float16'):
        plain(0, mx.nd.array([1e-4, 3, 0], dtype='float16'), v)
    assert np.isfinite(v.asnumpy()).all()


def test_states_are_kept():
    op = mx.optimizer.create('adam', learning_rate=0.1)
    a = mx.optimizer.get_updater(op)
    w = mx.nd.array([1.0, 2.0])
    a(0, mx.nd.array([0.5, 1.0]), w)
    b = mx.optimizer.get_updater(mx.optimizer.create('adam', learning_rate=0.1))
    b.set_states(a.get_states())
    b.optimizer._index_update_count = {0: 1}  # files keep states, not how many updates there were
    v = w.copy()
    a(0, mx.nd.array([0.1, 0.2]), w)
    b(0, mx.nd.array([0.1, 0.2]), v)
    np.testing.assert_array_equal(w.asnumpy(), v.asnumpy())


def filled(init, name, shape):
    array = mx.nd.zeros(shape)
    init(mx.init.InitDesc(name), array)
    return array.asnumpy()


def test_initializers():
    mx.random.seed(1)
    u = filled(mx.init.Uniform(0.5), 'fc_weight', (40, 50))
    assert -0.5 <= u.min() < -0.45 and 0.45 < u.max() <= 0.5
    assert abs(filled(mx.init.Normal(2.0), 'fc_weight', (40, 50)).std() - 2) < 0.15
    x = filled(mx.init.Xavier(), 'fc_weight', (40, 50))
    assert 0.95 * math.sqrt(3 / 45) < x.max() <= math.sqrt(3 / 45)
    g = filled(mx.init.Xavier('gaussian', 'in', 2), 'conv_weight', (20, 10, 3, 3))
    assert abs(g.std() - math.sqrt(2 / 90)) < 0.01
    assert (
        abs(filled(mx.init.MSRAPrelu(), 'w_weight', (100, 100)).std() - math.sqrt(2 / (1 + 0.0625) / 100))
        < 0.01
    )
    o = filled(mx.init.Orthogonal(1.0), 'w_weight', (4, 6))
    np.testing.assert_allclose(o @ o.T, np.eye(4), atol=1e-5)
    assert (filled(mx.init.Uniform(), 'fc_bias', (3,)) == 0).all() and (
        filled(mx.init.Uniform(), 'bn_gamma', (3,)) == 1
    ).all()
    assert (filled(mx.init.Uniform(), 'bn_moving_var', (3,)) == 1).all() and (
        filled(mx.init.Constant(3), 'any', (3,)) == 3
    ).all()
    np.testing.assert_array_equal(filled(mx.init.LSTMBias(2.0), 'i2h_bias', (8,)), [0, 0, 2, 2, 0, 0, 0, 0])
    assert (
        mx.init.Xavier().dumps()
        == '["xavier", {"rnd_type": "uniform", "factor_type": "avg", "magnitude": 3}]'
    )
    mixed = mx.init.Mixed(['.*bias', '.*'], [mx.init.One(), mx.init.Zero()])
    assert (filled(mixed, 'fc_bias', (2,)) == 0).all()  # MXNet's One fills biases with what biases get
    with pytest.raises(ValueError, match='Unknown initialization pattern for foo'):
        mx.init.Xavier()(mx.init.InitDesc('foo'), mx.nd.zeros((2, 2)))
    with pytest.raises(ValueError, match='cannot be applied to vector'):
        filled(mx.init.Xavier(), 'a_weight', (3,))


def test_initializer_of_a_variable():
    net = mx.sym.FullyConnected(
        mx.sym.Variable('data'), weight=mx.sym.Variable('w', init=mx.init.One()), num_hidden=2, name='fc'
    )
    module = mx.mod.Module(net, label_names=None)
    module.bind([('data', (1, 3))], for_training=False)
    module.init_params(mx.init.Zero())
    assert (module.get_params()[0]['w'].asnumpy() == 1).all()
