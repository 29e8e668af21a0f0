"""Random graphs over sequences and random layouts: values and gradients are those of a naive padded-and-masked evaluator.

CANTIK_RANDOM_GRAPHS=1000 tries so many (`make graphs`); a failing seed prints its graph.
"""
import os

import numpy as np
import pytest

import cantik as C
import naive
from random_graphs import Graph, fed

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
        assert np.allclose(h, w, rtol=1e-9, atol=1e-10, equal_nan=True), f'{what} of {node.text}, sequence {s}:\n{h}\nnot\n{w}'


def check(graph, random):
    data = graph.layout(random)
    outputs = [graph.root] + [n for n in graph.others if n is not graph.root]
    function = C.combine([n.variable for n in outputs])
    arguments = set(function.arguments)
    feeds = {n.variable: fed(n, data[n]) for n in graph.inputs if n.variable in arguments}
    read = set(function.parameters)
    root = graph.root.variable.output if len(graph.root.variable.outputs) == 1 else graph.root.variable
    root_inputs = set(C.combine([root]).parameters) | set(C.combine([root]).arguments)
    leaves = [n for n in graph.inputs + graph.parameters if not n.sparse and n.variable in root_inputs]
    directions = {n: [random.uniform(-1, 1, d.shape) for d in data[n]] if n in data else random.uniform(-1, 1, n.shape) for n in leaves}
    try:
        rows = graph.naive_values(data, directions, outputs)
    except naive.Refused:
        with pytest.raises((ValueError, RuntimeError), match='sequence'):
            function.eval(feeds)
        return
    results = function.eval(feeds)
    results = list(results.values()) if isinstance(results, dict) else [results]
    for n, result, r in zip(outputs, results, rows):
        compare(n, result, r, 'value')
    if not leaves:
        return
    gradients = C.combine([root]).grad({v: f for v, f in feeds.items() if v in root_inputs}, wrt=[n.variable for n in leaves])
    gradients = gradients if isinstance(gradients, dict) else {leaves[0].variable: gradients}
    slope = sum(np.nansum(w.imag) for w in sequences_of(rows[0])) / naive.STEP
    mine = {n: sum(np.sum(g * d) for g, d in zip(gradients[n.variable], directions[n])) if n.axes else np.sum(gradients[n.variable] * directions[n]) for n in leaves}
    assert np.isclose(sum(mine.values()), slope, rtol=1e-8, atol=1e-8), f'the slope is {slope}, not {sum(mine.values())} = {mine}'


@pytest.mark.parametrize('first', range(FIRST, FIRST + GRAPHS, BLOCK))
def test_random_graphs(first):
    for seed in range(first, min(first + BLOCK, FIRST + GRAPHS)):
        graph = Graph(seed)
        random = np.random.RandomState(seed)
        try:
            for _ in range(2):  # the second layout finds the plan of the first
                check(graph, random)
        except Exception as e:
            pytest.fail(f'graph {seed}: {type(e).__name__}: {e}\n{graph.text()}')
