"""A symbol bound to arrays: `forward` computes the outputs, `backward` the gradients."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import tape
from ..base import MXNetError, as_dtype
from ..context import usable
from ..lower import Lowering
from ..ndarray.array import NDArray
from ..ndarray.eager import invoke
from ..program import Program
from .graph import auxiliary
from .infer import entries, inferred, undecided

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...mxnet.symbol.symbol import Symbol


class Executor:
    """What Symbol.bind and simple_bind give. Its arrays may be written to between runs."""

    def __init__(self, symbol: Symbol, ctx: Any, args: Any, grads: Any, requests: Any, aux: Any):
        self._symbol, self._ctx = symbol, ctx
        self.arg_arrays, self.grad_arrays, self.aux_arrays, self._requests = args, grads, aux, requests
        self.arg_dict = _named(symbol.list_arguments(), args, 'arguments')
        self.grad_dict = _named(symbol.list_arguments(), grads, 'arguments')
        self.aux_dict = _named(symbol.list_auxiliary_states(), aux, 'auxiliary states')
        self._nodes = symbol.nodes()
        self._has_calls = any(
            n.op is not None and n.op.context for n in self._nodes
        )  # code of the program's own, which is to run once
        states = auxiliary(self._nodes)
        variables = [n for n in self._nodes if n.op is None]
        self._variables = [n for n in variables if id(n) not in states] + [
            n for n in variables if id(n) in states
        ]
        found = inferred(
            symbol,
            {n.name: a.shape for n, a in zip(self._variables, args + aux)},
            {n.name: a.dtype for n, a in zip(self._variables, args + aux)},
        )
        self._shapes = found.shapes
        self._programs, self._custom, self._ran, self._monitor, self._watched = {}, {}, None, None, []
        self.outputs = [
            NDArray(np.zeros(found.shapes[id(n), i] or (1,), found.types[id(n), i]), ctx)
            for n, i in symbol._heads
        ]

    @property
    def output_dict(self) -> dict[Any, Any]:
        return _named(self._symbol.list_outputs(), self.outputs, 'outputs')

    def _program(self, train):
        if train not in self._programs:
            self._programs[train] = Built(self, train)
        return self._programs[train]

    def forward(self, is_train: bool = False, **kwargs: Any) -> list[NDArray]:
        """Computes the outputs; arrays given by name are copied into the arguments first."""
        for name, value in kwargs.items():
            if name not in self.arg_dict:
                raise TypeError(f'Unknown argument {name}')
            into = self.arg_dict[name]
            if not isinstance(value, (NDArray, np.ndarray)):
                raise ValueError('only accept keyword argument of NDArrays')
            if into.shape != value.shape:
                raise ValueError(
                    f'Shape not match! Argument {name}, need: {into.shape}, received: {value.shape}'
                )
            into[:] = value
        made = self._run(bool(is_train), is_train or self._has_calls)
        built = self._program(bool(is_train))
        for o, value in zip(self.outputs, made):
            o._np = value
        seen = len(self.outputs) + len(built.watched)
        for (name, _), value in zip(built.updates, made[seen:]):
            self.aux_dict[name]._np[...] = value
        for name, number in built.fixed:
            self.arg_dict[name]._np[...] = number
        if self._monitor:
            self._tell(dict(zip(built.watched, made[len(self.outputs) : seen])))
        return self.outputs

    def _run(self, train, keep):
        """The values of a run; keep: also what its gradients need."""
        built = self._program(train)
        arrays = [a._np for a in self.arg_arrays] + [a._np for a in self.aux_arrays]
        with tape.Mode(False, train):
            if keep and built.differentiable:
                made, state = built.program.forward(arrays)
            else:
                made, state = built.program.run(arrays), None
        self._ran = train, state
        return made

    def backward(self, out_grads: Any = None, is_train: bool = True) -> None:
        """Computes the gradients; `out_grads` are those of outputs that are no losses."""
        if all(g is None or r == 'null' for g, r in zip(self.grad_arrays, self._requests)):
            return
        train, state = self._ran or (False, None)
        if state is None:  # the run before it was to predict, and has not kept what gradients need
            self._run(train, True)
            state = self._ran[1]
        built = self._program(train)
        if out_grads is not None and not isinstance(out_grads, (list, tuple)):
            out_grads = [out_grads]
        seeds = []
        for i in built.program.seeded:
            if i >= len(self.outputs):
                seeds.append(np.zeros(built.program.outputs[i].shape))
            elif i in built.own_gradient and not out_grads:
                seeds.append(np.ones(self.outputs[i].shape))
            elif not out_grads or i >= len(out_grads) or out_grads[i] is None:
                raise MXNetError(
                    'Check failed: i < head_grads.size() && !head_grads[i].is_none(): Because the last '
                    'operator is not Loss function, head_gradient is required when calling backward. If you '
                    'are attempting to minimize the output as an objective, please modify your network and '
                    'pass it through the make_loss symbol.'
                )
            else:
                seeds.append(out_grads[i]._np.reshape(self.outputs[i].shape))
        with tape.Mode(False, True):
            made = dict(zip(built.program.wrt, built.program.backward(state, seeds)))
        for i, (grad, request) in enumerate(zip(self.grad_arrays, self._requests)):
            if grad is None or request == 'null':
                continue
            value = made.get(i)
            if request == 'add':
                if value is not None:
                    grad._np[...] = invoke(
                        'elemwise_add', [grad, NDArray(value.astype(grad._np.dtype, copy=False))], {}
                    )._np
            else:
                grad._np[...] = 0 if value is None else value

    def copy_params_from(
        self,
        arg_params: dict[str, NDArray],
        aux_params: dict[str, NDArray] | None = None,
        allow_extra_params: bool = False,
    ) -> None:
        """Copies parameters in, by name."""
        for what, given, own in (
            ('arguments', arg_params, self.arg_dict),
            ('auxiliary states', aux_params or {}, self.aux_dict),
        ):
            for name, array in given.items():
                if name in own:
                    own[name][:] = array.astype(own[name].dtype)
                elif not allow_extra_params:
                    raise ValueError(f'Find name "{name}" that is not in the {what}')

    def reshape(
        self, partial_shaping: bool = False, allow_up_sizing: bool = False, **kwargs: Any
    ) -> Executor:
        """The same symbol for other shapes of data. Its arrays are those of this executor, or the first part
        of their memory.

        partial_shaping: the shapes of other arguments than the given ones may change; allow_up_sizing: arrays
        may grow, in memory of their own.
        """
        unknown = [k for k in kwargs if k not in self.arg_dict]
        if unknown:
            raise MXNetError(f'Unknown argument {unknown[0]}')
        arg_shapes, _, aux_shapes = self._symbol.infer_shape(**kwargs)
        if arg_shapes is None:
            raise MXNetError('Insufficient argument shapes provided.')

        def fitting(array, shape, what, name):
            if array is None or array.shape == shape:
                return array
            if not partial_shaping and name not in kwargs:
                raise MXNetError(
                    f'Shape of unspecified {what}: {name} changed. This can cause the new executor to not '
                    'share parameters with the old one. Please check for error in network. If this is '
                    'intended, set partial_shaping=True to suppress this warning.'
                )
            size = math.prod(shape)
            if size <= array.size:
                return NDArray(array._np.reshape(-1)[:size].reshape(shape), array._ctx)
            if not allow_up_sizing:
                raise MXNetError(
                    f'Check failed: allow_up_sizing: New shape of {what}: {name} is larger than original. '
                    'First making a big executor and then down sizing it is more efficient than the '
                    'reverse. If you really want to up size, set allow_up_sizing=True to enable allocation '
                    'of new arrays.'
                )
            return NDArray(np.zeros(shape, array.dtype), array._ctx)

        names = self._symbol.list_arguments()
        args = [fitting(a, s, 'arg', n) for a, s, n in zip(self.arg_arrays, arg_shapes, names)]
        grads = [fitting(a, s, 'arg', n) for a, s, n in zip(self.grad_arrays, arg_shapes, names)]
        aux = [
            fitting(a, s, 'aux', n)
            for a, s, n in zip(self.aux_arrays, aux_shapes, self._symbol.list_auxiliary_states())
        ]
        return Executor(self._symbol, self._ctx, args, grads, self._requests, aux)

    def set_monitor_callback(self, callback: Callable[..., Any], monitor_all: bool = False) -> None:
        """Calls callback(name, array) with every value of the graph, with monitor_all also with the
        operators' operands, after each forward."""
        self._monitor, self._watched = callback, []
        for n in self._nodes:
            if n.op is None:
                continue
            for (m, i), operand in zip(n.inputs, n.operands()) if monitor_all else ():
                if m.op is None:
                    self._watched.append((m.name, m, i))
                self._watched.append((f'{n.name}_{operand}', m, i))
            self._watched += [(name, n, i) for i, name in enumerate(n.outputs())]
        self._programs, self._ran = {}, None

    def _tell(self, values):
        own = {n.name: a for n, a in zip(self._variables, self.arg_arrays + self.aux_arrays)}
        for name, n, i in self._watched:
            self._monitor(name, own[n.name] if n.op is None else NDArray(values[id(n), i], self._ctx))

    def debug_str(self) -> Any:
        return self._symbol.debug_str()

    def operator_of(self, node: Any, attributes: Any, shapes: Any, dtypes: Any) -> Any:
        """The CustomOp of a node, one for training and prediction, with its auxiliary states."""
        if id(node) not in self._custom:
            aux = [self.aux_dict[n.name] for n, _ in node.inputs[node.aux_from() :]]
            of = dict(zip(self._symbol.list_arguments(), self._requests))
            added = [m.op is None and of.get(m.name) == 'add' for m, _ in node.inputs[: node.aux_from()]]
            self._custom[id(node)] = Bound(attributes.made(self._ctx, shapes, dtypes), aux, added)
        return self._custom[id(node)]


