"""ONNX's files that CNTK 2.7 wrote: the values of the networks that they were written from."""

import pathlib

import numpy as np
import pytest

import cantik as C

GOLDEN = np.load(pathlib.Path(__file__).parents[1] / 'golden' / 'onnx_cntk.npz')


@pytest.mark.parametrize('name', sorted({key.split('/')[0] for key in GOLDEN.files}))
@pytest.mark.parametrize('form', [None, C.ModelFormat.ONNX], ids=['ours', 'as_cntk'])
def test_values_are_those_of_the_network(name, form, tmp_path):
    path = tmp_path / 'f.onnx'
    path.write_bytes(GOLDEN[name + '/file'].tobytes())
    network = C.Function.load(str(path), **({'format': form} if form else {}))
    (argument,) = network.arguments
    value, due = GOLDEN[name + '/fed'], GOLDEN[name + '/made']
    if argument.name == 's':  # steps, then the batch
        value, due = np.swapaxes(value, 0, 1), np.swapaxes(due, 0, 1)
    made = network.eval({argument: value})
    np.testing.assert_allclose(np.reshape(made, due.shape), due, rtol=1e-5, atol=1e-6)
