"""Helpers that CNTK's tests and notebooks take from here. What needs pytest or SciPy imports it when it is
used."""

import numpy as np

import cantik as C

TOLERANCE_ABSOLUTE = 1e-6
PRECISION_TO_TYPE = {'float': np.float32, 'double': np.float64}
AA = np.asarray


def __getattr__(name):
    if name == 'precision':
        globals()[name] = _precision()
    elif name == 'pytest':
        import pytest

        globals()[name] = pytest
    elif name == 'sp':
        import scipy.sparse

        globals()[name] = scipy
    else:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return globals()[name]


def _precision():
    import pytest

    @pytest.fixture(params=['float', 'double'])
    def precision(request):
        return request.param

    return precision


def _to_csr(data):
    import scipy.sparse

    rows = np.asarray(data, dtype=np.float32)
    return scipy.sparse.csr_matrix(rows.reshape((-1, rows.shape[-1])))


def _to_dense(val, is_sequence=False):
    make = C.sequence.input_variable if is_sequence else C.input_variable
    x = make(val.shape[2 if is_sequence else 1 :], is_sparse=True)
    return C.times(x, C.constant(np.eye(val.shape[-1], dtype=np.float32))).eval({x: val}, device=val.device)


def set_device_from_pytest_env():
    """Cantik takes the best device by itself."""
