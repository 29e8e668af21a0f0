"""mx.metric: figures of how well outputs agree with labels, added up over batches."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as _np

from .registry import by_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

_registry, register, alias = by_name()


def create(metric: Any, *args: Any, **kwargs: Any) -> CustomMetric | EvalMetric | CompositeEvalMetric | Any:
    """A metric from its name, a function of label and prediction, what `get_config` gave (also as JSON), or a
    list of those."""
    if callable(metric) and not isinstance(metric, type):
        return CustomMetric(metric, *args, **kwargs)
    if isinstance(metric, EvalMetric):
        return metric
    if isinstance(metric, (list, tuple)):
        both = CompositeEvalMetric()
        for m in metric:
            both.add(create(m, *args, **kwargs))
        return both
    if isinstance(metric, type):
        return metric(*args, **kwargs)
    if isinstance(metric, str) and metric.lstrip().startswith(('{', '[')):
        return _configured(json.loads(metric))
    if isinstance(metric, dict):
        return _configured(metric)
    found = _registry.get(str(metric).lower())
    if found is None:
        raise AssertionError(f'{metric} is not registered. Please register with metric.register first')
    return found(*args, **kwargs)


def _configured(config):
    """A metric from its configuration: a dictionary with its name under `metric`, or a list of name and
    options."""
    if isinstance(config, list):
        name, options = (config + [{}])[:2]
    else:
        options = dict(config)
        name = options.pop('metric', None)
    if not isinstance(name, str) or not isinstance(options, dict):
        raise ValueError(
            f'{config!r} is no configuration of a metric: that is a dictionary with its name under "metric"'
        )
    return create(name, **options)


def check_label_shapes(labels: Any, preds: Any, wrap: bool = False, shape: Any = False) -> tuple[Any, ...]:
    """That there are as many labels as predictions."""
    count = (labels.shape, preds.shape) if shape else (len(labels), len(preds))
    if count[0] != count[1]:
        raise ValueError('Shape of labels {} does not match shape of predictions {}'.format(*count))
    if wrap:
        labels, preds = ([x] if not isinstance(x, (list, tuple)) else x for x in (labels, preds))
    return labels, preds


def numbers(x: Any) -> np.ndarray:
    return x.asnumpy() if hasattr(x, 'asnumpy') else _np.asarray(x)


class EvalMetric:
    """Adds up a figure: derived classes have update(labels, preds).

    Where it has global figures, `reset_local` begins the figure of a part of an epoch anew and leaves that of
    the epoch.
    """

    _has_global_stats = False

    def __init__(
        self,
        name: str | None,
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        **kwargs: Any,
    ):
        self.name, self.output_names, self.label_names = str(name), output_names, label_names
        self._has_global_stats = kwargs.pop('has_global_stats', self._has_global_stats)
        self._kwargs = kwargs
        self.reset()

    def __str__(self):
        return f'EvalMetric: {dict(self.get_name_value())}'

    def get_config(self) -> dict[str, Any]:
        return {
            **self._kwargs,
            'metric': type(self).__name__,
            'name': self.name,
            'output_names': self.output_names,
            'label_names': self.label_names,
        }

    def update_dict(self, label: Any, pred: Any) -> None:
        preds = [pred[n] for n in self.output_names] if self.output_names is not None else list(pred.values())
        labels = (
            [label[n] for n in self.label_names] if self.label_names is not None else list(label.values())
        )
        self.update(labels, preds)

    def update(self, labels: Any, preds: Any) -> Any:
        raise NotImplementedError('an EvalMetric has to overwrite update')

    def reset(self) -> None:
        self.num_inst, self.sum_metric = 0, 0.0
        self.global_num_inst, self.global_sum_metric = 0, 0.0

    def reset_local(self) -> None:
        self.num_inst, self.sum_metric = 0, 0.0

    def add(self, total: Any, count: int) -> None:
        self.sum_metric += total
        self.num_inst += count
        self.global_sum_metric += total
        self.global_num_inst += count

    def get(self) -> tuple[Any, ...]:
        return self.name, self._figure(self.sum_metric, self.num_inst)

    def get_global(self) -> tuple[Any, ...]:
        if not self._has_global_stats:
            return self.get()
        return self.name, self._figure(self.global_sum_metric, self.global_num_inst)

    def _figure(self, total, count):
        return float('nan') if count == 0 else total / count

    @staticmethod
    def _pairs(names, values):
        names, values = ([x] if not isinstance(x, list) else x for x in (names, values))
        return list(zip(names, values))

    def get_name_value(self) -> list[Any]:
        return self._pairs(*self.get())

    def get_global_name_value(self) -> list[Any]:
        return self._pairs(*self.get_global()) if self._has_global_stats else self.get_name_value()


@alias('composite')
class CompositeEvalMetric(EvalMetric):
    """Several metrics as one."""

    _has_global_stats = True

    def __init__(
        self,
        metrics: Any = None,
        name: str | None = 'composite',
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ):
        self.metrics = [create(m) for m in metrics or []]
        super().__init__(name, output_names, label_names)

    def add(self, metric: Any, *_: Any) -> None:
        self.metrics.append(create(metric))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), 'metrics': [m.get_config() for m in self.metrics]}

    def get_metric(self, index: Any) -> Any:
        return (
            self.metrics[index]
            if 0 <= index < len(self.metrics)
            else ValueError(f'Metric index {index} is out of range 0 and {len(self.metrics)}')
        )

    def update_dict(self, labels: Any, preds: Any) -> None:
        for m in self.metrics:
            m.update_dict(labels, preds)

    def update(self, labels: Any, preds: Any) -> None:
        for m in self.metrics:
            m.update(labels, preds)

    def reset(self) -> None:
        for m in self.metrics:
            m.reset()

    def reset_local(self) -> None:
        for m in self.metrics:
            m.reset_local()

    def _all(self, which):
        names, values = [], []
        for m in self.metrics:
            for n, v in self._pairs(*getattr(m, which)()):
                names.append(n)
                values.append(v)
        return names, values

    def get(self) -> tuple[Any, ...]:
        return self._all('get')

    def get_global(self) -> tuple[Any, ...]:
        return self._all('get_global')


@alias('acc')
class Accuracy(EvalMetric):
    """The share of samples whose largest output is the label's."""

    _has_global_stats = True

    def __init__(
        self,
        axis: Any = 1,
        name: str | None = 'accuracy',
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ):
        self.axis = axis
        super().__init__(name, output_names, label_names, axis=axis)

    def update(self, labels: Any, preds: Any) -> None:
        labels, preds = check_label_shapes(labels, preds, True)
        for label, pred in zip(labels, preds):
            label, pred = numbers(label), numbers(pred)
            if pred.shape != label.shape:
                pred = pred.argmax(self.axis)
            label, pred = label.astype(_np.int64).ravel(), pred.astype(_np.int64).ravel()
            check_label_shapes(label, pred)
            self.add(int((pred == label).sum()), len(pred))


