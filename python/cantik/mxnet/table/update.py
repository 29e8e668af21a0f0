"""What optimizers do with a parameter: new values of it and of its states, which take the place of the old
ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .entry import Bool, Float, Int, find, operator

if TYPE_CHECKING:
    from ...mxnet.lower import Lowering
    from ...mxnet.ndarray.array import NDArray
    from ...mxnet.table.entry import Attributes

RATE = dict(lr=Float(required=True))
DECAY = dict(wd=Float(0.0), rescale_grad=Float(1.0), clip_gradient=Float(-1.0))
LIVE = ('lr', 'wd', 'rescale_grad')


def scaled(g: Lowering, a: Attributes, w: Any, grad: NDArray, decay: Any = 'clipped') -> Any:
    """The gradient as it is used: scaled, clipped, with the weight's decay, which is clipped too or not, or
    left out."""
    d = g.times(grad, a.rescale_grad)
    if decay == 'clipped':
        d = g.plus(d, g.times(w, a.wd))
    if a.clip_gradient > 0:
        d = g.map('ieee_clip', d, -a.clip_gradient, a.clip_gradient)
    return g.plus(d, g.times(w, a.wd)) if decay == 'whole' else d


@operator('sgd_update', 'weight grad', live=LIVE, **RATE, **DECAY, lazy_update=Bool(True))
def sgd(g: Lowering, a: Attributes, w: Any, grad: NDArray) -> Any:
    """w - lr d."""
    return g.minus(w, g.times(scaled(g, a, w, grad, 'whole'), a.lr))


@operator(
    'sgd_mom_update',
    'weight grad mom',
    states=(2,),
    live=LIVE,
    **RATE,
    momentum=Float(0.0),
    **DECAY,
    lazy_update=Bool(True),
)
def sgd_mom(g: Lowering, a: Attributes, w: Any, grad: NDArray, m: Any) -> Any:
    """m = momentum m - lr d; w + m."""
    m = g.minus(g.times(m, a.momentum), g.times(scaled(g, a, w, grad, 'whole'), a.lr))
    return [g.plus(w, m), m]


@operator('nag_mom_update', 'weight grad mom', states=(2,), live=LIVE, **RATE, momentum=Float(0.0), **DECAY)
def nag_mom(g: Lowering, a: Attributes, w: Any, grad: NDArray, m: Any) -> Any:
    """n = momentum m - lr d; w + momentum n - lr d. As MXNet has it in place, m becomes momentum m - lr d
    with the decay of the new weight."""
    step = g.times(scaled(g, a, w, grad, 'whole'), a.lr)
    kept = g.times(m, a.momentum)
    new = g.minus(g.plus(w, g.times(g.minus(kept, step), a.momentum)), step)
    return [new, g.minus(kept, g.times(scaled(g, a, new, grad, 'whole'), a.lr))]


@operator('signsgd_update', 'weight grad', live=LIVE, **RATE, **DECAY)
def signsgd(g: Lowering, a: Attributes, w: Any, grad: NDArray) -> Any:
    """w - lr (sign of the gradient + wd w)."""
    step = g.plus(g.op('sign', scaled(g, a, w, grad, None)), g.times(w, a.wd))
    return g.minus(w, g.times(step, a.lr))


@operator(
    'signum_update',
    'weight grad mom',
    states=(2,),
    live=LIVE,
    **RATE,
    momentum=Float(0.0),
    **DECAY,
    wd_lh=Float(0.0),
)
def signum(g: Lowering, a: Attributes, w: Any, grad: NDArray, m: Any) -> Any:
    """m = momentum m - (1 - momentum) d; (1 - lr wd_lh) w + lr sign of m."""
    m = g.minus(g.times(m, a.momentum), g.times(scaled(g, a, w, grad, 'whole'), 1 - a.momentum))
    return [g.plus(g.times(w, g.minus(1, g.times(a.lr, a.wd_lh))), g.times(g.op('sign', m), a.lr)), m]


@operator(
    'adam_update',
    'weight grad mean var',
    states=(
        2,
        3,
    ),
    live=LIVE,
    **RATE,
    beta1=Float(0.9),
    beta2=Float(0.999),
    epsilon=Float(1e-8),
    **DECAY,
    lazy_update=Bool(True),
)
def adam(g: Lowering, a: Attributes, w: Any, grad: NDArray, m: Any, v: Any) -> Any:
    """m and v follow d and d^2; w - lr m / (sqrt v + epsilon)."""
    d = scaled(g, a, w, grad)
    m = g.plus(g.times(m, a.beta1), g.times(d, 1 - a.beta1))
    v = g.plus(g.times(v, a.beta2), g.times(g.op('square', d), 1 - a.beta2))
    return [g.minus(w, g.divide(g.times(m, a.lr), g.plus(g.op('ieee_sqrt', v), a.epsilon))), m, v]


@operator(
    'rmsprop_update',
    'weight grad n',
    states=(2,),
    live=LIVE,
    **RATE,
    gamma1=Float(0.95),
    epsilon=Float(1e-8),
    **DECAY,
    clip_weights=Float(-1.0),
)
def rmsprop(g: Lowering, a: Attributes, w: Any, grad: NDArray, n: Any) -> Any:
    """n follows d^2; w - lr d / sqrt(n + epsilon)."""
    d = scaled(g, a, w, grad)
    n = g.plus(g.times(n, a.gamma1), g.times(g.op('square', d), 1 - a.gamma1))
    return [bounded(g, a, g.minus(w, g.times(g.divide(d, g.op('ieee_sqrt', g.plus(n, a.epsilon))), a.lr))), n]


@operator(
    'rmspropalex_update',
    'weight grad n g delta',
    states=(
        2,
        3,
        4,
    ),
    live=LIVE,
    **RATE,
    gamma1=Float(0.95),
    gamma2=Float(0.9),
    epsilon=Float(1e-8),
    **DECAY,
    clip_weights=Float(-1.0),
)
def rmspropalex(g: Lowering, a: Attributes, w: Any, grad: NDArray, n: Any, mean: Any, delta: Any) -> Any:
    """As rmsprop, centred, with momentum gamma2."""
    d = scaled(g, a, w, grad)
    n = g.plus(g.times(n, a.gamma1), g.times(g.op('square', d), 1 - a.gamma1))
    mean = g.plus(g.times(mean, a.gamma1), g.times(d, 1 - a.gamma1))
    root = g.op('ieee_sqrt', g.plus(g.minus(n, g.op('square', mean)), a.epsilon))
    delta = g.minus(g.times(delta, a.gamma2), g.times(g.divide(d, root), a.lr))
    return [bounded(g, a, g.plus(w, delta)), n, mean, delta]


def bounded(g: Lowering, a: Attributes, w: Any) -> Any:
    return g.map('ieee_clip', w, -a.clip_weights, a.clip_weights) if a.clip_weights > 0 else w


@operator(
    'ftrl_update',
    'weight grad z n',
    states=(
        2,
        3,
    ),
    live=LIVE,
    **RATE,
    lamda1=Float(0.01),
    beta=Float(1.0),
    **DECAY,
)
def ftrl(g: Lowering, a: Attributes, w: Any, grad: NDArray, z: Any, n: Any) -> Any:
    """Follow the regularized leader (McMahan et al. 2013)."""
    d = scaled(g, a, w, grad, None)
    square = g.op('square', d)
    now = g.plus(n, square)
    z = g.plus(
        z, g.minus(d, g.divide(g.times(g.minus(g.op('ieee_sqrt', now), g.op('ieee_sqrt', n)), w), a.lr))
    )
    beyond = g.map('greater', g.op('abs', z), a.lamda1)
    rate = g.plus(g.divide(g.plus(g.op('ieee_sqrt', now), a.beta), a.lr), a.wd)
    made = g.divide(g.minus(g.times(g.op('sign', z), a.lamda1), z), rate)
    return [g.map('element_select', beyond, made, g.times(w, 0)), z, now]


@operator(
    'ftml_update',
    'weight grad d v z',
    states=(2, 3, 4),
    live=('lr', 'wd', 'rescale_grad', 't'),
    lr=Float(required=True),
    beta1=Float(0.6),
    beta2=Float(0.999),
    epsilon=Float(1e-8),
    t=Int(required=True),
    wd=Float(0.0),
    rescale_grad=Float(1.0),
    clip_grad=Float(-1.0),
)
def ftml(g: Lowering, a: Attributes, w: Any, grad: NDArray, d: Any, v: Any, z: Any) -> Any:
    """Follow the moving leader (Zheng, Kwok 2017)."""
    now = g.plus(g.times(grad, a.rescale_grad), g.times(w, a.wd))
    if a.clip_grad > 0:
        now = g.map('ieee_clip', now, -a.clip_grad, a.clip_grad)
    v = g.plus(g.times(v, a.beta2), g.times(g.op('square', now), 1 - a.beta2))
    left, right = (g.minus(1, g.map('ieee_pow', b, a.t)) for b in (a.beta1, a.beta2))
    new = g.times(g.divide(left, a.lr), g.plus(g.op('ieee_sqrt', g.divide(v, right)), a.epsilon))
    z = g.minus(
        g.plus(g.times(z, a.beta1), g.times(now, 1 - a.beta1)), g.times(g.minus(new, g.times(d, a.beta1)), w)
    )
    return [g.op('negate', g.divide(z, new)), new, v, z]


@operator(
    'lamb_update_phase1',
    'weight grad mean var',
    states=(2, 3),
    live=('wd', 'rescale_grad', 't'),
    beta1=Float(0.9),
    beta2=Float(0.999),
    epsilon=Float(1e-6),
    t=Int(required=True),
    bias_correction=Bool(True),
    wd=Float(required=True),
    rescale_grad=Float(1.0),
    clip_gradient=Float(-1.0),
)
def lamb_phase1(g: Lowering, a: Attributes, w: Any, grad: NDArray, m: Any, v: Any) -> Any:
    """Adam's step, with decay: m / (sqrt v + epsilon) + wd w."""
    d = g.times(grad, a.rescale_grad)
    if a.clip_gradient > 0:
        d = g.map('ieee_clip', d, -a.clip_gradient, a.clip_gradient)
    m = g.plus(g.times(m, a.beta1), g.times(d, 1 - a.beta1))
    v = g.plus(g.times(v, a.beta2), g.times(g.op('square', d), 1 - a.beta2))
    mean, var = m, v
    if a.bias_correction:
        mean, var = (
            g.divide(x, g.minus(1, g.map('ieee_pow', b, a.t))) for x, b in ((m, a.beta1), (v, a.beta2))
        )
    return [g.plus(g.divide(mean, g.plus(g.op('ieee_sqrt', var), a.epsilon)), g.times(w, a.wd)), m, v]


