"""Operators of the MXNet layer against MXNet 1.9.1: values, gradients, shapes and types."""

import numpy as np
import pytest

import cantik.mxnet as mx
from mxnet_figures import FAMILIES, cases_of, load, run

KEPT = {family: load(family) for family in FAMILIES}
CASES = [(family, *case) for family in FAMILIES for case in cases_of(family)]


@pytest.mark.parametrize(
    'family, name, case', [(f, n, c) for f, n, *c in CASES], ids=[f'{f}: {n}' for f, n, *_ in CASES]
)
def test_figures(family, name, case):
    if name not in KEPT[family]:
        pytest.fail('MXNet has no figures for this case')
    found = run(mx, *case)
    assert len(found) == len(KEPT[family][name])
    for i, (ours, theirs) in enumerate(zip(found, KEPT[family][name])):
        assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype), i
        tight = {2: (1e-2, 1e-2), 4: (2e-5, 1e-5), 8: (1e-9, 1e-9)}[max(theirs.dtype.itemsize, 2)]
        np.testing.assert_allclose(ours, theirs, *tight, err_msg=str(i))