@alias('top_k_accuracy', 'top_k_acc')
class TopKAccuracy(EvalMetric):
    """The share of samples whose label is among the k largest outputs."""

    _has_global_stats = True

    def __init__(
        self,
        top_k: int = 1,
        name: str | None = 'top_k_accuracy',
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ):
        if top_k <= 1:
            raise AssertionError('Please use Accuracy if top_k is no more than 1')
        self.top_k = top_k
        ending = f'_{top_k}'
        super().__init__(
            name if name.endswith(ending) else name + ending, output_names, label_names, top_k=top_k
        )

    def update(self, labels: Any, preds: Any) -> None:
        labels, preds = check_label_shapes(labels, preds, True)
        for label, pred in zip(labels, preds):
            label, pred = numbers(label).astype(_np.int64).ravel(), numbers(pred)
            k = min(self.top_k, pred.shape[-1])
            best = _np.argpartition(pred, -k)[:, -k:]
            self.add(int((best == label[:, None]).sum()), len(label))


class _Binary(EvalMetric):
    """Counts of a classifier of two classes."""

    _has_global_stats = True

    def __init__(self, name, output_names=None, label_names=None, average='macro'):
        self.average = average
        super().__init__(name, output_names, label_names, average=average)

    def reset(self):
        super().reset()
        self._counts = _np.zeros(4)  # true and false positives, false and true negatives

    def update(self, labels, preds):
        labels, preds = check_label_shapes(labels, preds, True)
        for label, pred in zip(labels, preds):
            label, pred = numbers(label).astype(_np.int64).ravel(), numbers(pred).argmax(1)
            check_label_shapes(label, pred)
            if len(_np.unique(label)) > 2:
                raise ValueError(f'{type(self).__name__} currently only supports binary classification.')
            now = _np.array(
                [((pred == p) & (label == x)).sum() for p, x in ((1, 1), (1, 0), (0, 1), (0, 0))], float
            )
            if self.average == 'macro':
                self.add(self.score(*now.tolist()), 1)
            else:
                self._counts += now
                count = int(self._counts.sum())
                self.sum_metric = self.global_sum_metric = self.score(*self._counts.tolist()) * count
                self.num_inst = self.global_num_inst = count


