"""Metrics of samples that have several labels, each 0 or 1, and of pixels, as scikit-learn counts them.

Labels and outputs are [n, labels], where an output above 0 stands for 1. Of pixels, [n, rows, columns] and
[n, labels, rows, columns], each counts as a sample. Precision, recall, F1 and AUC are means over the labels:
scikit-learn's average='macro', with zero_division=0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable


def _rows(labels, outputs):
    """Both as [samples, labels], the labels as whole numbers."""
    labels = labels.reshape(outputs.shape)
    if outputs.ndim == 3:  # [n, rows, columns]: one label for each pixel
        labels, outputs = labels[:, None], outputs[:, None]
    labels, outputs = (np.moveaxis(x, 1, -1).reshape(-1, x.shape[1]) for x in (labels, outputs))
    if not np.isin(labels, (0, 1)).all():
        raise ValueError(
            'metrics of several labels are for labels that are 0 or 1\n'
            f'  got      labels from {labels.min():g} to {labels.max():g}\n'
            "  remedy   metrics='mse' or 'mae', or a function of (labels, outputs)"
        )
    return labels.astype(np.int64), outputs


def all_right(labels: np.ndarray, outputs: np.ndarray) -> float:
    """The accuracy: the share of samples whose labels are all right."""
    labels, outputs = _rows(labels, outputs)
    return float(np.mean(np.all((outputs > 0) == labels, axis=1)))


def mean_over_labels(metric: Callable[..., float]) -> Callable[..., float]:
    """The mean over the labels of a metric of two classes."""

    def mean(labels, outputs):
        labels, outputs = _rows(labels, outputs)
        return float(np.mean([metric(*pair) for pair in zip(labels.T, outputs.T)]))

    return mean
