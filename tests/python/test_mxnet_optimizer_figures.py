"""Optimizers of the MXNet layer against MXNet 1.9.1: weights after each of four updates, and states."""

from pathlib import Path

import numpy as np
import pytest

import cantik.mxnet as mx
from mxnet_optimizer_cases import cases, flat, run

KEPT = np.load(Path(__file__).resolve().parents[1] / 'golden' / 'mxnet_optimizers.npz')


@pytest.mark.parametrize('label, name, options, dtype', list(cases()), ids=[c[0] for c in cases()])
@pytest.mark.filterwarnings('ignore:Accumulating with float16')
def test_figures(label, name, options, dtype):
    found, wanted = flat(run(mx, name, options, dtype)), KEPT[label]
    assert found.shape == wanted.shape
    # In half precision each of MXNet's operations is rounded, of ours each update.
    relative, absolute = {True: (1e-4, 1e-5), False: (4e-3, 2e-3)}[dtype == 'float32']
    if 'in half' in label:
        absolute = 6e-3
    np.testing.assert_allclose(found, wanted, relative, absolute)