@operator(
    'lamb_update_phase2',
    'weight g r1 r2',
    live=('lr',),
    lr=Float(required=True),
    lower_bound=Float(-1.0),
    upper_bound=Float(-1.0),
)
def lamb_phase2(g: Lowering, a: Attributes, w: Any, step: Any, r1: Any, r2: Any) -> Any:
    """w - lr r1 / r2 g, r1 within its bounds; the ratio is 1 where one of the two is 0."""
    r1, r2 = (g.reshape(r, ()) for r in (r1, r2))
    if a.lower_bound >= 0:
        r1 = g.map('ieee_max', r1, a.lower_bound)
    if a.upper_bound >= 0:
        r1 = g.map('ieee_min', r1, a.upper_bound)
    some = g.times(g.map('not_equal', r1, 0), g.map('not_equal', r2, 0))
    ratio = g.map('element_select', some, g.divide(r1, r2), 1)
    return g.minus(w, g.times(g.times(ratio, a.lr), step))


def _add_two_precisions(name, one, count):
    """Adds the form whose last operand is the weight in float32: that is updated, the first one gets its
    numbers in half precision."""
    places = ['weight', 'grad'] + ['mom'] * (count - 2)
    attributes = dict(find(name).attributes)

    @operator(
        'mp_' + name,
        ' '.join(places) + ' weight32',
        states=tuple(range(2, count + 1)),
        live=find(name).live,
        **attributes,
    )
    def lower(g, a, w, grad, *rest):
        *states, master = rest
        made = one(g, a, master, grad, *states)
        new, *states = made if isinstance(made, list) else [made]
        return [g.op('alias', new), *states, new]

    lower.__doc__ = (
        f'{name} on a weight in float32, beside which the first operand is kept in half precision.'
    )


for _name, _one, _count in [
    ('sgd_update', sgd, 2),
    ('sgd_mom_update', sgd_mom, 3),
    ('nag_mom_update', nag_mom, 3),
]:
    _add_two_precisions(_name, _one, _count)
