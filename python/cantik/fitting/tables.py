"""Training data as users have them, taken apart into features and labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._checks import refused
from ..io.columns import columns
from .columns import Column, joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..variables import Variable


def is_source(data: Any) -> bool:
    """Whether it is a source of minibatches."""
    return hasattr(data, 'next_minibatch')


def is_table(data: Any) -> bool:
    """Whether it is a dictionary of columns, a data frame, or a structured array."""
    if isinstance(data, (list, tuple)):
        return False
    is_structured = isinstance(data, np.ndarray) and data.dtype.names is not None
    return (
        isinstance(data, dict) or is_structured or hasattr(data, 'column_names') or hasattr(data, 'columns')
    )


def refuse_iterables(data: Any, what: str) -> None:
    """Raises where samples would have to be asked for one after another, as of loaders and data sets."""
    has_rows = hasattr(data, 'shape') or hasattr(data, '__array__') or is_table(data)
    if has_rows or isinstance(data, (list, tuple, str, bytes, range)):
        return
    if hasattr(data, '__getitem__') and hasattr(data, '__len__'):
        remedy = (
            'C.io.MinibatchSource(C.io.DatasetDeserializer(data)), of anything with len(data) and data[i]'
        )
    elif hasattr(data, '__iter__'):
        remedy = (
            'C.io.IterableSource(data), or with batches=True of a loader of batches, such as a DataLoader'
        )
    else:
        return
    raise TypeError(
        f'{what} must be an array, a table, a list of sequences or a source of minibatches\n'
        f'  got      an object of the class {type(data).__name__}\n'
        f'  remedy   {remedy}'
    )


def features_and_labels(data: Any, labels: Any, what: str = 'data') -> tuple[Any, Any]:
    """The two parts: of a pair, of a table with the name of a column, or what was given apart."""
    refuse_iterables(data, what)
    if isinstance(labels, (list, tuple)) and is_table(data):
        _refuse_names(labels, columns(data) or {}, what)
    if isinstance(labels, str):
        if not is_table(data):
            raise refused('labels', 'an array: data is no table, so labels name no column', labels)
        table = columns(data) or {}
        if labels not in table:
            raise ValueError(f"{what} has no column '{labels}'; it has {', '.join(table)}")
        return {name: column for name, column in table.items() if name != labels}, table[labels]
    if labels is not None:
        return data, labels
    if isinstance(data, tuple) and len(data) == 2:
        return data
    raise ValueError(
        f'{what} has no labels\n'
        '  expected a pair (X, y), or labels=\n'
        f'  got      {type(data).__name__}\n'
        "  remedy   give labels=y, or labels='name' for a column of a table"
    )


def _refuse_names(labels, table, what):
    """Raises where labels are names of several columns."""
    are_names = labels and all(isinstance(name, str) and name in table for name in labels)
    if are_names and len(labels) != len(next(iter(table.values()))):
        raise ValueError(
            f'labels name {len(labels)} columns of {what}, {", ".join(labels)}, and may name one\n'
            '  remedy   take them out: labels=np.stack([...], axis=1) for numbers of one output, or a '
            'dictionary from the outputs of the model to columns'
        )


def feature_columns(
    data: Any, inputs: Sequence[Variable], known: Sequence[str] = (), what: str = 'data'
) -> list[Column]:
    """A column for each input; with placeholders, which have no shape yet, as the data are.

    Args:
        known: the columns that the model's only input was trained with, side by side (`known_columns`)
    """
    refuse_iterables(data, what)
    names = [v.name for v in inputs]
    if is_table(data):
        table = columns(data) or {}
        if not table:
            raise ValueError(f'{what} has no columns')
        if isinstance(data, dict) and _has_variables(data):
            return _by_variable(data, inputs, what)
        is_one = len(inputs) == 1
        # The name of a layer's only placeholder is the layer's own affair.
        if all(name in table for name in names) and not (is_one and inputs[0].is_placeholder):
            return [Column(table[name], f"{what}['{name}']") for name in names]
        if is_one and len(table) == 1 and not known:
            return [Column(part, f"{what}['{name}']") for name, part in table.items()]
        if is_one:
            return [_side_by_side(_in_order(table, known, what), what)]
        raise ValueError(
            f'{what} has not the columns of the inputs\n'
            f'  expected {", ".join(name or "(an input without a name)" for name in names)}\n'
            f'  got      {", ".join(table)}'
        )
    if len(inputs) == 1:
        return [Column(data, what)]
    if not isinstance(data, (tuple, list)) or len(data) != len(inputs):
        raise ValueError(
            f'the model has {len(inputs)} inputs, but {what} is '
            f'{len(data) if isinstance(data, (tuple, list)) else "a single"} part(s)\n'
            '  remedy   give a dictionary from the names of the inputs to arrays'
        )
    return [Column(part, f'{what}[{i}]') for i, part in enumerate(data)]


def _side_by_side(table, what):
    column = Column(joined(list(table.items()), what), what)
    column.joined = tuple(table)
    return column


def _in_order(table, known, what):
    """The columns in the order of those that the model knows."""
    if not known or list(table) == list(known):
        return table
    if set(table) != set(known):
        raise ValueError(
            f'{what} has not the columns that the model was trained with\n'
            f'  expected {", ".join(known)}\n'
            f'  got      {", ".join(table)}\n'
            '  remedy   give an array where other columns shall take their places'
        )
    return {name: table[name] for name in known}


def _has_variables(data):
    return all(hasattr(key, 'uid') for key in data)


def _by_variable(data, inputs, what):
    given = {key.uid: part for key, part in data.items()}
    missing = [v.name or v.uid for v in inputs if v.uid not in given]
    if missing:
        raise ValueError(f'{what} has nothing for the inputs {", ".join(missing)}')
    return [Column(given[v.uid], what) for v in inputs]


def size_of(parts: list[Column]) -> int:
    """How many samples there are; all parts have as many."""
    sizes = {part.what: len(part) for part in parts}
    if len(set(sizes.values())) > 1:
        found = ', '.join(f'{n} in {what}' for what, n in sizes.items())
        raise ValueError(f'Found input variables with inconsistent numbers of samples: {found}')
    n = next(iter(sizes.values()))
    if n == 0:
        raise ValueError(f'{parts[0].what} has no samples')
    return n
