"""What notebooks show of functions: the graph as a picture in which names are data, or the summary."""

import xml.etree.ElementTree as ET

import numpy as np

import cantik as C

NAME = '<script>alert("&")</script>'
SVG = '{http://www.w3.org/2000/svg}'


def drawn(network):
    """Texts of the boxes, their places, and the lines with whether they are dashed."""
    picture = ET.fromstring(network._repr_html_())
    assert picture.tag == SVG + 'svg' and picture.find(f'.//{SVG}script') is None
    texts = [t.text for t in picture.iter(SVG + 'text')]
    boxes = [
        {k: float(r.get(k)) for k in ('x', 'y', 'width', 'height')}
        for r in list(picture.iter(SVG + 'rect'))[1:]
    ]
    lines = [p.get('stroke-dasharray') is not None for p in picture.iter(SVG + 'path') if p.get('stroke')]
    return texts, boxes, lines, (float(picture.get('width')), float(picture.get('height')))


def test_a_network_shows_functions_inputs_and_shapes():
    x = C.input_variable((3, 2), name=NAME)
    texts, boxes, lines, _size = drawn(C.layers.Dense(4, name='a<b>')(x))
    assert NAME in texts and '3 x 2' in texts and 'Dense a<b>' in texts and '4' in texts
    assert any('W 3 x 2 x 4' in t for t in texts)
    assert len(boxes) == 2 and lines == [False]


def test_operands_stand_above_results_and_no_boxes_overlap():
    x, y = C.input_variable(3, name='x'), C.input_variable(3, name='y')
    h = C.tanh(x + y)
    z = C.splice(h, C.exp(x), C.layers.Dense(2)(h * y)) + C.reduce_sum(y)
    _texts, boxes, lines, (width, height) = drawn(z)
    assert len(lines) >= 8 and not any(lines)
    for i, a in enumerate(boxes):
        assert 0 <= a['x'] and a['x'] + a['width'] <= width and 0 <= a['y'] and a['y'] + a['height'] <= height
        for b in boxes[:i]:
            apart_x = a['x'] + a['width'] <= b['x'] or b['x'] + b['width'] <= a['x']
            apart_y = a['y'] + a['height'] <= b['y'] or b['y'] + b['height'] <= a['y']
            assert apart_x or apart_y


def test_the_line_of_a_recurrence_goes_back():
    x = C.sequence.input_variable(3)
    state = C.placeholder()
    z = C.tanh(C.layers.Dense(2)(x) + C.layers.Dense(2)(C.sequence.past_value(state)))
    z.replace_placeholders({state: z.output})
    texts, _boxes, lines, _size = drawn(z)
    assert lines.count(True) == 1
    assert any('steps' in t for t in texts)


def test_functions_without_arguments_and_with_open_ones():
    texts, *_ = drawn(C.layers.Dense(2))
    assert any(t.startswith('Dense') for t in texts)
    constant = C.constant(np.ones(3)) + 1
    assert 'Plus' in drawn(constant)[0]
    several = C.combine([constant, C.exp(constant)])
    assert {'Plus', 'Exp'} <= set(drawn(several)[0])


def test_a_network_that_nobody_could_read_is_a_table():
    x = C.input_variable(3)
    z = x
    for _ in range(70):
        z = C.tanh(z)
    page = ET.fromstring(f'<div>{z._repr_html_()}</div>')
    assert page.find('table') is not None and len(list(page.iter('tr'))) == 72
