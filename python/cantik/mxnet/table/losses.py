"""Losses: outputs whose gradient is their own, whatever comes from above. Each gives its prediction and notes
what its gradient is the gradient of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..base import MXNetError
from ..lower import Val, call, text
from .entry import Bool, Float, Text, operator
from .index import ones_at
from .normalize import first_like_result, softmax_over

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...mxnet.lower import Lowering
    from ...mxnet.table.entry import Attributes


def complete_softmax_output(a: Attributes, shapes: Sequence[Any]) -> Any:
    data, label = shapes
    if data is not None and label is None:
        label = (data[0],) + tuple(data[2:]) if a.multi_output else tuple(data[:-1])
    elif data is not None and len(label) == len(data) - 1:
        data = label[:1] + data[1:2] + label[1:] if a.multi_output else label + data[-1:]
    return [data, label]


def check_label(a: Attributes, data: Any, label: Any) -> Any:
    """Of probabilities the label has the data's shape; of classes it has a number for each place that has
    classes."""
    if label.shape == data.shape:
        return
    wanted = (data.shape[0],) + data.shape[2:] if a.multi_output else data.shape[:-1]
    if label.shape != wanted and not (a.multi_output and label.size * data.shape[1] == data.size):
        raise MXNetError(f'Shape inconsistent, Provided = {text(label.shape)}, inferred shape={text(wanted)}')


@operator(
    'SoftmaxOutput',
    'data label',
    by_batch=True,
    complete=complete_softmax_output,
    back=first_like_result,
    aliases=('Softmax',),
    grad_scale=Float(1.0),
    ignore_label=Float(-1.0),
    multi_output=Bool(False),
    use_ignore=Bool(False),
    preserve_shape=Bool(False),
    normalization=Text('null', choices=('null', 'batch', 'valid')),
    out_grad=Bool(False),
    smooth_alpha=Float(0.0),
)
def softmax_output(g: Lowering, a: Attributes, data: Any, label: Any) -> Any:
    """Softmax; its gradient is that of the cross-entropy with the label."""
    check_label(a, data, label)
    label = g.stop(label)
    x = data
    if (
        not a.multi_output and not a.preserve_shape and x.ndim > 2
    ):  # a sample's numbers are its classes, whatever its shape
        x = g.reshape(x, (x.shape[0], x.size // x.shape[0]))
    axis = x.ndim - 1 if a.preserve_shape and not a.multi_output else 1
    p = g.stop(g.reshape(softmax_over(g, x, axis), data.shape))
    if label.shape == data.shape:
        slopes, scale = g.minus(g.reshape(p, x.shape), g.reshape(label, x.shape)), g.number_value(1)
    else:
        slopes, scale = slopes_of_classes(g, a, g.reshape(p, x.shape), label, axis)
    slopes = g.reshape(g.times(slopes, g.times(scale, a.grad_scale)), data.shape)
    if a.out_grad:  # the gradient goes on from what comes from above
        return g.by_slopes(p, (data, slopes))
    g.loss(g.times(data, g.stop(slopes)))
    return p


def slopes_of_classes(g: Lowering, a: Attributes, p: Any, label: Any, axis: Any) -> Any:
    """The slopes of the cross-entropy with classes as labels, and what they are scaled by."""
    k = p.shape[axis]
    rest = p.shape[:axis] + p.shape[axis + 1 :]
    labels = label
    if (
        label.size != p.size // k
    ):  # a label of several numbers for a sample: one for each sample is read, from the first on
        labels = g.slice(g.reshape(label, (label.size,)), 0, 0, rest[0])
    labels = g.reshape(labels, rest)
    target = ones_at(g, labels, k)
    target = g.transpose(
        target, tuple(range(axis)) + (target.ndim - 1,) + tuple(range(axis, target.ndim - 1))
    )
    if a.smooth_alpha:
        target = g.plus(
            g.times(target, 1 - a.smooth_alpha - a.smooth_alpha / (k - 1)), a.smooth_alpha / (k - 1)
        )
    slopes = g.minus(p, target)
    if a.use_ignore:
        slopes = g.times(
            slopes, g.reshape(g.map('not_equal', labels, a.ignore_label), rest[:axis] + (1,) + rest[axis:])
        )
    if a.normalization == 'valid':
        count = g.sum_all(g.map('not_equal', label, a.ignore_label))
        return slopes, g.divide(1.0, g.map('ieee_max', count, 1))
    places = p.size // (p.shape[0] * k) if a.multi_output else 1
    samples = p.shape[0] if a.multi_output else label.size
    if a.normalization == 'null':
        samples = 1
    return slopes, g.number_value(1 / (max(places, 1) * samples))


def complete_regression(a: Attributes, shapes: Sequence[Any]) -> Any:
    data, label = shapes
    if data is not None and label is None:
        label = (data[0],) if len(data) == 2 and data[1] == 1 else tuple(data)
    return [data, label]


def _add(name, prediction, loss):
    @operator(name, 'data label', by_batch=True, complete=complete_regression, grad_scale=Float(1.0))
    def lower(g, a, x, label):
        """A prediction; its gradient is that of a loss against the label, over the number of outputs of a
        sample."""
        if label.size != x.size:
            raise MXNetError(
                'Shape inconsistent, Provided = [{}], inferred shape=[{}]'.format(
                    ','.join(map(str, label.shape)), ','.join(map(str, x.shape))
                )
            )
        target = g.reshape(g.stop(label), x.shape)
        g.loss(g.times(loss(g, x, target), a.grad_scale / max(label.size // label.shape[0], 1)))
        return g.stop(prediction(g, x))


_add(
    'LinearRegressionOutput',
    lambda g, x: g.op('alias', x),
    lambda g, x, t: g.times(g.op('square', g.minus(x, t)), 0.5),
)
# A prediction that is its label falls, as one above it rises: MXNet's gradient is -1 there.
_add(
    'MAERegressionOutput',
    lambda g, x: g.op('alias', x),
    lambda g, x, t: g.times(x, g.stop(g.minus(g.times(g.map('greater', x, t), 2), 1))),
)
_add(
    'LogisticRegressionOutput',
    lambda g, x: g.op('sigmoid', x),
    lambda g, x, t: g.minus(g.op('softplus', x), g.times(t, x)),
)


@operator(
    'MakeLoss',
    aliases=('make_loss',),
    grad_scale=Float(1.0),
    valid_thresh=Float(0.0),
    normalization=Text('null', choices=('null', 'batch', 'valid')),
)
def make_loss(g: Lowering, a: Attributes, x: Any) -> Any:
    """The operand as a loss: its gradient is grad_scale, whatever comes from above."""
    if a.normalization == 'valid':
        n = g.map('ieee_max', g.sum_all(g.stop(g.map('greater', x, a.valid_thresh))), 1)
        g.loss(g.divide(g.times(x, a.grad_scale), n))
    else:
        samples = x.size // x.shape[-1] if a.normalization == 'batch' else 1
        g.loss(g.times(x, a.grad_scale / samples))
    return g.stop(x)


@operator(
    'SVMOutput',
    'data label',
    complete=lambda a, shapes: [shapes[0], shapes[1] or (shapes[0] and (shapes[0][0],))],
    margin=Float(1.0),
    regularization_coefficient=Float(1.0),
    use_linear=Bool(False),
)
def svm_output(g: Lowering, a: Attributes, x: Any, label: Any) -> Any:
    """The operand; its gradient is that of the hinge loss, squared unless use_linear."""
    sign = g.minus(g.times(ones_at(g, g.stop(label), x.shape[1]), 2), 1)
    inside = g.times(sign, x)
    slack = g.minus(a.margin, inside)
    if a.use_linear:  # what lies on the margin has no gradient
        loss = g.times(slack, g.stop(g.map('greater', a.margin, inside)))
    else:
        loss = g.op('square', g.map('ieee_max', slack, 0))
    g.loss(g.times(loss, a.regularization_coefficient))
    return g.stop(x)


@operator(
    'softmax_cross_entropy',
    'data label',
    complete=lambda a, shapes: [shapes[0], shapes[1] or (shapes[0] and (shapes[0][0],))],
)
def softmax_cross_entropy(g: Lowering, a: Attributes, x: Any, label: Any) -> Any:
    """The sum of all samples' cross-entropies, as an ordinary value."""
    total = g.sum_all(g.times(ones_at(g, label, x.shape[1]), softmax_over(g, x, 1, 'log_softmax')))
    return g.reshape(g.op('negate', total), (1,))