class Bound:
    """The CustomOp of a bound graph. added: operands that are arguments whose gradients are added up."""

    one_run_at_a_time = True

    def __init__(self, op: Any, aux: Any, added: Any):
        self._pair = op, aux
        self._all = ['add' if a else 'write' for a in added]

    def __call__(self) -> tuple[Any, Any]:
        return self._pair

    def requests(self, gradients: Any) -> list[str]:
        for g in gradients:
            if g is None:
                return ['null' if g is None else r for g, r in zip(gradients, self._all)]
        return self._all


class Built:
    """The graph in Cantik's operators, for training or for prediction."""

    def __init__(self, executor: Any, train: bool):
        symbol, variables = executor._symbol, executor._variables
        arrays = executor.arg_arrays + executor.aux_arrays
        wanted = [r != 'null' and g is not None for r, g in zip(executor._requests, executor.grad_arrays)] + [
            False
        ] * len(executor.aux_arrays)
        self.differentiable = any(wanted)
        g = Lowering(train, self.differentiable)
        g.context = executor
        batch = _batched(executor._nodes, executor._shapes)
        values = {}
        leaves = []
        for n, a, w in zip(variables, arrays, wanted):
            leaves.append(g.leaf(a.shape, a._np.dtype, id(n) in batch, w, n.name))
            values[id(n), 0] = leaves[-1]
        for n in executor._nodes:
            if n.op is None:
                continue
            try:
                made = g.node(
                    n.op,
                    n.attributes,
                    [values[id(m), i] for m, i in n.inputs],
                    n,
                    [executor._shapes.get((id(n), i)) for i in range(len(n.outputs()))],
                )
            except (ValueError, RuntimeError, TypeError) as e:
                raise MXNetError(f'Error in operator {n.name}: {e}') from e
            for i, v in enumerate(made):
                values[id(n), i] = v
        reached = _reached(symbol)
        self.updates = [(n.inputs[n.aux_from() + i][0].name, v) for n, i, v in g.updates]
        self.fixed = [(n.inputs[i][0].name, number) for n, i, number in g.fixed if n.inputs[i][0].op is None]
        losses = [v for n, v in g.losses if id(n) in reached] if self.differentiable else []
        heads = [values[id(n), i] for n, i in symbol._heads]
        self.watched = list(
            dict.fromkeys((id(n), i) for _, n, i in executor._watched if n.op is not None)
        )  # values for a monitor
        heads += [values[entry] for entry in self.watched]
        self.program = Program(heads + [v for _, v in self.updates], losses, leaves, g.loops)
        own = {id(n) for n, _ in g.losses}
        self.own_gradient = {
            i
            for i, (n, _) in enumerate(symbol._heads)
            if id(n) in own or (n.op is not None and n.op.is_loss(n.attributes))
        }


