"""Shapes and element types of a symbol's values. Shapes of parameters follow by the table, those of results from Cantik's own types."""
import warnings

import numpy as np

from ..base import DTYPES, MXNetError, as_dtype, literal
from ..lower import text
from .graph import auxiliary


class Inferred:
    """What is known of each entry, by (id of the node, number of the output)."""

    def __init__(self, symbol, shapes, types):
        self.symbol, self.nodes = symbol, symbol.nodes()
        self.shapes, self.types, self._hints = {}, {}, {}  # hints: shapes of which a part is known
        for n in self.nodes:
            if n.op is None:
                given = shapes.get(n.name)
                given = literal(n.attrs['__shape__']) if given is None and '__shape__' in n.attrs else given
                self.shapes[id(n), 0] = tuple(given) if given is not None and complete(given) else None
                if given is not None and not complete(given):
                    self._hints[id(n)] = tuple(given)
                t = types.get(n.name)
                self.types[id(n), 0] = DTYPES[int(n.attrs['__dtype__'])] if t is None and '__dtype__' in n.attrs else t

    def run(self):
        for n in self.nodes:
            if n.op is not None:
                self._types(n)
        for key, t in self.types.items():
            self.types[key] = np.dtype(np.float32 if t is None else t)
        for n in self.nodes:
            if n.op is not None:
                self._node_types(n)
        for _ in range(3):
            before = sum(s is not None for s in self.shapes.values())
            for n in self.nodes:
                if n.op is not None:
                    self._shapes(n)
            if sum(s is not None for s in self.shapes.values()) == before:
                break
        return self

    def _types(self, n):
        """Operands of unknown type have that of the others."""
        known = [self.types.get((id(m), i)) for m, i in n.inputs]
        first = next((t for t in known if t is not None), None)
        if hasattr(n.op, 'complete_types'):
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
        from ..eager import call_for
        known = [self.shapes.get((id(m), i)) for m, i in n.inputs]
        count = n.aux_from()
        try:
            if n.op.complete:
                wanted = n.op.complete(n.attributes, list(known))
                for (m, i), shape in zip(n.inputs, wanted):
                    if shape is not None:
                        self._learn(m, i, tuple(int(s) for s in shape))
                known = [self.shapes.get((id(m), i)) for m, i in n.inputs]
            if any(k is None for k in known[:count]) or (id(n), 0) in self.shapes and self.shapes[id(n), 0] is not None:
                return
            if any(k is None for k in known):
                return
            for i, shape in enumerate(self._made(n, known, call_for)):
                self.shapes[id(n), i] = shape
        except (ValueError, RuntimeError, TypeError) as e:
            raise MXNetError('Error in operator {}: {}'.format(n.name, e)) from e

    def _made(self, n, known, call_for):
        if hasattr(n.op, 'shapes_of'):
            return n.op.shapes_of(n.attributes, known)
        operands = tuple((s, np.dtype(self.types[id(m), i])) for s, (m, i) in zip(known, n.inputs))
        return [v.shape for v in call_for(n.op, n.attributes, n.op.key(n.attributes), operands, False, False).outputs]

    def _learn(self, m, i, shape):
        known = self.shapes.get((id(m), i))
        hint = self._hints.get(id(m)) if m.op is None else None
        if known is None and hint is not None and (len(hint) != len(shape) or any(h not in (0, s) for h, s in zip(hint, shape))) and hint:
            known = hint
        if known is None:
            self.shapes[id(m), i] = shape
        elif known != shape:
            raise MXNetError('Shape inconsistent, Provided = {}, inferred shape=({})'.format(text(known), ','.join(map(str, shape))))

    def of(self, table, entries, default):
        return [default if table.get(e) is None else table[e] for e in entries]


def complete(shape):
    return bool(shape) and all(s and s > 0 for s in shape)


def inferred(symbol, shapes=(), types=()):
    return Inferred(symbol, dict(shapes), dict(types)).run()


def by_name(symbol, args, kwargs, what):
    """Arguments by position or by name, as a dictionary."""
    if args and kwargs:
        raise ValueError('Can only specify known argument {}s either by positional or kwargs way.'.format(what))
    names = symbol.list_arguments()
    if args:
        return {n: v for n, v in zip(names, args) if v is not None}
    every = set(symbol.list_inputs())
    for k in kwargs:
        if k not in every:
            raise MXNetError('Infer{}Keyword argument name {} not found.\nCandidate arguments:\n{}'.format(
                what.title(), k, '\n'.join('\t[{}]{}'.format(i, n) for i, n in enumerate(names))))
    return {k: v for k, v in kwargs.items() if v is not None}


def entries(symbol, nodes):
    aux = auxiliary(nodes)
    variables = [n for n in nodes if n.op is None]
    return ([(id(n), 0) for n in variables if id(n) not in aux], [(id(n), i) for n, i in symbol._heads], [(id(n), 0) for n in variables if id(n) in aux])


def infer_shape(symbol, args, kwargs, partial):
    known = by_name(symbol, args, kwargs, 'shape')
    found = inferred(symbol, known)
    groups = entries(symbol, found.nodes)
    made = tuple(found.of(found.shapes, g, ()) for g in groups)
    if not partial and any(s == () for shapes in made for s in shapes):
        unknown = [n for n, s in zip(symbol.list_arguments(), made[0]) if s == ()]
        warnings.warn('Cannot decide shape for the following arguments (0s in shape means unknown dimensions). Consider providing them as input:\n\t{}'.format(
            '\n\t'.join('{}: ()'.format(n) for n in unknown)), stacklevel=3)
        return None, None, None
    return made


def infer_type(symbol, args, kwargs):
    known = {k: as_dtype(v) for k, v in by_name(symbol, args, kwargs, 'type').items()}
    found = inferred(symbol, (), known)
    groups = entries(symbol, found.nodes)
    return tuple([np.dtype(found.types[e]).type for e in g] for g in groups)
