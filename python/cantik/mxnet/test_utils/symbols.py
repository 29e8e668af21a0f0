"""Symbols: their values and gradients against expected ones, against finite differences, and against those of
other types."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base import missing
from ..ndarray.creation import array
from .around import default_context
from .compare import assert_almost_equal, numbers
from .tolerances import default_numeric_eps

if TYPE_CHECKING:
    from ...mxnet.ndarray.array import NDArray
    from ...mxnet.symbol.symbol import Symbol


def simple_forward(sym: Symbol, ctx: Any = None, is_train: bool = False, **inputs: Any) -> Any:
    """The outputs for these arrays, as arrays of NumPy: one, or a list."""
    ctx = ctx or default_context()
    made = [
        o.asnumpy()
        for o in sym.bind(ctx, {k: array(v) for k, v in inputs.items()}).forward(is_train=is_train)
    ]
    return made[0] if len(made) == 1 else made


def _by_name(names, given, what):
    """A dictionary from a list in the order of the names, or from a dictionary that has them all."""
    if isinstance(given, dict):
        if set(given) != set(names):
            raise ValueError(f'{what} have the names {sorted(names)}, given were {sorted(given)}')
        return given
    if len(given) != len(names):
        raise ValueError(f'{what} are {names}, {len(given)} were given')
    return dict(zip(names, given))


def _arrays(names, given, what, ctx, dtype):
    """NDArrays by name. dtype "asnumpy": in the type that they come in."""

    def made(x):
        kept = numbers(x)
        return array(
            kept, ctx=ctx, dtype=kept.dtype if isinstance(dtype, str) and dtype == 'asnumpy' else dtype
        )

    return {k: made(v) for k, v in _by_name(names, given, what).items()}


def _states(sym, given, ctx, dtype):
    names = sym.list_auxiliary_states()
    return _arrays(names, given, 'auxiliary states', ctx, dtype) if given is not None else {}


def _bound(sym, location, aux_states, grad_req, ctx, dtype):
    ctx = ctx or default_context()
    args = _arrays(sym.list_arguments(), location, 'arguments', ctx, dtype)
    requests = (
        grad_req
        if isinstance(grad_req, dict)
        else dict(
            zip(
                sym.list_arguments(),
                grad_req if isinstance(grad_req, (list, tuple)) else [grad_req] * len(args),
            )
        )
    )
    begin = {
        k: np.random.normal(size=a.shape).astype(a.dtype)
        for k, a in args.items()
        if requests.get(k, 'null') != 'null'
    }  # what gradients are added to
    grads = {k: array(v, ctx=ctx, dtype=v.dtype) for k, v in begin.items()}
    return sym.bind(ctx, args, grads, requests, _states(sym, aux_states, ctx, dtype)), begin


def _no_storage(given):
    if given and any(s != 'default' for s in given.values()):
        missing(f'sparse storage ({given})')


def check_symbolic_forward(
    sym: Symbol,
    location: Any,
    expected: Any,
    rtol: float | None = None,
    atol: float | None = None,
    aux_states: Any = None,
    ctx: Any = None,
    equal_nan: bool = False,
    dtype: Any = np.float32,
) -> Any:
    """That the symbol has the expected values at a place, in order or by the outputs' names. Returns them."""
    exe, _ = _bound(sym, location, aux_states, 'null', ctx, dtype)
    outputs = exe.forward(is_train=False)
    wanted = _by_name(sym.list_outputs(), expected, 'outputs')
    for name, output in zip(sym.list_outputs(), outputs):
        assert_almost_equal(
            np.asarray(numbers(wanted[name])),
            output.asnumpy(),
            rtol,
            atol,
            ('EXPECTED_' + name, 'FORWARD_' + name),
            equal_nan=equal_nan,
        )
    return outputs


def check_symbolic_backward(
    sym: Symbol,
    location: Any,
    out_grads: Any,
    expected: Any,
    rtol: float | None = None,
    atol: float | None = None,
    aux_states: Any = None,
    grad_req: Any = 'write',
    ctx: Any = None,
    grad_stypes: Any = None,
    equal_nan: bool = False,
    dtype: Any = np.float32,
) -> Any:
    """That the symbol has the expected gradients at a place, for gradients of its outputs. Returns them."""
    _no_storage(grad_stypes)
    exe, begin = _bound(sym, location, aux_states, grad_req, ctx, dtype)
    exe.forward(is_train=True)
    if isinstance(out_grads, dict):
        out_grads = [out_grads[n] for n in sym.list_outputs()]
    seeds = (
        None
        if out_grads is None
        else [array(numbers(g), dtype=o.dtype) for g, o in zip(out_grads, exe.outputs)]
    )
    exe.backward(seeds)
    names = sym.list_arguments()
    wanted = expected if isinstance(expected, dict) else dict(zip(names, expected))
    requests = dict(zip(names, exe._requests))
    for name, value in wanted.items():
        if name not in requests:
            raise ValueError(f'the symbol has the arguments {names}, and no {name}')
        if requests[name] == 'null':
            continue
        found = exe.grad_dict[name].asnumpy()
        value = np.asarray(numbers(value)) + (begin[name] if requests[name] == 'add' else 0)
        assert_almost_equal(
            value, found, rtol, atol, ('EXPECTED_' + name, 'BACKWARD_' + name), equal_nan=equal_nan
        )
    return {k: v for k, v in exe.grad_dict.items() if v is not None}


