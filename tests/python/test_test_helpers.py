"""The helpers that programs and notebooks take from CNTK's test packages."""

import mmap
import os
import subprocess
import sys

import numpy as np
import pytest

import cantik as C
from cntk.ops.tests import ops_test_utils as helpers
from cntk.tests import test_utils


def run(code):
    environment = {**os.environ, 'PYTHONPATH': os.pathsep.join(p for p in sys.path if p)}
    return subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, env=environment)


WITHOUT = '''
import sys
class Forbid:
    def find_spec(self, name, path=None, target=None):
        if name.partition('.')[0] in ('pytest', 'scipy'):
            raise ModuleNotFoundError(name + ' is not there', name=name)
sys.meta_path.insert(0, Forbid())
'''


@pytest.mark.parametrize('module', ['cntk.tests.test_utils', 'cntk.ops.tests.ops_test_utils'])
def test_imported_without_pytest_and_scipy(module):
    done = run(
        WITHOUT
        + f'''
import importlib
m = importlib.import_module('{module}')
assert m.set_device_from_pytest_env() is None and m.TOLERANCE_ABSOLUTE == 1e-6
for name in ('precision', 'pytest', 'sp'):
    try:
        getattr(m, name)
    except ModuleNotFoundError as error:
        assert 'is not there' in str(error)
    else:
        raise AssertionError(name)
'''
    )
    assert done.returncode == 0, done.stderr


def test_names_that_cntk_has():
    for name in (
        'AA',
        'C',
        'PRECISION_TO_TYPE',
        'TOLERANCE_ABSOLUTE',
        '_to_csr',
        '_to_dense',
        'np',
        'precision',
        'pytest',
        'set_device_from_pytest_env',
        'sp',
    ):
        assert hasattr(test_utils, name), name
    for name in (
        'AA',
        'C',
        'Function',
        'PRECISION_TO_TYPE',
        'TOLERANCE_ABSOLUTE',
        '_test_binary_op',
        '_test_unary_op',
        'batch_dense_to_sparse',
        'cntk_device',
        'cntk_eval',
        'constant',
        'cpu',
        'gpu',
        'compare_lists_of_np_arrays',
        'mem_used',
        'np',
        'os',
        'os_process',
        'precision',
        'pytest',
        'remove_np_array_in_list',
        'sanitize_dtype_cntk',
        'set_device_from_pytest_env',
        'sp',
        'unittest_helper',
    ):
        assert hasattr(helpers, name), name
    assert helpers.pytest is pytest
    with pytest.raises(AttributeError, match='no_such_name'):
        helpers.no_such_name


def test_sparse_and_dense():
    pytest.importorskip('scipy')
    data = np.array([[1, 0], [0, 2]], np.float32)
    csr = test_utils._to_csr(data)
    np.testing.assert_array_equal(csr.toarray(), data)
    value = C.Value(csr)
    np.testing.assert_array_equal(test_utils._to_dense(value), data)


@pytest.mark.parametrize('precision', ['float', 'double'])
def test_right_and_wrong_expectations(precision):
    x = [[1.0, -2.0], [3.0, 4.0]]
    right = ('-', x, [-helpers.AA(x)], {'arg': [-np.ones((2, 2))]})
    helpers._test_unary_op(precision, -1, *right)
    helpers._test_unary_op(precision, -1, C.negate, x, [-helpers.AA(x)], None)
    for wrong in (
        ('-', x, [helpers.AA(x)], None),
        ('-', x, [-helpers.AA(x)], {'arg': [np.ones((2, 2))]}),
        ('-', x, [-helpers.AA(x)] * 2, None),
        ('-', x, [-helpers.AA(x).ravel()], None),
    ):
        with pytest.raises(AssertionError):
            helpers._test_unary_op(precision, -1, *wrong)
    y = [[5.0, 6.0], [7.0, 8.0]]
    gradients = {'left_arg': [y], 'right_arg': [x]}
    for op in ('*', C.element_times):
        helpers._test_binary_op(precision, -1, op, x, y, [helpers.AA(x) * y], gradients)
    with pytest.raises(AssertionError):
        helpers._test_binary_op(
            precision, -1, '*', x, y, [helpers.AA(x) * y], {'left_arg': [x], 'right_arg': [y]}
        )
    helpers._test_binary_op(
        precision,
        -1,
        '+',
        [[1.0], [2.0]],
        [[3.0], [4.0]],
        [[4], [6]],
        {'left_arg': [[1], [1]], 'right_arg': [[1], [1]]},
        batch_size_greater_than_one=True,
    )


def test_devices_and_memory():
    assert helpers.cntk_device(-1).type() == 0
    with pytest.raises(ValueError, match='GPU device id'):
        helpers.cntk_device(99)
    process = helpers.os_process()
    before = helpers.mem_used(process)
    with mmap.mmap(-1, 1 << 25) as fresh:  # an array may get memory that the process has had before
        fresh[:: mmap.PAGESIZE] = b'x' * len(range(0, len(fresh), mmap.PAGESIZE))
        assert helpers.mem_used(process) - before > 1 << 24


def test_positions_of_what_is_not_zero():
    dense = [[[1, 2, 3], [4, 0, 6]], [[0, 0, 0], [40, 50, 60]]]
    assert helpers.batch_dense_to_sparse(dense) == (
        [[0, 1, 2, 4, 5], [1, 3, 5]],
        [[1, 4, 2, 3, 6], [40, 50, 60]],
        (2, 3),
    )
    assert helpers.batch_dense_to_sparse([[[1, 0], [0, 3]]], 'steps') == ([[0, 3]], [[1, 3]], (2,))
    with pytest.raises(ValueError, match='one shape'):
        helpers.batch_dense_to_sparse([[1], [1, 2]])


def test_lists_in_any_order():
    a, b = np.ones(2), np.zeros((1, 3))
    assert helpers.compare_lists_of_np_arrays([a, b], [b, a]) and not helpers.compare_lists_of_np_arrays(
        [a], [a, a]
    )
    assert not helpers.compare_lists_of_np_arrays([a, a], [a, b])
    left = [a, b]
    helpers.remove_np_array_in_list(b, left)
    assert len(left) == 1
    with pytest.raises(ValueError):
        helpers.remove_np_array_in_list(b, left)
