"""Metrics by name: functions of all labels and all outputs.

Labels are numbers of classes [n], or targets of a regression [n, ...]; outputs are as the model gives them.
An output of one number for two classes is a score: class 1 is above 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._checks import listed, number, refused
from .label_metrics import all_right, mean_over_labels


def _predicted(outputs):
    """The class of each row of outputs."""
    if outputs.ndim == 1 or outputs.shape[-1] == 1:
        return (outputs.reshape(-1) > 0).astype(np.int64)
    return np.argmax(outputs, axis=-1)


def accuracy(labels: np.ndarray, outputs: np.ndarray) -> float:
    """The share of samples whose class is right."""
    return float(np.mean(_predicted(outputs) == labels))


def top_5_accuracy(labels: np.ndarray, outputs: np.ndarray) -> float:
    """The share of samples whose class is among the five largest outputs."""
    own = outputs[np.arange(len(outputs)), labels]
    return float(np.mean(np.sum(outputs > own[:, None], axis=1) < 5))


def _counts(labels, outputs):
    """For each class: how often it is right, is predicted, is there; of two classes class 1 alone."""
    predicted = _predicted(outputs)
    count = max(outputs.shape[-1] if outputs.ndim > 1 else 1, 2)
    right = np.bincount(labels[predicted == labels], minlength=count)
    found = [right, np.bincount(predicted, minlength=count), np.bincount(labels, minlength=count)]
    return [counts[1:] if count == 2 else counts for counts in found]


def _share(parts, wholes):
    """The mean of the shares; one of nothing is 0."""
    return float(np.mean(parts / np.maximum(wholes, 1)))


def precision(labels: np.ndarray, outputs: np.ndarray) -> float:
    """Of the samples that are said to be of a class, the share that is; the mean over the classes."""
    right, predicted, _ = _counts(labels, outputs)
    return _share(right, predicted)


def recall(labels: np.ndarray, outputs: np.ndarray) -> float:
    """Of the samples of a class, the share that is found; the mean over the classes."""
    right, _, there = _counts(labels, outputs)
    return _share(right, there)


def f1(labels: np.ndarray, outputs: np.ndarray) -> float:
    """The harmonic mean of precision and recall of a class; the mean over the classes."""
    right, predicted, there = _counts(labels, outputs)
    return _share(2 * right, predicted + there)


def auc(labels: np.ndarray, outputs: np.ndarray) -> float:
    """How often a sample of class 1 has a higher score than one of class 0; equal scores count a half. NaN
    where one of the classes is missing."""
    scores = outputs.reshape(len(outputs), -1).astype(np.float64)
    if scores.shape[1] > 2:
        raise ValueError(f"the metric 'auc' is for two classes, the model has {scores.shape[1]}")
    scores = scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores[:, 0]
    _, places, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[places.reshape(-1)]
    ones = int(np.sum(labels == 1))
    zeros = len(labels) - ones
    if not ones or not zeros:
        return float('nan')
    return float((np.sum(ranks[labels == 1]) - ones * (ones + 1) / 2) / (ones * zeros))


def mse(labels: np.ndarray, outputs: np.ndarray) -> float:
    """The mean of the squared distance."""
    return float(np.mean(np.square(outputs.astype(np.float64) - labels)))


def mae(labels: np.ndarray, outputs: np.ndarray) -> float:
    """The mean of the distance."""
    return float(np.mean(np.abs(outputs.astype(np.float64) - labels)))


def r2(labels: np.ndarray, outputs: np.ndarray) -> float:
    """1 - the squared distance from the outputs over the one from the mean; the mean over the outputs."""
    labels, outputs = labels.reshape(len(labels), -1).astype(np.float64), outputs.reshape(len(outputs), -1)
    rest = np.sum(np.square(outputs - labels), axis=0)
    spread = np.sum(np.square(labels - labels.mean(axis=0)), axis=0)
    shares = np.where(spread > 0, rest / np.where(spread > 0, spread, 1), np.where(rest > 0, 1.0, 0.0))
    return float(np.mean(np.where(np.isnan(rest), rest, 1 - shares)))


_OF_CLASSES = {f.__name__: f for f in (accuracy, top_5_accuracy, precision, recall, f1, auc)}
_OF_NUMBERS = {f.__name__: f for f in (mse, mae, r2)}
_OF_LABELS = {
    'accuracy': all_right,
    **{f.__name__: mean_over_labels(f) for f in (precision, recall, f1, auc)},
}
# By the kind of an output's labels: classes; several labels that are 0 or 1, or shares; numbers.
_BY_KIND = {'classes': _OF_CLASSES, 'labels': {**_OF_LABELS, **_OF_NUMBERS}, 'numbers': _OF_NUMBERS}
SMALLER_IS_BETTER = {'loss', 'mse', 'mae'}


def are_of_classes(given: Any) -> bool:
    """Whether one of the metrics is for labels that are classes."""
    if given is None:
        return False
    parts = [given] if isinstance(given, str) or callable(given) else listed(given, 'metrics')
    return any(isinstance(one, str) and one in _OF_CLASSES for one in parts)


def metrics_named(given: Any, kind: str) -> dict[str, Any]:
    """The functions of metrics that are given by name or as functions, by their names; `kind` is that of the
    labels: 'classes', 'labels', 'numbers'."""
    if given is None:
        return {}
    found = {}
    for one in [given] if isinstance(given, str) or callable(given) else listed(given, 'metrics'):
        if isinstance(one, str):
            if one not in _OF_CLASSES and one not in _OF_NUMBERS:
                known = ', '.join([*_OF_CLASSES, *_OF_NUMBERS])
                raise ValueError(
                    f"there is no metric '{one}'\n  remedy   {known}, or a function of (labels, outputs)"
                )
            if one not in _BY_KIND[kind]:
                wanted = 'classes' if one in _OF_CLASSES else 'numbers'
                raise ValueError(f"the metric '{one}' is for labels that are {wanted}")
            found[one] = _BY_KIND[kind][one]
        elif callable(one):
            found[getattr(one, '__name__', type(one).__name__)] = one
        else:
            raise refused('one of the metrics', 'a name or a function of (labels, outputs)', one)
    return found


def measured(
    metrics: dict[str, Any], labels: np.ndarray, outputs: np.ndarray, classes: bool
) -> dict[str, float]:
    """The value of each metric."""
    if classes and outputs.ndim > 2:  # [n, classes, rows, columns]: each pixel counts as a sample
        if labels.ndim == outputs.ndim:
            labels = np.argmax(labels, axis=1)
        outputs = np.moveaxis(outputs, 1, -1).reshape(-1, outputs.shape[1])
        labels = labels.reshape(-1)
    if classes:
        is_row = labels.ndim > 1 and labels.shape[-1] > 1
        labels = (np.argmax(labels, axis=-1) if is_row else labels.reshape(-1)).astype(np.int64)
    return {name: number(metric(labels, outputs), f"the metric '{name}'") for name, metric in metrics.items()}
