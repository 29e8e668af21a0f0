"""Operators on arrays at once: one program for each operator, its attributes and the shapes that come, kept
for the next call."""

import numpy as np

from .. import tape
from ..base import MXNetError, Told
from ..lower import Lowering, compute_type, result_types, text
from ..program import Program
from ..table import find
from .array import NDArray

_programs = {}
_MOST = 2048


class Call:
    """One operator over operands of known shapes and types."""

    def __init__(self, op, attributes, operands, train, gradient):
        live = [name for name in op.live if attributes[name] is not None]
        g = Lowering(train, gradient)
        g.context = self.context = op.context() if op.context else None
        leaves = [g.leaf(shape, t, gradient=gradient) for shape, t in operands]
        types = [t for _, t in operands]
        compute = compute_type(types + result_types(op, attributes, types))
        numbers = [g.leaf((), compute) for _ in live]
        a = attributes
        if live:
            a = type(attributes)(attributes)
            a.update(zip(live, numbers))
        self.outputs = g.node(op, a, leaves)
        self.updates = [(i, v) for _, i, v in g.updates]
        self.fixed = [(i, number) for _, i, number in g.fixed]
        losses = [v for _, v in g.losses] if gradient else []
        self.program = Program(self.outputs + [v for _, v in self.updates], losses, leaves + numbers, g.loops)
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


def forget(name):
    """Programs that were made of this operator."""
    for key in [k for k in _programs if k[0] == name]:
        del _programs[key]


def forget_random():
    """Programs that draw begin their streams anew."""
    for key in [k for k in _programs if k[0].random]:
        del _programs[key]


def invoke(name, operands, kwargs, out=None):
    """The operator on arrays. `out`: the arrays that take the results."""
    op = find(name)
    if op.variadic and op.variadic not in kwargs:
        kwargs[op.variadic] = len(operands)
    attributes = op.read(kwargs)
    names = op.list_inputs(attributes)
    for o, called in zip(operands, names):
        if not isinstance(o, NDArray):
            raise AssertionError('Argument {} must have NDArray type, but got {}'.format(called, o))
    aux = op.list_aux(attributes)
    if len(operands) != len(names) + len(aux):
        raise MXNetError(
            'Operator {} expects {} inputs, but got {} instead.'.format(
                op.name, len(names) + len(aux), len(operands)
            )
        )
    shapes = tuple((o._np.shape, o._np.dtype) for o in operands)
    recorded = tape.recording() and any(o._entry is not None for o in operands[: len(names)])
    train = tape.training()
    with Told(op.name):
        if op.complete:
            check_shapes(op, attributes, [s for s, _ in shapes[: len(names)]])
        call = call_for(op, attributes, op.key(attributes), shapes, train, recorded)
        if call.context is not None:
            call.context.source.calls.aux = operands[len(names) :]
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
        arrays_made = filled(op, results, out)
    else:
        arrays_made = [NDArray(value, context) for value in results[: len(op.list_outputs(attributes))]]
    for place, value in zip(
        op.list_states(attributes), results[len(op.list_outputs(attributes)) :]
    ):  # states, which are changed where they lie
        operands[place]._np[...] = value
    if recorded:
        tape.note(call.program, state, operands, arrays_made)
    return arrays_made[0] if len(arrays_made) == 1 else arrays_made


def filled(op, results, out):
    """Puts the results into the arrays that were given for them."""
    outs = list(out) if isinstance(out, (list, tuple)) else [out]
    if len(outs) > len(results):
        raise MXNetError(
            'Operator {} has {} results, {} arrays were given for them'.format(
                op.name, len(results), len(outs)
            )
        )
    for i, (o, value) in enumerate(zip(outs, results)):
        if not isinstance(o, NDArray):
            raise TypeError('out is an NDArray, not {}'.format(type(o).__name__))
        if o._np.shape != value.shape:
            raise MXNetError(
                'Check failed: assign(&dattr, vec.at(i)): Incompatible attr in node  at {}-th output: '
                'expected {}, got {}'.format(i, text(value.shape), text(o.shape))
            )
        if o._np.dtype != value.dtype:
            raise MXNetError(
                'Check failed: assign(&dattr, vec.at(i)): Incompatible attr in node  at {}-th output: '
                'expected {}, got {}'.format(i, value.dtype, o._np.dtype)
            )
    for o, value in zip(outs, results):
        o._np[...] = value
    return outs


def check_shapes(op, attributes, shapes):
    """What the operator says of its operands' shapes."""
    for given, wanted in zip(shapes, op.complete(attributes, list(shapes))):
        if wanted is not None and (
            len(wanted) != len(given) or any(w not in (0, s) for w, s in zip(wanted, given))
        ):
            raise MXNetError(
                'Shape inconsistent, Provided = {}, inferred shape=({})'.format(
                    text(given), ','.join(map(str, wanted))
                )
            )
