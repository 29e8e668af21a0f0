"""Random graphs over sequences and random layouts: values and gradients are those of a naive
padded-and-masked evaluator.

CANTIK_RANDOM_GRAPHS=1000 tries so many (`make graphs`); a failing seed prints its graph.
"""

import os

import numpy as np
import pytest

import cantik as C
from cantik import _cantik
import naive
from naive_run import fed, layout, naive_values, text
from random_graphs import Graph

GRAPHS = int(os.environ.get('CANTIK_RANDOM_GRAPHS', 200))
FIRST = int(os.environ.get('CANTIK_FIRST_GRAPH', 0))
BLOCK = 20


def sequences_of(rows):
    return [rows.at(s) for s in range(len(rows.data))] if rows.axes else [rows.data]


def compare(node, result, rows, what):
    want = [w.real for w in sequences_of(rows)]
    have = [np.asarray(r) for r in result] if rows.axes else [np.asarray(result)]
    assert len(have) == len(want), f'{what} {node.text}: {len(have)} sequences, not {len(want)}'
    for s, (h, w) in enumerate(zip(have, want)):
        h = h.toarray() if hasattr(h, 'toarray') else h
        assert h.shape == w.shape, f'{what} of {node.text}, sequence {s}: the shape {h.shape}, not {w.shape}'
        assert np.allclose(h, w, rtol=1e-9, atol=1e-10, equal_nan=True), (
            f'{what} of {node.text}, sequence {s}:\n{h}\nnot\n{w}'
        )


def as_list(results):
    return list(results.values()) if isinstance(results, dict) else [results]


def same_bits(a, b):
    return all(
        x.shape == y.shape and np.array_equal(x, y, equal_nan=True)
        for x, y in zip(map(np.asarray, a), map(np.asarray, b))
    )


def cone(node):
    """The node and all below it."""
    found, open_ = {node}, [node]
    while open_:
        new = [o for o in open_.pop().operands if o not in found]
        found.update(new)
        open_ += new
    return found


def check_alone(graph, function, feeds, results, outputs):
    """A sequence gives the same bits in a batch and alone, unless something looks at the whole batch."""
    if any(n.text in ('unpack', 'total') for o in outputs for n in cone(o)):
        return
    for s in range(len(next(iter(feeds.values())))):
        alone = as_list(function.eval({v: f[s : s + 1] for v, f in feeds.items()}))
        for n, all_, own in zip(outputs, results, alone):
            if n.axes:
                assert same_bits([all_[s]], [own[0]]), (
                    f'{n.text}, sequence {s}: other bits in a batch, {all_[s]}, than alone, {own[0]}'
                )


def check_backward(root, feeds, gradients):
    """Forward and backward as two calls give the gradients of grad."""
    state, values = root.forward(feeds, [root.output], {root.output})
    value = values[root.output]
    ones = [np.ones_like(v) for v in value] if isinstance(value, list) else np.ones_like(value)
    again = root.backward(state, {root.output: ones}, set(gradients))
    for v, g in gradients.items():
        pairs = zip(again[v], g) if isinstance(g, list) else [(again[v], g)]
        assert all(np.allclose(a, b, rtol=1e-12, atol=1e-12) for a, b in pairs), (
            f'backward of {v.name}: {again[v]} not {g}'
        )


def check_file(function, feeds, results, folder):
    """Saved and loaded it gives the same bits."""
    function.save(str(folder / 'model'))
    loaded = C.Function.load(str(folder / 'model'))
    given = {v.name: f for v, f in feeds.items()}
    for a, b in zip(results, as_list(loaded.eval({v: given[v.name] for v in loaded.arguments}))):
        assert same_bits(a, b) if isinstance(a, list) else same_bits([a], [b]), f'loaded: {b}, saved: {a}'


def check(graph, random, folder=None):
    """False where not everything was compared: data of these lengths have no meaning, and were refused, or
    numbers are infinite."""
    data = layout(graph, random)
    outputs = [graph.root] + [n for n in graph.others if n is not graph.root]
    function = C.combine([n.variable for n in outputs])
    arguments = set(function.arguments)
    feeds = {n.variable: fed(n, data[n]) for n in graph.inputs if n.variable in arguments}
    root = C.combine([graph.root.variable])
    below_root = set(root.parameters) | set(root.arguments)
    leaves = [n for n in graph.inputs + graph.parameters if not n.sparse and n.variable in below_root]
    directions = {
        n: [random.uniform(-1, 1, d.shape) for d in data[n]] if n in data else random.uniform(-1, 1, n.shape)
        for n in leaves
    }
    try:
        rows, finite = naive_values(graph, data, directions, outputs)
    except naive.Unclear:
        return False
    except naive.Refused:
        with pytest.raises((ValueError, RuntimeError), match='sequence'):
            function.eval(feeds)
        return False
    results = as_list(function.eval(feeds))
    for n, result, r in zip(outputs, results, rows):
        compare(n, result, r, 'value')
    if not finite:  # slopes of 0 times infinity
        return False
    if not leaves:
        return True
    root_feeds = {v: f for v, f in feeds.items() if v in below_root}
    gradients = root.grad(root_feeds, wrt=[n.variable for n in leaves])
    gradients = gradients if isinstance(gradients, dict) else {leaves[0].variable: gradients}
    slope = sum(np.nansum(w.imag) for w in sequences_of(rows[0])) / naive.STEP
    mine = {
        n: sum(np.sum(g * d) for g, d in zip(gradients[n.variable], directions[n]))
        if n.axes
        else np.sum(gradients[n.variable] * directions[n])
        for n in leaves
    }
    assert np.isclose(sum(mine.values()), slope, rtol=1e-8, atol=1e-8), (
        f'the slope is {slope}, not {sum(mine.values())} = {mine}'
    )
    if folder:
        check_alone(graph, function, feeds, results, outputs)
        check_backward(root, root_feeds, gradients)
        check_file(function, feeds, results, folder)
    return True


@pytest.mark.parametrize('first', range(FIRST, FIRST + GRAPHS, BLOCK))
def test_random_graphs(first, tmp_path):
    _cantik.set_verification(True)
    for seed in range(first, min(first + BLOCK, FIRST + GRAPHS)):
        graph = Graph(seed)
        random = np.random.RandomState(seed)
        try:
            ran, plans = check(graph, random), _cantik.plans_compiled()
            check(graph, random)
            assert not ran or _cantik.plans_compiled() == plans, 'other lengths made another plan'
            if seed % 4 == 0:
                check(graph, random, tmp_path)
        except Exception as e:
            pytest.fail(f'graph {seed}: {type(e).__name__}: {e}\n{text(graph)}')
