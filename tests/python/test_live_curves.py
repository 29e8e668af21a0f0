"""C.train.LiveCurves: curves after every epoch, in a file or in a notebook, and after a checkpoint."""

import sys
import types

import numpy as np
import pytest

import cantik as C

X = np.random.default_rng(0).standard_normal((60, 2)).astype('f')
Y = X.sum(axis=1, keepdims=True)


def train(curves, epochs, **more):
    x, y = C.input_variable(2), C.input_variable(1)
    z = C.layers.Dense(1, init=0.1)(x)
    return C.squared_error(z, y).train(
        (X, Y),
        minibatch_size=20,
        parameter_learners=[C.sgd(z.parameters, 0.1)],
        max_epochs=epochs,
        callbacks=[curves],
        **more,
    )


def test_a_file_has_the_curves_of_all_epochs_so_far(tmp_path):
    file = tmp_path / 'curves.svg'
    pictures = []

    class Look(C.train.Callback):
        def on_epoch_end(self, session, record):
            pictures.append(file.read_text())

    x, y = C.input_variable(2), C.input_variable(1)
    z = C.layers.Dense(1, init=0.1)(x)
    progress = C.squared_error(z, y).train(
        (X, Y),
        minibatch_size=20,
        parameter_learners=[C.sgd(z.parameters, 0.1)],
        max_epochs=3,
        callbacks=[C.train.LiveCurves(str(file)), Look()],
    )
    assert len(pictures) == len(set(pictures)) == 3
    losses = [s.loss for s in progress.epoch_summaries]
    assert C.plot_training({'loss': losses}).svg().split('<polyline')[1][:40] in pictures[-1]


@pytest.fixture
def notebook(monkeypatch):
    """A notebook that keeps what it shows: one picture, over and over."""
    shown = []

    class Handle:
        def update(self, thing):
            shown.append(('update', thing._repr_svg_()))

    def display(thing, display_id):
        assert display_id is True
        shown.append(('display', thing._repr_svg_()))
        return Handle()

    package = types.ModuleType('IPython')
    package.get_ipython = lambda: package
    package.display = types.ModuleType('IPython.display')
    package.display.display = display
    monkeypatch.setitem(sys.modules, 'IPython', package)
    monkeypatch.setitem(sys.modules, 'IPython.display', package.display)
    return package, shown


def test_a_notebook_has_one_picture(notebook):
    train(C.train.LiveCurves(), 3)
    kinds = [kind for kind, _picture in notebook[1]]
    assert kinds == ['display', 'update', 'update']
    assert len({picture for _kind, picture in notebook[1]}) == 3


def test_a_checkpoint_keeps_the_epochs_before_it():
    before, after = (C.train.LiveCurves('unused.svg') for _ in range(2))
    before._lines = {'loss': [2.0, 1.0]}
    after.restore(before.state())
    assert after._lines == {'loss': [2.0, 1.0]}


def test_without_a_notebook_a_file_is_asked_for(notebook, monkeypatch):
    notebook[0].get_ipython = lambda: None
    with pytest.raises(RuntimeError, match='runs in no notebook'):
        C.train.LiveCurves()
    monkeypatch.setitem(sys.modules, 'IPython', None)
    with pytest.raises(RuntimeError, match='LiveCurves\\("curves.svg"\\)'):
        C.train.LiveCurves()


def test_other_files_are_refused(tmp_path):
    with pytest.raises(TypeError, match='filename'):
        C.train.LiveCurves(3)
    with pytest.raises((TypeError, ValueError), match=r'ends in \.svg or \.png'):
        C.train.LiveCurves(str(tmp_path / 'curves.bmp'))