def ctc_operands(a: Attributes) -> Any:
    return ['data', 'label'] + ['data_lengths'] * a.use_data_lengths + ['label_lengths'] * a.use_label_lengths


@operator(
    'CTCLoss',
    ctc_operands,
    batch_axis=1,
    aliases=('ctc_loss', '_contrib_CTCLoss', '_contrib_ctc_loss'),
    use_data_lengths=Bool(False),
    use_label_lengths=Bool(False),
    blank_label=Text('first', choices=('first', 'last')),
)
def ctc_loss(g: Lowering, a: Attributes, data: Any, label: Any, *lengths: Any) -> Any:
    """Connectionist temporal classification: data [steps, batch, classes], label [batch, labels], with 0 (or
    -1, where the blank is the last class) behind them."""
    if data.ndim != 3 or label.ndim != 2 or label.shape[0] != data.shape[1]:
        raise MXNetError(
            'CTCLoss: data are [steps, batch, classes] and labels [batch, labels], not '
            f'{text(data.shape)} and {text(label.shape)}'
        )
    steps, batch, classes = data.shape
    lengths = list(lengths)
    data_lengths = lengths.pop(0) if a.use_data_lengths else g.constant(np.full(batch, steps), data.dtype)
    first = a.blank_label == 'first'
    if lengths:
        label_lengths = lengths[0]
    else:  # up to the first that is no label
        behind = g.op('cumsum', g.plain(g.map('equal', label, 0 if first else -1)), 1, False)
        label_lengths = g.reduce('reduce_sum', g.map('equal', behind, 0), [1], False)
    operands = [g.transpose(data, (1, 0, 2)), label, data_lengths, label_lengths]
    operands = [g.by_rows(o if i == 0 else g.stop(o)) for i, o in enumerate(operands)]
    v = call('ctc_loss', tuple(o.v for o in operands), (0 if first else classes - 1,), '')
    loss = Val(v, True, (batch,), data.dtype)
    return g.map(
        'element_select', g.map('equal', loss, np.inf), 0, loss
    )  # labels that do not fit into the steps count nothing
