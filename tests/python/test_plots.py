"""plot_training: which curves there are, and files of them."""

import sys
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import cantik as C

SVG = '{http://www.w3.org/2000/svg}'
CURVES = {
    'loss': [3.0, 2.0, 1.0],
    'val_loss': [3.0, 2.5, 2.0],
    'accuracy': [0.1, 0.5, 0.9],
    'rate': [0.1, 0.1, 0.1],
}


def test_panels():
    picture = C.plot_training({**CURVES, 'epoch': [1, 2, 3], 'seconds': [1, 1, 1]})
    assert {title: list(lines) for title, lines in picture.panels.items()} == {
        'loss': ['loss', 'val_loss'],
        'accuracy': ['accuracy'],
    }
    assert 'rate' in C.plot_training({'loss': [1, 2], 'rate': [0.1, 0.2]}).panels


def test_svg_is_well_formed_and_goes_through_the_points(tmp_path):
    file = tmp_path / 'training.svg'
    picture = C.plot_training({**CURVES, 'a<b&c': [1.0, 2.0, 3.0]}, file)
    assert file.read_text(encoding='utf-8') == picture.svg() == picture._repr_svg_()
    root = ET.fromstring(picture.svg())
    lines = root.iter(SVG + 'polyline')
    points = [[tuple(map(float, p.split(','))) for p in line.get('points').split()] for line in lines]
    assert len(points) == 4 and all(len(line) == 3 for line in points)
    loss = np.array(points[0])
    np.testing.assert_allclose(np.diff(loss[:, 0]), np.diff(loss[:, 0])[0], atol=0.11)
    np.testing.assert_allclose(np.diff(loss[:, 1]), np.diff(loss[:, 1])[0], atol=0.11)
    assert loss[0, 1] < loss[-1, 1]  # downwards, as the loss
    assert 'a<b&c' in [text.text for text in root.iter(SVG + 'text')]


@pytest.mark.parametrize(
    'values', [[1.0], [2.0, 2.0], [1.0, np.nan, 2.0, 3.0], [np.nan], [np.inf, 1.0], [0.0, 0.0]]
)
def test_numbers_that_are_no_curve(values):
    svg = C.plot_training({'loss': values}).svg()
    ET.fromstring(svg)
    assert 'nan' not in svg and 'inf' not in svg


def test_histories_and_logs():
    X = np.ones((20, 2), np.float32)
    history = C.fit(C.layers.Dense(1), X, X[:, 0], loss='mse', epochs=2, validation_split=0.5)
    assert list(history.plot().panels['loss']) == ['loss', 'val_loss']
    assert C.plot_training(history).panels['loss']['loss'] == history['loss']
    x, y = C.input_variable(2), C.input_variable(1)
    loss = C.squared_error(C.layers.Dense(1)(x), y)
    log = loss.train((X, X[:, :1]), parameter_learners=[C.sgd(loss.parameters, 0.1)], max_epochs=3)
    assert len(C.plot_training(log).panels['loss']['loss']) == 3


def test_png(tmp_path):
    C.plot_training(CURVES, tmp_path / 'training.png')
    assert (tmp_path / 'training.png').read_bytes()[:8] == b'\x89PNG\r\n\x1a\n'


def test_png_without_matplotlib(tmp_path, monkeypatch):
    for name in ('matplotlib', 'matplotlib.figure', 'matplotlib.backends.backend_agg'):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(
        ImportError, match=r'remedy   pip install matplotlib, or give a file that ends in \.svg'
    ):
        C.plot_training(CURVES, tmp_path / 'training.png')
    assert not (tmp_path / 'training.png').exists()


@pytest.mark.parametrize(
    ('history', 'filename', 'message'),
    [
        (CURVES, 'training.pdf', 'ends in .svg or .png'),
        (CURVES, 3, 'filename must be the path'),
        ({}, None, 'no epoch to draw'),
        ({'loss': []}, None, 'no epoch to draw'),
        ({'loss': 'falling'}, None, 'a list of numbers'),
        ({'loss': [[1, 2]]}, None, 'a list of numbers'),
        (None, None, 'what fit or Function.train returned'),
        ([1, 2], None, 'what fit or Function.train returned'),
    ],
)
def test_wrong_use(history, filename, message):
    with pytest.raises(ValueError, match=message):
        C.plot_training(history, filename)