@register
class F1(_Binary):
    """The harmonic mean of precision and recall."""

    def __init__(
        self,
        name: str | None = 'f1',
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        average: str = 'macro',
    ):
        super().__init__(name, output_names, label_names, average)

    @staticmethod
    def score(tp: Any, fp: Any, fn: Any, tn: Any) -> float:
        return 2 * tp / (2 * tp + fp + fn) if tp else 0.0


@register
class MCC(_Binary):
    """Matthews' correlation coefficient."""

    def __init__(
        self,
        name: str | None = 'mcc',
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        average: str = 'macro',
    ):
        super().__init__(name, output_names, label_names, average)

    @staticmethod
    def score(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        under = 1.0
        for t in (tp + fp, tp + fn, tn + fp, tn + fn):
            under *= t or 1.0
        return (tp * tn - fp * fn) / math.sqrt(under)


@register
class PCC(EvalMetric):
    """The correlation of labels and predicted classes: Matthews' for any number of classes (Gorodkin
    2004)."""

    _has_global_stats = True

    def __init__(
        self,
        name: str | None = 'pcc',
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ):
        super().__init__(name, output_names, label_names)

    def reset(self) -> None:
        super().reset()
        self._now = self._all = _np.zeros((2, 2))  # how often each class was predicted for each label
        self.global_num_inst = 0

    def reset_local(self) -> None:
        super().reset_local()
        self._now = _np.zeros((2, 2))

    def update(self, labels: Any, preds: Any) -> None:
        labels, preds = check_label_shapes(labels, preds, True)
        for label, pred in zip(labels, preds):
            label, pred = numbers(label).astype(_np.int64).ravel(), numbers(pred).argmax(1)
            size = int(max(label.max(), pred.max())) + 1
            counts = _np.zeros((size, size))
            _np.add.at(counts, (pred, label), 1)
            self._now, self._all = _sum_of(self._now, counts), _sum_of(self._all, counts)
            self.num_inst += 1
            self.global_num_inst += 1

    @staticmethod
    def _correlation(counts):
        n, predicted, labelled = counts.sum(), counts.sum(1), counts.sum(0)
        spread = math.sqrt(float((n * n - (predicted**2).sum()) * (n * n - (labelled**2).sum())))
        return float(n * counts.trace() - (predicted * labelled).sum()) / spread if spread else float('nan')

    def get(self) -> tuple[str, float]:
        return self.name, self._correlation(self._now) if self.num_inst else float('nan')

    def get_global(self) -> tuple[str, float]:
        return self.name, self._correlation(self._all) if self.global_num_inst else float('nan')


def _sum_of(a, b):
    """The sum of two square matrices, the smaller one with zeros behind."""
    size = max(len(a), len(b))
    return sum(_np.pad(x, (0, size - len(x))) for x in (a, b))


@register
class Perplexity(EvalMetric):
    """e to the mean cross-entropy; labels equal to ignore_label do not count."""

    _has_global_stats = True

    def __init__(
        self,
        ignore_label: Any,
        axis: Any = -1,
        name: str | None = 'perplexity',
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ):
        self.ignore_label, self.axis = ignore_label, axis
        super().__init__(name, output_names, label_names, ignore_label=ignore_label)

    def update(self, labels: Any, preds: Any) -> None:
        for label, pred in zip(labels, preds):
            label, pred = numbers(label).astype(_np.int64).ravel(), _np.moveaxis(numbers(pred), self.axis, -1)
            p = pred.reshape(-1, pred.shape[-1])[_np.arange(len(label)), label]
            if self.ignore_label is not None:
                p = p[label != self.ignore_label]
            self.add(-float(_np.log(_np.maximum(1e-10, p)).sum()), len(p))

    def _figure(self, total, count):
        return float('nan') if count == 0 else math.exp(total / count)


class _Error(EvalMetric):
    """A mean over the elements of a batch, then over batches."""

    _has_global_stats = True

    def update(self, labels, preds):
        labels, preds = check_label_shapes(labels, preds, True)
        for label, pred in zip(labels, preds):
            label, pred = (x.reshape(-1, 1) if x.ndim == 1 else x for x in (numbers(label), numbers(pred)))
            self.add(float(self.error(label - pred)), 1)


@register
class MAE(_Error):
    """The mean absolute difference."""

    def __init__(
        self,
        name: str | None = 'mae',
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ):
        super().__init__(name, output_names, label_names)

    @staticmethod
    def error(d: Any) -> Any:
        return _np.abs(d).mean()


@register
class MSE(_Error):
    """The mean squared difference."""

    def __init__(
        self,
        name: str | None = 'mse',
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ):
        super().__init__(name, output_names, label_names)

    @staticmethod
    def error(d: Any) -> Any:
        return (d**2).mean()


@register
class RMSE(_Error):
    """The root of the mean squared difference."""

    def __init__(
        self,
        name: str | None = 'rmse',
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ):
        super().__init__(name, output_names, label_names)

    @staticmethod
    def error(d: Any) -> float:
        return math.sqrt((d**2).mean())


@alias('ce', 'cross-entropy')
class CrossEntropy(EvalMetric):
    """The mean of -log of the label's probability."""

    _has_global_stats = True

    def __init__(
        self,
        eps: float = 1e-12,
        name: str | None = 'cross-entropy',
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ):
        self.eps = eps
        super().__init__(name, output_names, label_names, eps=eps)

    def update(self, labels: Any, preds: Any) -> None:
        labels, preds = check_label_shapes(labels, preds, True)
        for label, pred in zip(labels, preds):
            label, pred = numbers(label).ravel().astype(_np.int64), numbers(pred)
            if label.shape[0] != pred.shape[0]:
                raise AssertionError((label.shape, pred.shape))
            self.add(float((-_np.log(pred[_np.arange(len(label)), label] + self.eps)).sum()), len(label))


@alias('nll_loss')
class NegativeLogLikelihood(CrossEntropy):
    """The same, under another name."""

    def __init__(
        self,
        eps: float = 1e-12,
        name: str | None = 'nll-loss',
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ):
        super().__init__(eps, name, output_names, label_names)


@alias('pearsonr')
class PearsonCorrelation(EvalMetric):
    """The mean over batches of Pearson's correlation."""

    _has_global_stats = True

    def __init__(
        self,
        name: str | None = 'pearsonr',
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        average: str = 'macro',
    ):
        super().__init__(name, output_names, label_names)

    def update(self, labels: Any, preds: Any) -> None:
        labels, preds = check_label_shapes(labels, preds, True)
        for label, pred in zip(labels, preds):
            self.add(float(_np.corrcoef(numbers(pred).ravel(), numbers(label).ravel())[0, 1]), 1)


@register
class Loss(EvalMetric):
    """The mean of the outputs themselves."""

    _has_global_stats = True

    def __init__(
        self,
        name: str | None = 'loss',
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ):
        super().__init__(name, output_names, label_names)

    def update(self, _: Any, preds: Any) -> None:
        for pred in preds if isinstance(preds, (list, tuple)) else [preds]:
            self.add(float(numbers(pred).sum()), pred.size)


@register
class Torch(Loss):
    """Loss under another name."""

    def __init__(
        self,
        name: str | None = 'torch',
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ):
        super().__init__(name, output_names, label_names)


@register
class Caffe(Loss):
    """Loss under another name."""

    def __init__(
        self,
        name: str | None = 'caffe',
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ):
        super().__init__(name, output_names, label_names)


@register
class CustomMetric(EvalMetric):
    """The mean of what a function of label and prediction gives: a number, or a pair of a sum and a count."""

    _has_global_stats = True

    def __init__(
        self,
        feval: Any,
        name: str | None = None,
        allow_extra_outputs: bool = False,
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ):
        if name is None:
            name = feval.__name__
            name = f'custom({name})' if '<' in name else name
        self._feval, self._allow_extra_outputs = feval, allow_extra_outputs
        super().__init__(name, output_names, label_names)

    def get_config(self) -> Any:
        raise NotImplementedError('CustomMetric cannot be serialized')

    def update(self, labels: Any, preds: Any) -> None:
        if not self._allow_extra_outputs:
            labels, preds = check_label_shapes(labels, preds, True)
        for label, pred in zip(labels, preds):
            made = self._feval(numbers(label), numbers(pred))
            self.add(*(made if isinstance(made, tuple) else (made, 1)))


def np(numpy_feval: Any, name: str | None = None, allow_extra_outputs: bool = False) -> CustomMetric:
    """A metric of a function of NumPy arrays."""
    return CustomMetric(numpy_feval, name, allow_extra_outputs)
