"""Operators on arrays at once: one program for each operator, its attributes and the shapes that come, kept for the next call."""
import numpy as np

from . import tape
from .base import MXNetError
from .lower import Lowering, compute_type
from .program import Program
from .table import find

NDArray = None  # the class of arrays, which needs this module: it puts itself here
_programs = {}
_MOST = 2048


class Call:
    """One operator over operands of known shapes and types."""

    def __init__(self, op, attributes, operands, train, gradient):
        live = [name for name in op.live if attributes[name] is not None]
        compute = compute_type([t for _, t in operands])
        g = Lowering(compute, train, gradient)
        g.context = self.context = op.context() if op.context else None
        leaves = [g.leaf(shape, t, gradient=gradient and t.kind == 'f') for shape, t in operands]
        numbers = [g.leaf((), None) for _ in live]
        a = attributes
        if live:
            a = type(attributes)(attributes)
            a.update(zip(live, numbers))
        self.outputs = g.node(op, a, leaves)
        self.updates = [(i, v) for _, i, v in g.updates]
        self.fixed = [(i, number) for _, i, number in g.fixed]
        losses = [v for _, v in g.losses] if gradient else []
        self.program = Program(self.outputs + [v for _, v in self.updates], losses, leaves + numbers)
        self.live, self.compute = live, compute


def call_for(op, attributes, key, operands, train, gradient):
    key = (op, key, operands, train, gradient)
    found = _programs.get(key)
    if found is None:
        if len(_programs) >= _MOST:
            _programs.clear()
        found = Call(op, attributes, operands, train, gradient)
        _programs[key] = found
    return found


def forget_random():
    """Programs that draw begin their streams anew."""
    for key in [k for k in _programs if k[0].random]:
        del _programs[key]


def invoke(name, operands, kwargs, out=None):
    """The operator on arrays. `out`: the arrays that take the results."""
    op = find(name)
    if op.variadic and op.variadic not in kwargs:
        kwargs[op.variadic] = len(operands)
    for o in operands:
        if not isinstance(o, NDArray):
            raise TypeError('{}: an operand is an NDArray, not {}'.format(name, type(o).__name__))
    attributes = op.read(kwargs)
    names = op.list_inputs(attributes)
    aux = op.list_aux(attributes)
    if len(operands) != len(names) + len(aux):
        raise MXNetError('Operator {} expects {} inputs, but got {} instead.'.format(op.name, len(names) + len(aux), len(operands)))
    shapes = tuple((o._np.shape, o._np.dtype) for o in operands)
    recorded = tape.recording() and any(o._entry is not None for o in operands[:len(names)])
    train = tape.training()
    if op.name in STRICT:
        check_shapes(op, attributes, [s for s, _ in shapes[:len(names)]])
    call = call_for(op, attributes, op.key(attributes), shapes, train, recorded)
    if call.context is not None:
        call.context.source.calls.aux = operands[len(names):]
    arrays = [o._np for o in operands] + [np.asarray(attributes[n], call.compute) for n in call.live]
    run = call.program.forward if recorded else call.program.run
    if call.context is None:
        made = run(arrays)
    else:  # the program's own code runs
        with tape.Mode(False, train):
            made = run(arrays)
    if recorded:
        made, state = made
    count = len(call.outputs)
    for (index, _), value in zip(call.updates, made[count:]):
        operands[len(names) + index]._np[...] = value
    for index, number in call.fixed:
        operands[index]._np[...] = number
    results = made[:count]
    context = operands[0]._ctx if operands else None
    if out is not None:
        outs = out if isinstance(out, (list, tuple)) else [out]
        for o, value in zip(outs, results):
            if o._np.shape != value.shape:
                raise MXNetError('{}: the result has the shape {}, out {}'.format(op.name, value.shape, o._np.shape))
            o._np[...] = value
        # Operators that change their states do so where those are given.
        for o, value in zip(operands[2:], results[1:]) if op.name.endswith('_update') else ():
            o._np[...] = value
        arrays_made = list(outs)
    else:
        arrays_made = [NDArray(value, context) for value in results]
    if recorded:
        tape.note(call.program, state, operands, arrays_made)
    return arrays_made[0] if len(arrays_made) == 1 else arrays_made


def check_shapes(op, attributes, shapes):
    """What the operator says of its operands' shapes, where all are known."""
    from .lower import text
    expected = op.complete(attributes, list(shapes[:1]) + [None] * (len(shapes) - 1))
    for given, wanted in zip(shapes[1:], expected[1:]):
        if wanted is not None and tuple(wanted) != tuple(given):
            raise MXNetError('Shape inconsistent, Provided = {}, inferred shape=({})'.format(text(given), ','.join(map(str, wanted))))


STRICT = ('FullyConnected', 'Convolution', 'Deconvolution', 'BatchNorm', 'LayerNorm', 'InstanceNorm', 'Embedding')
