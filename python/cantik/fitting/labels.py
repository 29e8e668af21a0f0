"""Labels: classes as numbers, names or one-hot rows, and targets of a regression."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._checks import listed, refused, shown, text
from .columns import Column


class Classes:
    """The classes of a training, in the order of the outputs.

    Args:
        count (int): how many outputs there are
        places (tuple): (rows, columns) where each pixel of an image has a class
    """

    def __init__(self, count: int, places: tuple[int, ...] = ()):
        self.count, self.places, self.names = count, places, None

    def numbers(self, labels: Column) -> Column:
        """Labels as numbers of classes, float32 as inputs take them; rows of probabilities stay rows."""
        if isinstance(labels.data, list):
            labels.data = [self._numbers(item, labels.what) for item in labels.data]
            return labels
        if labels.is_sparse:
            labels.data = labels.data.toarray()
        data = labels.data
        if data.ndim == 2 + len(self.places) and data.shape[1] == self.count and self.count > 1:
            return labels.numbers(np.float32)
        if self.places:
            return self._numbers_of_places(labels)
        if data.ndim == 2 and data.shape[1] != 1:
            raise ValueError(
                f'{labels.what} does not fit the model\n'
                f'  expected a class a sample, [n], or a row of {self.count} numbers, one for each output\n'
                f'  got      the shape {data.shape}'
            )
        labels.data = self._numbers(data.reshape(-1) if data.ndim <= 2 else data, labels.what)
        return labels

    def _numbers_of_places(self, labels):
        rest = [size for size in labels.sample_shape if size != 1]
        if rest != [size for size in self.places if size != 1]:
            raise ValueError(
                f'{labels.what} does not fit the model\n'
                f'  expected a class for each pixel, {self.places}, or one-hot {(self.count, *self.places)}\n'
                f'  got      the shape {labels.sample_shape}'
            )
        labels.data = self._numbers(labels.data.reshape(len(labels), *self.places), labels.what)
        return labels

    def as_rows(self, labels: Column) -> None:
        """Numbers of classes become one-hot rows."""
        if labels.sample_shape == self.places:
            rows = np.eye(self.count, dtype=np.float32)[labels.data.astype(np.int64)]
            labels.data = np.moveaxis(rows, -1, 1)

    def as_numbers(self, labels: Column) -> None:
        """One-hot rows become numbers of classes."""
        if labels.sample_shape != (self.count, *self.places):
            return
        ones = np.count_nonzero(labels.data)
        if not np.all((labels.data == 1).sum(axis=1) == 1) or ones * self.count != labels.data.size:
            raise ValueError(
                f'{labels.what} must be numbers or one-hot rows, as the training data are numbers'
            )
        labels.data = np.argmax(labels.data, axis=1).astype(np.float32)

    def _numbers(self, labels, what):
        if labels.dtype.kind in 'OUS':
            return self._numbers_of_names(labels, what)
        if labels.dtype.kind not in 'biuf' or not np.all(labels == np.floor(labels)):
            raise ValueError(
                f'{what} are no classes: they must be whole numbers, names or one-hot rows, '
                f'not {shown(labels.ravel()[0])}'
            )
        most = max(self.count, 2) - 1
        if labels.size and (labels.min() < 0 or labels.max() > most):
            raise ValueError(
                f'{what} does not fit the model\n'
                f'  expected classes from 0 to {most}, for {self.count} output(s)\n'
                f'  got      classes from {labels.min():g} to {labels.max():g}'
            )
        return np.ascontiguousarray(labels, np.float32)

    def _numbers_of_names(self, labels, what):
        given = labels.ravel().tolist()
        if not all(issubclass(kind, str) for kind in set(map(type, given))):
            raise ValueError(f'{what}: names of classes must all be texts')
        found = sorted(set(given))
        if self.names is None:
            self.names = self._in_order(found, what)
        places = {name: float(i) for i, name in enumerate(self.names)}
        unknown = [name for name in found if name not in places]
        if unknown:
            raise ValueError(
                f"{what} has the class '{unknown[0]}', which is none of the model's\n"
                f'  expected {_few(self.names)}\n'
                '  remedy   classes=[...], if the outputs shall have other names'
            )
        return np.array([places[name] for name in given], np.float32).reshape(labels.shape)

    def name(self, names: Any) -> None:
        """Gives the outputs the names of their classes."""
        names = [str(text(name, 'the name of a class')) for name in listed(names, 'classes')]
        count = max(self.count, 2)
        if len(names) != count or len(set(names)) < count:
            raise ValueError(
                f'classes must be {count} different names, one for each class, not {shown(names)}'
            )
        self.names = names

    def _in_order(self, found, what):
        """The names that the labels have, if they are those of all classes."""
        count = max(self.count, 2)
        if len(found) == count:
            return found
        last = f'give the last layer {len(found)} outputs'
        if len(found) > count:
            raise ValueError(
                f'{what} has {len(found)} classes, the model {self.count} output(s)\n  remedy   {last}'
            )
        raise ValueError(
            f'{what} has {len(found)} of {count} classes, so that the places of their names are not known\n'
            f'  got      {_few(found)}\n'
            '  remedy   classes=[...], the names of all classes in the order of the outputs'
            + (f'; or {last}' if len(found) > 1 else '')
        )


def _few(names):
    return ', '.join(names[:10]) + (', ...' if len(names) > 10 else '')


def weights_of(labels: Column, classes: Classes, class_weight: Any) -> np.ndarray:
    """The weight of each sample by its class; 'balanced' gives all classes the same sum."""
    data = labels.data
    numbers = (np.argmax(data, axis=1) if data.ndim == 2 else data.reshape(-1)).astype(np.int64)
    count = max(classes.count, 2)
    if class_weight == 'balanced':
        found = np.bincount(numbers, minlength=count)
        there = np.count_nonzero(found)
        return (len(numbers) / (there * np.maximum(found, 1.0)))[numbers].astype(np.float32)
    if not isinstance(class_weight, dict):
        raise refused('class_weight', "'balanced' or a dictionary", class_weight)
    table = np.ones(count, np.float32)
    for key, weight in class_weight.items():
        if classes.names is not None and key in classes.names:
            key = classes.names.index(key)
        elif classes.names is not None or isinstance(key, str) or not 0 <= int(key) < count:
            raise ValueError(f'class_weight has {key!r}, which is no class')
        table[int(key)] = weight
    return table[numbers]