def numeric_grad(
    executor: Any,
    location: Any,
    aux_states: Any = None,
    eps: float = 1e-4,
    use_forward_train: bool = True,
    dtype: Any = np.float32,
    weights: Any = None,
) -> Any:
    """Slopes of the sum of the outputs (each times its `weights`) by finite differences: of each argument of
    `location` an array."""
    location = {k: numbers(v) for k, v in location.items()}

    def total():
        for name, value in (aux_states or {}).items():
            executor.aux_dict[name][:] = value
        outputs = executor.forward(is_train=use_forward_train)
        return sum(
            float((o.asnumpy().astype(np.float64) * (1 if weights is None else weights[i])).sum())
            for i, o in enumerate(outputs)
        )

    for name, value in location.items():
        executor.arg_dict[name][:] = value
    slopes = {}
    for name, value in location.items():
        if value.dtype.kind != 'f':
            continue
        made = np.zeros(value.shape, dtype)
        moved = value.astype(dtype)
        for i in range(value.size):
            kept = moved.flat[i]
            sides = []
            for step in (eps / 2, -eps / 2):
                moved.flat[i] = kept + step
                executor.arg_dict[name][:] = moved
                sides.append((total(), float(moved.flat[i])))
            moved.flat[i] = kept
            made.flat[i] = (sides[0][0] - sides[1][0]) / (sides[0][1] - sides[1][1])
        executor.arg_dict[name][:] = moved
        slopes[name] = made
    return slopes


def check_numeric_gradient(
    sym: Symbol,
    location: Any,
    aux_states: Any = None,
    numeric_eps: Any = None,
    rtol: float | None = None,
    atol: float | None = None,
    grad_nodes: Any = None,
    use_forward_train: bool = True,
    ctx: Any = None,
    grad_stype_dict: Any = None,
    dtype: Any = np.float32,
) -> Any:
    """That gradients are slopes: of a random weighing of the outputs, by finite differences with steps of
    numeric_eps."""
    if np.dtype(dtype) not in (np.dtype(t) for t in (np.float16, np.float32, np.float64)):
        raise AssertionError(f'a float type is needed, not {dtype}')
    _no_storage(grad_stype_dict)
    ctx = ctx or default_context()
    names = sym.list_arguments()
    location = {k: numbers(v) for k, v in _by_name(names, location, 'arguments').items()}
    location = {k: v.astype(dtype) if v.dtype.kind == 'f' else v for k, v in location.items()}
    if isinstance(grad_nodes, dict):
        requests = {n: grad_nodes.get(n, 'null') for n in names}
    else:
        wanted = names if grad_nodes is None else list(grad_nodes)
        requests = {n: 'write' if n in wanted else 'null' for n in names}
    states = _states(sym, aux_states, ctx, dtype)
    kept = {k: v.asnumpy() for k, v in states.items()}
    args = {k: array(v, ctx=ctx, dtype=v.dtype) for k, v in location.items()}
    begin = {
        k: np.random.normal(size=location[k].shape).astype(location[k].dtype)
        for k, r in requests.items()
        if r != 'null'
    }
    exe = sym.bind(
        ctx, args, {k: array(v, ctx=ctx, dtype=v.dtype) for k, v in begin.items()}, requests, states
    )
    outputs = exe.forward(is_train=True)
    weights = [np.random.normal(size=o.shape) + 0.1 for o in outputs]
    exe.backward([array(w, ctx=ctx, dtype=o.dtype) for w, o in zip(weights, outputs)])
    found = {k: exe.grad_dict[k].asnumpy() for k in begin}
    eps = numeric_eps or default_numeric_eps()[np.dtype(dtype)]
    wanted = numeric_grad(
        exe,
        {k: v for k, v in location.items() if k in begin},
        kept,
        eps,
        use_forward_train,
        dtype,
        [w.astype(dtype).astype(np.float64) for w in weights],
    )
    for name, slope in wanted.items():
        added = requests[name] == 'add'
        assert_almost_equal(
            slope,
            found[name] - begin[name] if added else found[name],
            rtol,
            atol,
            ('NUMERICAL_' + name, 'BACKWARD_' + name),
        )


def check_speed(
    sym: Symbol,
    location: Any = None,
    ctx: Any = None,
    N: int = 20,
    grad_req: Any = None,
    typ: str = 'whole',
    **kwargs: Any,
) -> float:
    """Seconds that a forward run takes, with its backward run unless typ is 'forward': the mean of N."""
    if typ not in ('whole', 'forward'):
        raise ValueError('typ can only be "whole" or "forward".')
    ctx = ctx or default_context()
    exe = sym.simple_bind(
        ctx,
        grad_req or 'write',
        **(kwargs if location is None else {k: v.shape for k, v in location.items()}),
    )
    for name, into in exe.arg_dict.items():
        into[:] = np.random.normal(size=into.shape) if location is None else location[name]

    def once():
        exe.forward(is_train=typ == 'whole')
        if typ == 'whole':
            exe.backward(exe.outputs)

    once()
    begin = time.time()
    for _ in range(N):
        once()
    return (time.time() - begin) / N


