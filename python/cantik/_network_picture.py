"""Networks as pictures: boxes in layers, operands above, results below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _cantik
from ._html import escaped

if TYPE_CHECKING:
    from .ops.functions import Function

MOST_BOXES = 60  # of a picture that a person can read

_LETTER, _LINE = 6.6, 15  # pixels of a letter and of a line of text
_GAP, _RISE = 22, 34  # between boxes, and between layers
_SWEEPS = 6  # over the layers, for lines that cross little
_FILLS = {'input': '#e8f1fa', 'function': '#f5f5f5', 'result': '#fdf1e3'}
_OPEN = {-1: '?', -2: '?', -3: '*'}  # a size that is inferred, a shape that is not known, a free size


class _Box:
    """A function, an input, or a bend of a long line, which has no text."""

    def __init__(self, lines=(), kind='bend'):
        self.lines, self.kind = lines, kind
        self.layer, self.x, self.y = 0, 0.0, 0.0
        self.width = max((len(line) for line in lines), default=0) * _LETTER + 16 if lines else 4.0
        self.height = len(lines) * _LINE + 9 if lines else 0


def network_svg(network: Function) -> str:
    """The picture of a network as a text in SVG; empty where it has more boxes than a person can read."""
    boxes, lines = _boxes_of(network)
    if len(boxes) > MOST_BOXES:
        return ''
    paths = _layered(boxes, lines)
    layers = _rows(boxes + [box for path, _back in paths for box in path[1:-1]])
    _arrange(layers, paths)
    width, height = _place(layers)
    drawn = [_line(path, back) for path, back in paths] + [_drawn(box) for box in boxes]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="monospace" font-size="11">'
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
        'orient="auto"><path d="M0 0 8 4 0 8z" fill="#777"/></marker></defs>'
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="white"/>{"".join(drawn)}</svg>\n'
    )


def _sizes(variable):
    shape = ' x '.join(_OPEN.get(n, str(n)) for n in variable.shape) or '1'
    steps = len(variable.dynamic_axes) > 1
    return shape + (', steps' if steps else '')


def _boxes_of(network):
    """Boxes, results first, and pairs of them: from an operand to its function."""
    nodes = _cantik.traverse(network, 0)
    functions = [node for node in nodes if isinstance(node, _cantik.Function)]
    results = {variable.owner.uid for variable in network.outputs if variable.is_output}
    found, lines = {}, []
    for f in functions:
        label = f'{f.op_name} {f.name}' if f.name and f.name != f.op_name else f.op_name or 'Composite'
        held = [
            f'{v.name or v.uid} {_sizes(v)}'
            for v in f.inputs
            if v.is_parameter or (v.is_constant and v.shape)
        ]
        rows = [label, ', '.join(_sizes(v) for v in f.outputs), ', '.join(held)[:60]]
        found[f.uid] = _Box([row for row in rows if row], 'result' if f.uid in results else 'function')
    for f in functions:
        for v in f.inputs:
            if v.is_output:
                begin = found.get(v.owner.uid)
            elif v.is_parameter or v.is_constant:
                continue
            else:
                begin = found.setdefault(v.uid, _Box([v.name or v.uid, _sizes(v)], 'input'))
            if begin is not None and (begin, found[f.uid]) not in lines:
                lines.append((begin, found[f.uid]))
    return list(found.values()), lines


def _layered(boxes, lines):
    """Gives each box its layer, one below its lowest operand; returns a path of boxes for each line, with a
    bend in every layer between, and whether it goes back: the line of a recurrence."""
    operands: dict[_Box, list[_Box]] = {box: [] for box in boxes}
    for begin, end in lines:
        operands[end].append(begin)
    back, state = set(), {}
    for root in boxes:
        stack = [(root, iter(operands[root]))] if root not in state else []
        state.setdefault(root, 'open')
        while stack:
            box, rest = stack[-1]
            for operand in rest:
                if state.get(operand) == 'open':
                    back.add((operand, box))
                elif operand not in state:
                    state[operand] = 'open'
                    stack.append((operand, iter(operands[operand])))
                    break
            else:
                state[box] = 'done'
                box.layer = max((o.layer + 1 for o in operands[box] if (o, box) not in back), default=0)
                stack.pop()
    paths = []
    for begin, end in lines:
        first, last = (end, begin) if (begin, end) in back else (begin, end)
        path = [first]
        for layer in range(first.layer + 1, last.layer):
            bend = _Box()
            bend.layer = layer
            path.append(bend)
        paths.append(([*path, last], (begin, end) in back))
    return paths


def _rows(boxes):
    layers: list[list[_Box]] = [[] for _ in range(1 + max((box.layer for box in boxes), default=0))]
    for box in boxes:
        layers[box.layer].append(box)
    return layers


def _arrange(layers, paths):
    """Orders each layer by the mean place of its neighbours above, then below, and so on."""
    above: dict[_Box, list[_Box]] = {box: [] for layer in layers for box in layer}
    below: dict[_Box, list[_Box]] = {box: [] for layer in layers for box in layer}
    for path, _back in paths:
        for first, second in zip(path, path[1:]):
            above[second].append(first)
            below[first].append(second)
    for sweep in range(_SWEEPS):
        neighbours = below if sweep % 2 else above
        for layer in reversed(layers) if sweep % 2 else layers:
            places = {box: i for row in layers for i, box in enumerate(row)}
            means = {
                box: sum(places[n] for n in neighbours[box]) / len(neighbours[box])
                if neighbours[box]
                else places[box]
                for box in layer
            }
            layer.sort(key=means.__getitem__)


def _place(layers):
    """Gives each box the middle of its place; returns the size of the picture."""
    widths = [sum(box.width + _GAP for box in layer) for layer in layers]
    whole, y = max(widths, default=0) + _GAP, 12.0
    for layer, width in zip(layers, widths):
        x, height = (whole - width + _GAP) / 2, max(box.height for box in layer)
        for box in layer:
            box.x, box.y = x + box.width / 2, y + height / 2
            x += box.width + _GAP
        y += height + _RISE
    return whole, y - _RISE + 12


def _line(path, back):
    """A smooth line from box to box; that of a recurrence is dashed and points upwards."""
    points = [(path[0].x, path[0].y + path[0].height / 2)]
    points += [(box.x, box.y) for box in path[1:-1]]
    points.append((path[-1].x, path[-1].y - path[-1].height / 2))
    if back:
        points.reverse()
    text = f'M{points[0][0]:.1f} {points[0][1]:.1f}'
    for (x, y), (next_x, next_y) in zip(points, points[1:]):
        middle = (y + next_y) / 2
        text += f'C{x:.1f} {middle:.1f} {next_x:.1f} {middle:.1f} {next_x:.1f} {next_y:.1f}'
    dashes = ' stroke-dasharray="4 3"' if back else ''
    return f'<path d="{text}" fill="none" stroke="#777"{dashes} marker-end="url(#tip)"/>'


def _drawn(box):
    left, top = box.x - box.width / 2, box.y - box.height / 2
    shape = (
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{box.width:.1f}" height="{box.height}" '
        f'rx="5" fill="{_FILLS[box.kind]}" stroke="#999"/>'
    )
    rows = [
        f'<text x="{box.x:.1f}" y="{top + 15 + i * _LINE:.1f}" text-anchor="middle" '
        f'fill="{"#222" if i == 0 else "#777"}">{escaped(row)}</text>'
        for i, row in enumerate(box.lines)
    ]
    return shape + ''.join(rows)