def _batched(nodes, shapes):
    """Ids of the variables whose first axis is the batch: of the size that an operator has to have as
    Cantik's batch, if there is one, else of one size."""
    size = next(
        (
            shapes[id(n.inputs[0][0]), n.inputs[0][1]][n.op.batch_axis]
            for n in nodes
            if n.op is not None and n.op.batch_axis is not None
        ),
        None,
    )
    found = set()
    for n in nodes:
        if n.op is None or not n.op.by_batch:
            continue
        loss = n.op.name.endswith('Output')  # its label goes with the data
        for m, i in n.inputs[: 2 if loss else 1]:
            shape = shapes[id(m), i]
            if m.op is None and len(shape) > (0 if loss else 1) and size in (None, shape[0]):
                size = shape[0]
                found.add(id(m))
    return found


def _reached(symbol):
    """Ids of the nodes that gradients come to: not those behind BlockGrad alone."""
    done, stack = set(), [n for n, _ in symbol._heads]
    while stack:
        n = stack.pop()
        if id(n) not in done:
            done.add(id(n))
            if n.op is not None and n.op.name != 'BlockGrad':
                stack += [m for m, _ in n.inputs]
    return done


def _named(names, arrays, what):
    if len(set(names)) != len(names):
        raise ValueError(f'Duplicate names detected, {names} ({what})')
    return dict(zip(names, arrays))