_CONSISTENT = {np.dtype(np.float16): 1e-1, np.dtype(np.float32): 1e-3, np.dtype(np.float64): 1e-5}


def check_consistency(
    sym: Symbol,
    ctx_list: Any,
    scale: float = 1.0,
    grad_req: Any = 'write',
    arg_params: dict[str, NDArray] | None = None,
    aux_params: dict[str, NDArray] | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    raise_on_err: bool = True,
    ground_truth: Any = None,
    equal_nan: bool = False,
    use_uniform: bool = False,
    rand_type: Any = np.float64,
) -> Any:
    """That a symbol has the same values and gradients in several types and contexts: those of the most exact
    type are the measure, and returned, by name.

    ctx_list: dictionaries of the context `ctx`, shapes of data and `type_dict`, element types.
    """
    if len(ctx_list) < 2:
        raise AssertionError(f'there is nothing to compare with: ctx_list has {len(ctx_list)} entries')
    symbols = sym if isinstance(sym, (list, tuple)) else [sym] * len(ctx_list)
    executors = [s.simple_bind(grad_req=grad_req, **ctx) for s, ctx in zip(symbols, ctx_list)]
    draw = (
        (lambda shape: np.random.uniform(-0.92 * scale, 0.92 * scale, shape))
        if use_uniform
        else (lambda shape: np.random.normal(scale=scale, size=shape))
    )
    args = dict(arg_params or {})
    for name, into in executors[0].arg_dict.items():
        if name not in args:
            args[name] = draw(into.shape).astype(rand_type)
    aux = {name: (aux_params or {}).get(name, 0) for name in executors[0].aux_dict}
    for exe in executors:
        for values, arrays in ((args, exe.arg_dict), (aux, exe.aux_dict)):
            for name, into in arrays.items():
                into[:] = numbers(values[name]).astype(into.dtype) if name in values else 0

    def results(exe):
        named = dict(zip(exe._symbol.list_outputs(), exe.outputs))
        return {k: v.asnumpy() for k, v in named.items()}, {
            k: v.asnumpy() for k, v in exe.grad_dict.items() if v is not None
        }

    train = grad_req != 'null'
    for exe in executors:
        exe.forward(is_train=False)
    plain = [results(exe)[0] for exe in executors]
    if train:
        seeds = [np.random.normal(scale=scale, size=o.shape) for o in executors[0].outputs]
        for exe in executors:
            exe.forward(is_train=True)
            exe.backward([array(s, dtype=o.dtype) for s, o in zip(seeds, exe.outputs)])
    trained = [results(exe) for exe in executors]
    types = [np.dtype(exe.outputs[0].dtype) for exe in executors]
    best = max(range(len(executors)), key=lambda i: (types[i].itemsize, -i))

    def compared(found, wanted, names, dtype):
        tolerance = [
            t if np.isscalar(t) and t is not None else (t or {}).get(dtype, _CONSISTENT.get(dtype, 0))
            for t in (rtol, atol)
        ]
        try:
            assert_almost_equal(
                found.astype(np.float64),
                wanted.astype(np.float64),
                *tolerance,
                names=names,
                equal_nan=equal_nan,
            )
        except AssertionError as e:
            if raise_on_err:
                raise
            print(e)

    for i, dtype in enumerate(types):
        if i == best:
            continue
        groups = [(plain[i], plain[best], 'predicted')] + (
            [(trained[i][0], trained[best][0], 'trained'), (trained[i][1], trained[best][1], 'gradient of')]
            if train
            else []
        )
        for found, wanted, what in groups:
            for name in wanted:
                compared(
                    found[name],
                    wanted[name],
                    (f'{what} {name} in {dtype}', f'in {types[best]}'),
                    dtype,
                )
    if ground_truth is not None:
        for name, value in ground_truth.items():
            for i, dtype in enumerate(types):
                compared(
                    {**trained[i][1], **plain[i]}[name],
                    numbers(value),
                    (f'{name} in {dtype}', 'expected'),
                    dtype,
                )
    return {
        name: array(value, dtype=value.dtype)
        for group in (trained[best][1], plain[best])
        for name, value in group.items()
    }


def same_symbol_structure(sym1: Any, sym2: Any) -> bool:
    """Whether two symbols are the same graph of operators, whatever the names."""

    def structure(symbol):
        nodes = symbol.nodes()
        place = {id(n): i for i, n in enumerate(nodes)}
        return [(n.op.name if n.op else None, [(place[id(m)], i) for m, i in n.inputs]) for n in nodes]

    return structure(sym1) == structure(sym2)
