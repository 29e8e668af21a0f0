"""Losses: outputs whose gradient is their own, whatever comes from above. Each gives its prediction and notes what its gradient is the gradient of."""
from ..base import MXNetError
from .entry import Bool, Float, Text, operator
from .index import ones_at
from .normalize import softmax_over


def complete_softmax_output(a, shapes):
    data, label = shapes
    if data is not None and label is None:
        label = (data[0],) + tuple(data[2:]) if a.multi_output else tuple(data[:-1]) if a.preserve_shape else (data[0],)
    return [data, label]


@operator('SoftmaxOutput', 'data label', complete=complete_softmax_output, aliases=('Softmax',), grad_scale=Float(1.0), ignore_label=Float(-1.0), multi_output=Bool(False),
          use_ignore=Bool(False), preserve_shape=Bool(False), normalization=Text('null', choices=('null', 'batch', 'valid')), out_grad=Bool(False), smooth_alpha=Float(0.0))
def softmax_output(g, a, data, label):
    """Softmax; its gradient is that of the cross-entropy with the label."""
    x = data
    label = g.stop(label)
    if a.multi_output:
        axis = 1
        if x.ndim > 2 and label.shape != (x.shape[0],) + x.shape[2:]:
            label = g.reshape(label, (x.shape[0],) + x.shape[2:])
    elif a.preserve_shape:
        axis = x.ndim - 1
    else:
        axis = 1
        if label.shape != data.shape and x.ndim != 2:
            x = g.reshape(x, (x.shape[0], x.size // x.shape[0]))
    p = softmax_over(g, x, axis)
    log_p = softmax_over(g, x, axis, 'log_softmax')
    scale = a.grad_scale
    if label.shape == data.shape and x.shape == data.shape:
        total = g.reduce('reduce_log_sum_exp', x, [axis])
        g.loss(g.times(total, scale))  # its gradient is the softmax
        g.loss(g.times(g.times(label, x), -scale))
    else:
        k = x.shape[axis]
        rest = x.shape[:axis] + x.shape[axis + 1:]
        label = g.reshape(label, rest)
        target = ones_at(g, label, k)
        target = g.transpose(target, tuple(range(axis)) + (target.ndim - 1,) + tuple(range(axis, target.ndim - 1)))
        if a.smooth_alpha:
            target = g.plus(g.times(target, 1 - a.smooth_alpha - a.smooth_alpha / (k - 1)), a.smooth_alpha / (k - 1))
        entropy = g.times(target, log_p)
        counted = None
        if a.use_ignore:
            counted = g.map('not_equal', label, a.ignore_label)
            entropy = g.times(entropy, g.reshape(counted, rest[:axis] + (1,) + rest[axis:]))
        if a.normalization == 'valid':
            n = g.sum_all(counted) if counted is not None else None
            count = n if n is not None else label.size
            entropy = g.divide(entropy, g.map('element_max', n, 1) if n is not None else float(count))
        else:
            if a.multi_output:
                scale /= max(x.size // (x.shape[0] * k), 1)
            if a.normalization == 'batch':
                scale /= x.shape[0]
        g.loss(g.times(entropy, -scale))
    return g.stop(g.reshape(p, data.shape))


def complete_regression(a, shapes):
    data, label = shapes
    if data is not None and label is None:
        label = (data[0],) if len(data) == 2 and data[1] == 1 else tuple(data)
    return [data, label]


def _add(name, prediction, loss):
    @operator(name, 'data label', complete=complete_regression, grad_scale=Float(1.0))
    def lower(g, a, x, label):
        """A prediction; its gradient is that of a loss against the label, over the number of outputs of a sample."""
        if label.size != x.size:
            raise MXNetError('Shape inconsistent, Provided = [{}], inferred shape=[{}]'.format(','.join(map(str, label.shape)), ','.join(map(str, x.shape))))
        target = g.reshape(g.stop(label), x.shape)
        g.loss(g.times(loss(g, x, target), a.grad_scale / max(label.size // label.shape[0], 1)))
        return g.stop(prediction(g, x))


_add('LinearRegressionOutput', lambda g, x: g.op('alias', x), lambda g, x, t: g.times(g.op('square', g.minus(x, t)), 0.5))
_add('MAERegressionOutput', lambda g, x: g.op('alias', x), lambda g, x, t: g.op('abs', g.minus(x, t)))
_add('LogisticRegressionOutput', lambda g, x: g.op('sigmoid', x), lambda g, x, t: g.minus(g.op('softplus', x), g.times(t, x)))


@operator('MakeLoss', aliases=('make_loss',), grad_scale=Float(1.0), valid_thresh=Float(0.0), normalization=Text('null', choices=('null', 'batch', 'valid')))
def make_loss(g, a, x):
    """The operand as a loss: its gradient is grad_scale, whatever comes from above."""
    if a.normalization == 'valid':
        n = g.map('element_max', g.sum_all(g.stop(g.map('greater', x, a.valid_thresh))), 1)
        g.loss(g.divide(g.times(x, a.grad_scale), n))
    else:
        g.loss(g.times(x, a.grad_scale / (x.shape[0] if a.normalization == 'batch' else 1)))
    return g.stop(x)


@operator('SVMOutput', 'data label', complete=lambda a, shapes: [shapes[0], shapes[1] or (shapes[0] and (shapes[0][0],))], margin=Float(1.0),
          regularization_coefficient=Float(1.0), use_linear=Bool(False))
def svm_output(g, a, x, label):
    """The operand; its gradient is that of the hinge loss, squared unless use_linear."""
    sign = g.minus(g.times(ones_at(g, g.stop(label), x.shape[1]), 2), 1)
    slack = g.map('element_max', g.minus(a.margin, g.times(sign, x)), 0)
    g.loss(g.times(slack if a.use_linear else g.op('square', slack), a.regularization_coefficient))
    return g.stop(x)


@operator('softmax_cross_entropy', 'data label', complete=lambda a, shapes: [shapes[0], shapes[1] or (shapes[0] and (shapes[0][0],))])
def softmax_cross_entropy(g, a, x, label):
    """The sum of all samples' cross-entropies, as an ordinary value."""
    total = g.sum_all(g.times(ones_at(g, label, x.shape[1]), softmax_over(g, x, 1, 'log_softmax')))
    return g.reshape(g.op('negate', total), (1,))