def _listed(names, given, what, missing_allowed):
    """Arrays in the order of the names, from a list or a dictionary."""
    if given is None:
        given = {}
    if isinstance(given, dict):
        absent = [n for n in names if n not in given]
        if absent and not missing_allowed:
            raise ValueError(f'key `{absent[0]}` is missing in `{what}`')
        return [given.get(n) for n in names]
    if len(given) != len(names):
        raise ValueError(
            f'Length of {what} does not match the number of arguments: {len(given)} given, '
            f'{len(names)} expected'
        )
    for a in given:
        if not isinstance(a, NDArray) and not (a is None and missing_allowed):
            raise TypeError('Only accept list of NDArrays or dict of str to NDArray')
    return list(given)


def requests(names: Sequence[str], grad_req: Any) -> list[Any]:
    """What happens to each gradient: 'write', 'add' or 'null'."""
    if isinstance(grad_req, str):
        made = [grad_req] * len(names)
    elif isinstance(grad_req, dict):
        made = [grad_req.get(n, 'null') for n in names]
    else:
        made = list(grad_req)
    if any(r not in ('write', 'add', 'null') for r in made) or len(made) != len(names):
        raise ValueError("grad_req must be in {'write', 'add', 'null'}, one for each of " + str(names))
    return made


def bind(symbol: Symbol, ctx: Any, args: Any, args_grad: Any, grad_req: Any, aux_states: Any) -> Executor:
    """An executor on the caller's arrays."""
    ctx = usable(ctx)
    names = symbol.list_arguments()
    args = _listed(names, args, 'args', False)
    grads = _listed(names, args_grad, 'args_grad', True)
    aux = _listed(symbol.list_auxiliary_states(), aux_states, 'aux_states', False)
    return Executor(symbol, ctx, args, grads, requests(names, grad_req), aux)


def simple_bind(
    symbol: Symbol, ctx: Any, grad_req: Any, type_dict: Any, shapes: Any, shared: Any = None
) -> Executor:
    """An executor on arrays of its own, for data of these shapes."""
    ctx = usable(ctx)
    types = {k: as_dtype(v) for k, v in (type_dict or {}).items()}
    names, inputs = symbol.list_arguments(), symbol.list_inputs()
    shapes = {k: s for k, s in shapes.items() if k in inputs}  # MXNet reads no others either
    found = inferred(symbol, shapes, types)
    arg_entries, _, aux_entries = entries(symbol, found.nodes)
    unknown = undecided(symbol, found)
    if unknown:
        raise RuntimeError(
            'simple_bind error. Arguments:\n{}\nthe shapes of these do not follow (0 is an unknown '
            'size):\n{}'.format('\n'.join(f'{k}: {v}' for k, v in shapes.items()), '\n'.join(unknown))
        )
    made = requests(names, grad_req)

    def array(entry, name, kind):
        """That of the executor to share with, where it has one of this name, kind and shape; not that of
        data."""
        there = getattr(shared, kind).get(name) if shared is not None and name not in shapes else None
        if there is not None and there.shape == found.shapes[entry]:
            return there
        return NDArray(np.zeros(found.shapes[entry], found.types[entry]), ctx)

    args = [array(e, n, 'arg_dict') for n, e in zip(names, arg_entries)]
    grads = [None if r == 'null' else array(e, n, 'grad_dict') for r, n, e in zip(made, names, arg_entries)]
    aux = [array(e, n, 'aux_dict') for n, e in zip(symbol.list_auxiliary_states(), aux_entries)]
    return Executor(symbol, ctx, args, grads, made, aux)
