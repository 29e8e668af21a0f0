"""Shapes and element types of a symbol's values. Shapes of parameters follow by the table, those of results
from Cantik's own types."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base import DTYPES, MXNetError, as_dtype, literal
from ..lower import text
from ..ndarray.eager import call_for
from .graph import auxiliary

if TYPE_CHECKING:
    from ...mxnet.symbol.symbol import Symbol


PROBES = 60, 120  # sizes that an unknown axis is tried with; much divides them


class Inferred:
    """What is known of each entry, by (id of the node, number of the output). In a shape, 0 is an axis of
    unknown size."""

    def __init__(self, symbol: Symbol, shapes: Any, types: Any):
        self.symbol, self.nodes = symbol, symbol.nodes()
        self.shapes, self.types = {}, {}
        for n in self.nodes:
            if n.op is None:
                given = shapes.get(n.name)
                given = literal(n.attrs['__shape__']) if given is None and '__shape__' in n.attrs else given
                self.shapes[id(n), 0] = (
                    tuple(max(int(s), 0) for s in given) if given is not None and len(given) else None
                )
                t = types.get(n.name)
                self.types[id(n), 0] = (
                    DTYPES[int(n.attrs['__dtype__'])] if t is None and '__dtype__' in n.attrs else t
                )

    def run(self) -> Inferred:
        applied = [n for n in self.nodes if n.op is not None]
        for n in applied:
            self._types(n)
        for key, t in self.types.items():
            self.types[key] = np.dtype(np.float32 if t is None else t)
        for n in applied:
            self._node_types(n)
        before = None
        while before != self.shapes:
            before = dict(self.shapes)
            for n in applied:
                self._shapes(n)
            for n in reversed(applied):
                self._shapes(n)
        return self

    def _types(self, n):
        """Operands of unknown type have that of the others."""
        known = [self.types.get((id(m), i)) for m, i in n.inputs]
        first = next((t for t in known if t is not None), None)
        if getattr(n.op, 'complete_types', None):
            known = n.op.complete_types(n.attributes, known)
        for (m, i), t in zip(n.inputs, known):
            if self.types.get((id(m), i)) is None:
                self.types[id(m), i] = t if t is not None else first
        self._node_types(n)

    def _node_types(self, n):
        operands = [self.types.get((id(m), i)) for m, i in n.inputs]
        operands = [None if t is None else np.dtype(t) for t in operands]
        count = len(n.op.list_outputs(n.attributes))
        if n.op.types:
            if any(t is None for t in operands):
                operands = [np.dtype(np.float32) if t is None else t for t in operands]
            made = n.op.types(n.attributes, operands)
            made = list(made) if isinstance(made, (list, tuple)) else [made] * count
        else:
            made = [operands[0] if operands else np.dtype(np.float32)] * count
        for i, t in enumerate(made[:count]):
            self.types[id(n), i] = t

    def _shapes(self, n):
        """What the operator says of its operands' and results' shapes, from what is known of both."""
        count = len(n.op.list_outputs(n.attributes))

        def operands():
            return [self.shapes.get((id(m), i)) for m, i in n.inputs]

        def results():
            return [self.shapes.get((id(n), i)) for i in range(count)]

        try:
            for rule in (
                lambda: n.op.complete and n.op.complete(n.attributes, operands()),
                lambda: n.op.back and n.op.back(n.attributes, operands(), results()),
            ):
                for (m, i), shape in zip(n.inputs, rule() or ()):
                    self._learn((id(m), i), shape)
            if n.op.alike:
                self._alike(n, operands() + results())
            elif all(s is not None for s in operands()) and not all(
                s is not None and complete(s) for s in results()
            ):
                for i, shape in enumerate(self._made(n, operands())):
                    self._learn((id(n), i), shape)
        except (ValueError, RuntimeError, TypeError, IndexError) as e:
            raise MXNetError(f'Error in operator {n.name}: {e}') from e

    def _alike(self, n, shapes):
        """Operands and the result have one shape."""
        one = None
        for i, shape in enumerate(s for s in shapes if s is not None):
            try:
                one = merged(one, shape)
            except MXNetError:
                raise MXNetError(
                    f'Check failed: assign(&dattr, vec.at(i)): Incompatible attr in node {n.name} at {i}-th '
                    f'input: expected {text(one)}, got {text(shape)}'
                ) from None
        for key in [(id(m), i) for m, i in n.inputs] + [(id(n), 0)]:
            self._learn(key, one)

    def _made(self, n, known):
        """Shapes of the results. Where sizes of operands are unknown, those that are the same whatever they
        are."""
        if n.op.shapes_of:
            return n.op.shapes_of(n.attributes, known)
        if all(complete(s) for s in known):
            return self._with(n, known)
        try:
            small, large = (self._with(n, [tuple(d or size for d in s) for s in known]) for size in PROBES)
        except (ValueError, RuntimeError, TypeError, IndexError):  # the operands do not fit by these sizes
            return []
        return [
            tuple(p if p == q else 0 for p, q in zip(s, t)) if len(s) == len(t) else None
            for s, t in zip(small, large)
        ]

    def _with(self, n, known):
        operands = tuple((s, np.dtype(self.types[id(m), i])) for s, (m, i) in zip(known, n.inputs))
        return [
            v.shape
            for v in call_for(n.op, n.attributes, n.op.key(n.attributes), operands, False, False).outputs
        ]

    def _learn(self, key, shape):
        if shape is not None:
            self.shapes[key] = merged(self.shapes.get(key), tuple(int(s) for s in shape))

    def of(self, table: Any, entries: Any, default: Any) -> list[Any]:
        return [default if table.get(e) is None else table[e] for e in entries]


def merged(known: Any, shape: Any) -> tuple[Any, ...]:
    """What two statements of one shape say together."""
    if known is None:
        return shape
    if len(known) != len(shape) or any(a and b and a != b for a, b in zip(known, shape)):
        raise MXNetError(
            'Shape inconsistent, Provided = {}, inferred shape=({})'.format(
                text(known), ','.join(map(str, shape))
            )
        )
    return tuple(a or b for a, b in zip(known, shape))


def complete(shape: Any) -> bool:
    return shape is not None and all(s > 0 for s in shape)


def inferred(symbol: Symbol, shapes: Any = (), types: Any = ()) -> Inferred:
    return Inferred(symbol, dict(shapes), dict(types)).run()


def by_name(symbol: Symbol, args: Any, kwargs: Any, what: str) -> dict[Any, Any]:
    """Arguments by position or by name, as a dictionary."""
    if args and kwargs:
        raise ValueError(f'Can only specify known argument {what}s either by positional or kwargs way.')
    names = symbol.list_arguments()
    if args:
        return {n: v for n, v in zip(names, args) if v is not None}
    every = set(symbol.list_inputs())
    for k in kwargs:
        if k not in every:
            raise MXNetError(
                'Infer{}Keyword argument name {} not found.\nCandidate arguments:\n{}'.format(
                    what.title(), k, '\n'.join(f'\t[{i}]{n}' for i, n in enumerate(names))
                )
            )
    return {k: v for k, v in kwargs.items() if v is not None}


def entries(symbol: Symbol, nodes: Any) -> tuple[Any, ...]:
    aux = auxiliary(nodes)
    variables = [n for n in nodes if n.op is None]
    return (
        [(id(n), 0) for n in variables if id(n) not in aux],
        [(id(n), i) for n, i in symbol._heads],
        [(id(n), 0) for n in variables if id(n) in aux],
    )


def undecided(symbol: Symbol, found: Any) -> list[str]:
    """Lines that name the arguments whose shape is not known, or known in part."""
    names, groups = symbol.list_arguments(), entries(symbol, found.nodes)
    return [
        f'{n}: {found.shapes.get(e) or ()}'
        for n, e in zip(names, groups[0])
        if not complete(found.shapes.get(e))
    ]


def infer_shape(symbol: Symbol, args: Any, kwargs: Any, partial: Any) -> tuple[Any, ...]:
    known = by_name(symbol, args, kwargs, 'shape')
    found = inferred(symbol, known)
    groups = entries(symbol, found.nodes)
    made = tuple(found.of(found.shapes, g, ()) for g in groups)
    if not partial and any(s == () or 0 in s for shapes in made for s in shapes):
        warnings.warn(
            'Cannot decide shape for the following arguments (0s in shape means unknown dimensions). '
            'Consider providing them as input:\n\t{}'.format('\n\t'.join(undecided(symbol, found))),
            stacklevel=3,
        )
        return None, None, None
    return made


def infer_type(symbol: Symbol, args: Any, kwargs: Any) -> tuple[Any, ...]:
    known = {k: as_dtype(v) for k, v in by_name(symbol, args, kwargs, 'type').items()}
    found = inferred(symbol, (), known)
    groups = entries(symbol, found.nodes)
    return tuple([np.dtype(found.types[e]).type for e in g] for g in groups)
