"""What notebooks show of summaries and profiles: well-formed HTML in which names are data."""

import xml.etree.ElementTree as ET

import numpy as np

import cantik as C

NAME = '<script>alert("&")</script>'


def cells(thing):
    page = ET.fromstring(f'<div>{thing._repr_html_()}</div>')
    assert page.find('.//script') is None
    return [[cell.text or '' for cell in row] for row in page.iter('tr')], page.findtext('p')


def test_a_summary_is_a_table():
    x = C.input_variable((3, 2), name=NAME)
    rows, below = cells(C.summary(C.layers.Dense(4, name='a<b>')(x)))
    assert rows == [
        ['name', 'operator', 'output', 'parameters'],
        [NAME, '', '3 x 2', ''],
        ['a<b>', 'Dense', '4', '28'],
    ]
    assert below == '28 parameters in 2 tensors'


def test_a_summary_has_free_sizes_and_numbers():
    x = C.input_variable((C.FreeDimension, 2), name='x')
    rows, _below = cells(C.summary(C.reduce_sum(x, name='sum')))
    assert [row[0] for row in rows[1:]] == ['x', 'sum'] and [row[2] for row in rows[1:]] == ['* x 2', '1']


def test_a_summary_says_what_the_printed_table_says():
    for network in (
        C.layers.Dense(2, map_rank=1)(C.input_variable((C.FreeDimension, 3))),
        C.layers.Dense(2)(C.placeholder()),
        C.exp(C.placeholder((C.InferredDimension, 2))),
        C.top_k(C.input_variable((2, 3)), 1),
    ):
        summary = C.summary(network)
        rows, below = cells(summary)
        printed = [line.split() for line in str(summary).splitlines() if not line.startswith('-')]
        assert [' '.join(row).split() for row in rows] + [below.split()] == printed


def test_a_profile_is_a_table():
    x = C.input_variable(2)
    with C.profile() as profile:
        C.exp(x, name=NAME).eval({x: np.ones((3, 2))})
    rows, below = cells(profile)
    assert rows[0] == ['operator', 'calls', 'milliseconds']
    assert [[row[0], int(row[1])] for row in rows[1:]] == [[row.name, row.calls] for row in profile.rows]
    assert 'at the peak' in below


def test_a_profile_that_recorded_nothing_is_an_empty_table():
    assert cells(C.profile())[0] == [['operator', 'calls', 'milliseconds']]


def test_a_history_escapes_the_names_of_metrics():
    history = C.fit(
        C.layers.Dense(1), (np.ones((4, 2), np.float32), np.ones(4, np.float32)), loss='mse', epochs=1
    )
    for record in history.epochs:
        record['a<b>'] = 1.0
    page = ET.fromstring(f'<div>{history._repr_html_()}</div>')
    assert 'a<b>' in [cell.text for cell in page.iter('th')]
