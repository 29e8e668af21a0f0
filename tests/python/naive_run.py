"""Random graphs run the naive way: data of random lengths for their inputs, Rows of their nodes, and what
they look like in text."""

import numpy as np
import scipy.sparse

import naive


def layout(graph, random):
    """Data for the inputs: {node: array or list of arrays}."""
    samples, empties = random.randint(1, 6), random.rand() < 0.2
    lengths = {}
    for axes in ('x', 'u'):
        lengths[axes] = random.randint(0 if empties else 1, 7, samples)
        if random.rand() < 0.15:
            lengths[axes][random.randint(samples)] = random.randint(15, 30)
    data = {}
    for n in graph.inputs:
        if n.axes == 'batch':
            data[n] = random.uniform(-1, 1, (samples,) + n.shape)
        else:
            data[n] = [
                random.uniform(-1, 1, (k,) + n.shape) * (random.rand(k, *n.shape) < 0.4 if n.sparse else 1)
                for k in lengths[n.axes]
            ]
    return data


@np.errstate(all='ignore')
def naive_values(graph, data, directions, wanted):
    """Rows of the wanted nodes, each computed once; and whether all numbers on the way are finite."""
    known = {}
    for n in graph.inputs:
        direction = directions.get(n)
        items = (
            [d + 1j * naive.STEP * e for d, e in zip(data[n], direction)]
            if direction is not None
            else list(data[n])
        )
        known[n] = naive.Rows(items, 'batch') if n.axes == 'batch' else naive.padded(items, n.axes)
    for n in graph.parameters:
        known[n] = naive.Rows(n.variable.value + (1j * naive.STEP * directions[n] if n in directions else 0))

    def value(n):
        if n not in known and n.loop is not None:
            carry(needed(n))
        if n not in known:
            known[n] = n.meaning(*[read(n, i, o) for i, o in enumerate(n.operands)])
        return known[n]

    def read(n, i, o):
        return layout(o) if n.for_layout == i else value(o)

    def layout(n):
        """Rows on the axes of n, of which only the lengths count."""
        while n not in known:
            below = [o for o in ([n.loop.like] if n.text == 'state' else n.operands) if o.axes == n.axes]
            if not below:
                return value(n)
            n = below[0]
        return known[n]

    def needed(n):
        """What it reads inside of its loop, in order."""
        found, open_ = {n}, [n]
        while open_:
            at = open_.pop()
            new = [
                o
                for i, o in enumerate(at.operands)
                if o.loop is n.loop and o not in found and i != at.for_layout
            ]
            found.update(new)
            open_ += new
        return [m for m in n.loop.states + n.loop.before + n.loop.nodes if m in found and m not in known]

    def carry(nodes):
        """The steps of a loop: all at once, as often as there are steps; after n times the first n are
        right."""
        like, inside = layout(nodes[0].loop.like), {}
        states = [n for n in nodes if n.text == 'state']
        operands = {
            n: [o if o in nodes and i != n.for_layout else read(n, i, o) for i, o in enumerate(n.operands)]
            for n in nodes
            if n not in states
        }
        rows = {s: like.like(np.full(like.data.shape[:2] + s.shape, np.nan)) for s in states}
        for _ in range(like.data.shape[1] + 1 if states else 1):
            inside = dict(rows)
            for n, read_ in operands.items():
                inside[n] = n.meaning(*[o if isinstance(o, naive.Rows) else inside[o] for o in read_])
            rows = {
                s: inside[s.operands[0]] if s.operands[0] in inside else known[s.operands[0]] for s in states
            }
        known.update(inside)
        known.update(rows)

    return [value(n) for n in wanted], not any(np.isinf(rows.data).any() for rows in known.values())


def text(graph):
    names = {n: n.variable.name for n in graph.inputs + graph.parameters}
    lines = []
    for i, n in enumerate(graph.nodes):
        names.setdefault(n, f'n{i}')
    for j, loop in enumerate(graph.loops):
        for i, s in enumerate(loop.states):
            names[s] = f'state{j}.{i}={names[s.operands[0]]}'
    marks = dict.fromkeys(graph.others, '  <- output')
    marks[graph.root] = '  <- root'
    for n in graph.nodes:
        if n.text == 'state':
            continue
        where = f' in loop {graph.loops.index(n.loop)}' if n.loop else ''
        lines.append(
            f'{names[n]} = {n.text}({", ".join(names[o] for o in n.operands)}) : {n.axes} '
            f'{n.shape}{where}{marks.get(n, "")}'
        )
    return '\n'.join(lines)


def fed(node, data):
    """As users feed it."""
    return [scipy.sparse.csr_matrix(d) for d in data] if node.sparse else data
