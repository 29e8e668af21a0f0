"""Arrays come in and go out without copies where that is promised, and with a copy where that is."""

import gc

import numpy as np
import pytest
import scipy.sparse as sp

import cantik as C


def test_borrowed_array_shares_memory():
    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    view = C.NDArrayView.from_dense(a, borrow=True)
    assert np.shares_memory(np.asarray(view), a)
    a[0, 0] = 7
    assert np.asarray(view)[0, 0] == 7


def test_copied_array_does_not():
    a = np.zeros((2, 3), np.float32)
    view = C.NDArrayView.from_dense(a)
    a[:] = 5
    assert not np.asarray(view).any()


def test_asarray_is_a_copy_and_numpy_asarray_is_not():
    view = C.NDArrayView.from_dense(np.zeros((2, 3), np.float32))
    view.asarray()[:] = 1
    assert not np.asarray(view).any()
    np.asarray(view)[:] = 2
    assert (view.asarray() == 2).all()


def test_value_borrows():
    a = np.ones((2, 3), np.float32)
    assert np.shares_memory(np.asarray(C.Value(a).data), a)


def test_memory_outlives_its_owner():
    view = C.NDArrayView.from_dense(np.full((1000, 100), 3, np.float32))
    array = np.asarray(view)
    del view
    gc.collect()
    np.full((1000, 100), 9, np.float32)
    assert (array == 3).all()
    borrowed = C.NDArrayView.from_dense(np.full((1000, 100), 4, np.float32), borrow=True)
    gc.collect()
    assert (borrowed.asarray() == 4).all()


@pytest.mark.parametrize('dtype', [np.float32, np.float64, np.float16, np.int8, np.int16])
def test_element_types(dtype):
    a = np.arange(-3, 3).reshape(2, 3).astype(dtype)
    view = C.NDArrayView.from_dense(a)
    assert view.dtype == dtype and view.shape == (2, 3)
    back = view.asarray()
    assert back.dtype == dtype and np.array_equal(back, a)


def test_orders_and_strides():
    a = np.arange(24, dtype=np.float32).reshape(4, 6)
    for b in (a.T, np.asfortranarray(a), a[::2, ::3], a[::-1]):
        assert np.array_equal(C.NDArrayView.from_dense(b).asarray(), b)


def test_big_endian():
    a = np.arange(4, dtype='>f4')
    assert np.array_equal(C.NDArrayView.from_dense(a).asarray(), a)


def test_dlpack_both_ways():
    a = np.arange(6, dtype=np.float64).reshape(2, 3)
    view = C.NDArrayView.from_dlpack(a)
    assert np.shares_memory(np.asarray(view), a)
    out = np.from_dlpack(view)
    assert np.shares_memory(out, a) and np.array_equal(out, a)
    assert view.__dlpack_device__() == (1, 0)


def test_dlpack_of_strides_is_an_error():
    with pytest.raises(ValueError, match='do not lie side by side'):
        C.NDArrayView.from_dlpack(np.zeros((4, 4), np.float32)[:, ::2])


def test_dlpack_of_no_tensor():
    with pytest.raises(TypeError, match='__dlpack__'):
        C.NDArrayView.from_dlpack(3)


def test_torch():
    torch = pytest.importorskip(
        'torch', reason='PyTorch is not installed here; DLPack is tested with NumPy as well'
    )
    t = torch.arange(6, dtype=torch.float32).reshape(2, 3)
    view = C.NDArrayView.from_dlpack(t)
    t[0, 0] = 9
    assert np.asarray(view)[0, 0] == 9
    assert torch.from_dlpack(view).data_ptr() == t.data_ptr()


def test_csr_round_trip():
    m = sp.random(5, 7, density=0.3, format='csr', dtype=np.float32, random_state=1)
    view = C.NDArrayView.from_csr(m)
    assert view.is_sparse and view.shape == (5, 7)
    back = view.asarray()
    assert sp.issparse(back) and (back != m).nnz == 0
    assert np.array_equal(np.asarray(view), m.toarray())


def test_only_csr():
    with pytest.raises(TypeError, match='only CSR is supported'):
        C.NDArrayView.from_csr(np.zeros((2, 2)))


def test_no_dlpack_of_sparse():
    with pytest.raises(TypeError, match='no DLPack form'):
        C.NDArrayView.from_csr(sp.eye(3, format='csr', dtype=np.float32)).__dlpack__()


def test_slices_share_and_read_only_refuses():
    view = C.NDArrayView.from_dense(np.arange(6, dtype=np.float32).reshape(2, 3))
    part = view.slice_view((1, 0), (3,), read_only=False)
    np.asarray(part)[:] = 0
    assert view.asarray()[1].tolist() == [0, 0, 0] and view.asarray()[0].tolist() == [0, 1, 2]
    fixed = view.alias(read_only=True)
    assert fixed.is_read_only
    with pytest.raises(ValueError):
        np.asarray(fixed)[:] = 1


@pytest.mark.parametrize(
    'start, extent',
    [
        ((2**63 - 1, 0), (1, 3)),
        ((1, 0), (2**63 - 1, 3)),
        ((2**62, 0), (2**62, 3)),
        ((10, 0), (1, 3)),
        ((-1, 0), (1, 3)),
        ((0, 2), (1, 2)),
    ],
)
def test_slices_beyond_an_array(start, extent):
    """However large the numbers: their sum may not be one."""
    view = C.NDArrayView.from_dense(np.arange(6, dtype=np.float32).reshape(2, 3))
    with pytest.raises(ValueError, match='leaves the shape'):
        view.slice_view(start, extent)


def test_strings_are_no_numbers():
    x = C.input_variable(2)
    with pytest.raises(TypeError, match='which are not numbers'):
        C.relu(x).eval({x: np.array([['a', 'b']])})


def test_values():
    dense = C.Value(np.ones((4, 3), np.float32))
    assert (
        dense.shape == (4, 3)
        and len(dense) == 4
        and not dense.is_sparse
        and repr(dense) == 'Value([4 x 3], CPU)'
    )
    hot = C.Value.one_hot([1, 3], 5)
    assert hot.is_sparse and hot.dtype == np.float32
    x = C.input_variable(5, is_sparse=True)
    assert np.array_equal(C.times(x, np.eye(5, dtype=np.float32)).eval({x: hot}), np.eye(5)[[1, 3]])


def test_one_hot_out_of_range():
    with pytest.raises(ValueError):
        C.Value.one_hot([5], 5)


def test_sparse_input_takes_csr_and_gives_the_dense_result():
    m = sp.random(6, 9, density=0.4, format='csr', dtype=np.float32, random_state=2)
    w = np.random.RandomState(3).randn(9, 4).astype(np.float32)
    x = C.input_variable(9, is_sparse=True)
    assert np.allclose(C.times(x, w).eval({x: m}), m @ w, atol=1e-6)
