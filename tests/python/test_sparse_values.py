"""Sparse sequences: CSR matrices and one-hot rows in, matrices out; arrays that make no matrix are
refused."""

import numpy as np
import pytest
import scipy.sparse as sp

import cantik as C
from sequences import ragged, same, steps


def csr(a):
    return sp.csr_matrix(np.asarray(a, np.float32))


def dense(matrices):
    return [m.toarray() for m in matrices]


def test_sparse_round_trip():
    x = C.sequence.input_variable(3, is_sparse=True)
    data = ragged(2, 0, 3)
    value = C.Value.create(x, [csr(d) for d in data])
    assert (
        value.is_sparse
        and value.shape == (3, 3, 3)
        and value.mask.tolist() == [[2, 1, 0], [0, 0, 0], [2, 1, 1]]
    )
    assert same(dense(value.as_sequences(x)), data)
    assert all(sp.issparse(m) for m in value.as_sequences(x))
    assert same(C.times(x, np.eye(3, dtype=np.float32)).eval({x: value}), data)
    assert same(C.times(x, np.eye(3, dtype=np.float32)).eval({x: [csr(d) for d in data]}), data)
    with pytest.raises(ValueError, match='without the corresponding variable'):
        value.as_sequences()


def test_sparse_views():
    x = C.sequence.input_variable(3, is_sparse=True)
    value = C.Value.create(x, [csr(d) for d in ragged(2, 3)])
    a, b = value.as_sequences(x), value.as_sequences(x)
    assert np.shares_memory(a[1].data, b[1].data)


def test_sparse_data_is_sparse_and_feeds():
    x = C.sequence.input_variable(3, is_sparse=True)
    value = C.Value.create(x, [csr(d) for d in ragged(2, 3)])
    assert value.data.is_sparse and value.data.shape == (2, 3, 3)
    rectangle = np.zeros((2, 3, 3), np.float32)
    rectangle[0, :2], rectangle[1] = ragged(2, 3)
    assert np.array_equal(value.data.asarray(), rectangle) and np.array_equal(value.asarray(), rectangle)
    result = C.times(x, np.eye(3, dtype=np.float32)).eval({x: value.data})
    assert same(result, list(rectangle))


def test_sparse_into_dense():
    x = C.sequence.input_variable(3)
    assert same((x + 1).eval({x: [csr(d) for d in ragged(2, 1)]}), [d + 1 for d in ragged(2, 1)])


def test_sparse_samples_of_several_rows():
    x = C.sequence.input_variable((2, 3), is_sparse=True)
    a = np.arange(12, dtype=np.float32).reshape(2, 2, 3)
    eye = np.eye(3, dtype=np.float32)
    assert same(C.times(x, eye).eval({x: [csr(a.reshape(4, 3)), csr(a[0])]}), [a, a[:1]])
    assert same(C.times(x, eye).eval({x: [csr(a.reshape(2, 6))]}), [a])
    views = [
        C.NDArrayView.from_csr(csr(a.reshape(4, 3)), shape=(2, 2, 3)),
        C.NDArrayView.from_csr(csr(a[0]), shape=(1, 2, 3)),
    ]
    assert same(C.times(x, eye).eval({x: C.Value.create(x, views)}), [a, a[:1]])
    b = C.input_variable((2, 3), is_sparse=True)
    assert np.array_equal(C.times(b, eye).eval({b: [csr(a[0]), csr(a[1])]}), a)


def test_wrong_sparse_lists():
    x = C.sequence.input_variable(3, is_sparse=True)
    with pytest.raises(ValueError, match=r"The shape '\[2 x 4\]' of sequence #1"):
        C.Value.create(x, [csr(steps(2)), csr(steps(2, 4))])
    with pytest.raises(ValueError, match='sequences #0 and #1 are dense and sparse'):
        C.Value.create(x, [steps(2), csr(steps(2))])
    with pytest.raises(ValueError, match='Dense input data supplied for sparse input'):
        C.times(x, np.eye(3, dtype=np.float32)).eval({x: [steps(2)]})
    with pytest.raises(TypeError, match='only CSR is supported'):
        C.Value.create(x, [sp.csc_matrix(steps(2))])
    n = C.input_variable(3, is_sparse=True, dynamic_axes=[])
    with pytest.raises(ValueError, match='every sequence must be encoded as one csr_matrix instance'):
        C.asvalue(n, [csr(steps(1))])


def spoilt(**arrays):
    m = csr([[0, 1, 2], [3, 0, 4]])
    for name, array in arrays.items():
        setattr(m, name, np.asarray(array))
    return m


@pytest.mark.parametrize(
    'matrix, text',
    [
        (spoilt(indices=[1, 2, 0, 3]), 'an index of row 1 lies outside its 3 columns'),
        (spoilt(indices=[-1, 2, 0, 2]), 'an index of row 0 lies outside'),
        (spoilt(indices=np.array([1, 2, 0, 2**32 + 2])), 'an index of row 1 lies outside'),
        (spoilt(indices=[1, 2]), 'indptr counts 4 entries, but there are 2 indices'),
        (spoilt(data=np.ones(2, np.float32)), r'4 indices and 2 values'),
        (
            spoilt(data=np.ones((4, 1), np.float32)),
            r'the values must be a list of numbers, and have the shape \[4, 1\]',
        ),
        (spoilt(indptr=[0, 2]), '2 rows need 3 elements of indptr, which has 2'),
        (spoilt(indptr=[0, 3, 2]), 'indptr falls after row 1'),
        (spoilt(indptr=[0, -5, 4]), 'indptr falls after row 0'),
        (spoilt(indptr=[1, 2, 4]), 'indptr must begin with 0, and begins with 1'),
        (spoilt(indptr=[0, 2, 2**40]), 'indptr counts 1099511627776 entries'),
        (spoilt(indptr=[0.0, 2.0, 4.0]), 'list of whole numbers'),
        (spoilt(indices=[[1, 2], [0, 2]]), 'list of whole numbers'),
    ],
)
def test_hostile_matrices(matrix, text):
    x = C.sequence.input_variable(3, is_sparse=True)
    for make in (
        lambda: C.NDArrayView.from_csr(matrix),
        lambda: C.Value(matrix),
        lambda: C.Value.create(x, [matrix]),
        lambda: C.times(x, np.eye(3)).eval({x: matrix}),
    ):
        with pytest.raises(ValueError, match=text):
            make()


def test_unsorted_and_repeated_entries_mean_what_scipy_means():
    m = sp.csr_matrix(
        (np.array([5, 1, 2, 4, 3], np.float32), np.array([2, 0, 2, 1, 1]), np.array([0, 3, 5])), shape=(2, 3)
    )
    assert not m.has_canonical_format
    x = C.sequence.input_variable(3, is_sparse=True)
    value = C.Value.create(x, m)
    assert np.array_equal(np.asarray(value), m.toarray()) and np.array_equal(
        value.as_sequences(x)[0].toarray(), [[1, 0, 7], [0, 7, 0]]
    )
    assert same(C.times(x, np.eye(3, dtype=np.float32)).eval({x: [m]}), [m.toarray()])


def test_matrices_with_wide_indices_and_without_entries():
    m = csr(steps(2))
    m.indices, m.indptr = m.indices.astype(np.int64), m.indptr.astype(np.int64)
    x = C.sequence.input_variable(3, is_sparse=True)
    eye = np.eye(3, dtype=np.float32)
    empty = sp.csr_matrix((2, 3), dtype=np.float32)
    assert same(C.times(x, eye).eval({x: [m, empty]}), [steps(2), np.zeros((2, 3))])
    assert same(C.times(x, eye).eval({x: [empty]}), [np.zeros((2, 3))])


# ---- one-hot


def hot(indices, n):
    return np.eye(n, dtype=np.float32)[np.asarray(indices, int)].reshape(len(indices), n)


@pytest.mark.parametrize('sequences', [[[1, 2], [0]], [[1], [0]], [[], [2, 2, 2]], [[1, 0, 2]], [[]]])
def test_one_hot_sequences(sequences):
    value = C.Value.one_hot(sequences, num_classes=3)
    x = C.sequence.input_variable(3, is_sparse=True)
    wanted = [hot(s, 3) for s in sequences]
    assert value.is_sparse and value.shape == (len(sequences), max(map(len, sequences)), 3)
    assert same(dense(value.as_sequences(x)), wanted)
    assert same(C.times(x, np.eye(3, dtype=np.float32)).eval({x: value}), wanted)
    y = C.sequence.input_variable(3)
    assert same((y + 1).eval({y: value}), [w + 1 for w in wanted])


def test_one_hot_of_arrays():
    x = C.sequence.input_variable(4, is_sparse=True)
    for t in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint32, np.uint64):
        assert same(
            dense(C.Value.one_hot([np.array([3, 0], t), np.array([1], t)], 4).as_sequences(x)),
            [hot([3, 0], 4), hot([1], 4)],
        )
    assert same(
        dense(C.Value.one_hot(np.array([[3, 0], [1, 1]]), 4).as_sequences(x)),
        [hot([3, 0], 4), hot([1, 1], 4)],
    )


def test_one_hot_rows_of_several_indices():
    x = C.sequence.input_variable((2, 3), is_sparse=True)
    value = C.Value.one_hot([[1, 2], [0, 0, 2, 1]], (2, 3), dtype=np.float64)
    assert value.dtype == np.float64 and value.shape == (2, 2, 2, 3)
    assert same(value.as_sequences(x), [np.eye(3)[[[1, 2]]], np.eye(3)[[[0, 0], [2, 1]]]])


def test_one_hot_skips():
    skip = C.Value.ONE_HOT_SKIP
    x = C.sequence.input_variable(3, is_sparse=True)
    for sequences in ([[skip, 1], [2]], [np.array([skip, 1]), np.array([2])]):
        assert same(
            dense(C.Value.one_hot(sequences, 3).as_sequences(x)),
            [np.array([[0, 0, 0], [0, 1, 0]]), hot([2], 3)],
        )


@pytest.mark.parametrize(
    'batch, classes, text',
    [
        (
            [[0], [1, 3]],
            3,
            r'one-hot index value \(3\) exceeds vocabulary size \(3\).\n  where    sequence 1',
        ),
        ([[-1]], 3, 'negative'),
        ([[2**32]], 3, r'exceeds vocabulary size'),
        ([np.array([2**32 + 1])], 3, r'exceeds vocabulary size'),
        ([[1.5]], 3, 'must be of type integer and not "<class \'float\'>"'),
        ([np.array([1.0])], 3, 'must be of type integer'),
        ([['1']], 3, 'must be of type integer'),
        ([1, [2]], 3, 'not both'),
        ([[[1]]], 3, 'must be of type integer'),
        ([np.ones((2, 2), int)], 3, r'not an array of shape \[2, 2\]'),
        ('ab', 3, 'input must be a list'),
        (3, 3, 'input must be a list'),
        (
            [[0, 1, 2]],
            (2, 3),
            r'sequence 0 has 3 one-hot indices, which do not make whole rows of shape \[2, 3\]',
        ),
        ([[0]], 0, r'exceeds vocabulary size \(0\)'),
        ([[0]], (), 'last axis counts the classes'),
        ([[0]], (2**20, 2**20), 'too wide'),
    ],
)
def test_wrong_one_hot(batch, classes, text):
    with pytest.raises(ValueError, match=text):
        C.Value.one_hot(batch, classes)


def test_sparse_results_come_as_matrices():
    x = C.sequence.input_variable(())
    result = C.one_hot(x, 4, sparse_output=True).eval([np.array([1.0, 2.0]), np.array([3.0])])
    assert all(sp.issparse(r) for r in result) and same(dense(result), [hot([1, 2], 4), hot([3], 4)])


def test_sparse_operands_are_summed_over_their_last_axis_only():
    x = C.input_variable((2, 3, 4), is_sparse=True)
    assert C.times(x, C.parameter((4, 5))).shape == (2, 3, 5)
    with pytest.raises(RuntimeError, match='summed over 2 axes, only over its last one') as raised:
        C.times(x, C.parameter((3, 4, 5)))
    assert 'reshape both operands' in str(raised.value)


@pytest.mark.parametrize('shape', [(6,), (3, 6)])
def test_the_batch_as_an_axis(shape):
    """The samples of sparse data, laid side by side: networks over fields of features do so."""
    rows = np.random.RandomState(1).rand(4, *shape).astype(np.float32)
    rows[rows < 0.7] = 0
    given = rows if len(shape) == 1 else rows[:1]
    x = C.input_variable(shape, is_sparse=True)
    fed = {x: csr(given.reshape(-1, shape[-1]))}
    batch = C.unpack_batch(x)
    w = C.parameter((3, 2), init=np.arange(6).reshape(3, 2))
    for f, expected in (
        (batch, given),
        (batch + 1, given + 1),
        (C.reshape(batch, (-1, 3)), given.reshape(-1, 3)),
        (C.to_batch(batch), given),
        (C.reduce_sum(batch), given.sum()),
        (C.times(C.reshape(batch, (-1, 3)), w), given.reshape(-1, 3) @ w.value),
    ):
        np.testing.assert_allclose(f.eval(fed), expected, rtol=1e-5)
    loss = C.reduce_sum(C.times(C.reshape(batch, (-1, 3)), w))
    found = loss.grad(fed, wrt=[w])
    np.testing.assert_allclose(found, np.repeat(given.reshape(-1, 3).sum(0)[:, None], 2, axis=1), rtol=1e-5)


ROWS = np.float32([[0, 2, 0, 0], [0, 0, 0, 3]])


class TestResults:
    """Which results are sparse, and what is told of them, is as in CNTK 2.7."""

    def _input(self, sequence):
        return (C.sequence.input_variable if sequence else C.input_variable)(4, is_sparse=True, name='x')

    @pytest.mark.parametrize('sequence', [False, True])
    @pytest.mark.parametrize(
        'function',
        [C.alias, lambda x: C.combine([x]), lambda x: C.alias(C.alias(x))],
        ids='alias combine both'.split(),
    )
    def test_what_is_handed_on(self, function, sequence):
        x = self._input(sequence)
        given = csr(ROWS)
        found = function(x).eval({x: [given] if sequence else given})
        for result in found if sequence else [found]:
            assert isinstance(result, sp.csr_matrix) and np.array_equal(result.toarray(), ROWS)
            result.data[:] = 7  # memory of its own
        assert np.array_equal(given.toarray(), ROWS)

    @pytest.mark.parametrize(
        'function',
        [C.stop_gradient, lambda x: C.reshape(x, (2, 2)), lambda x: x * 1],
        ids='stopped view made'.split(),
    )
    def test_what_is_not(self, function):
        x = self._input(False)
        assert isinstance(function(x).eval({x: csr(ROWS)}), np.ndarray)

    def test_of_several_one_is_sparse(self):
        x = self._input(False)
        handed, made = C.alias(x), C.layers.Dense(2)(x)
        _, found = C.combine([handed, made]).forward({x: csr(ROWS)})
        assert isinstance(found[handed.output], sp.csr_matrix)
        assert isinstance(found[made.output], np.ndarray)

    def test_the_same_rows_twice(self):
        x = self._input(True)
        last = C.sequence.last(x)
        for found in C.combine([last, C.alias(last)]).eval({x: [csr(ROWS), csr(ROWS[:1])]}).values():
            assert np.array_equal(found.toarray(), ROWS[[1, 0]])

    def test_a_value_stays_sparse(self):
        x = self._input(True)
        value = C.alias(x).eval({x: [csr(ROWS), csr(ROWS[:1])]}, as_numpy=False)
        assert value.is_sparse and value.shape == (2, 2, 4)
        assert [a.toarray().tolist() for a in value.as_sequences(x)] == [ROWS.tolist(), ROWS[:1].tolist()]

    def test_only_what_is_fed_is_told_to_be_sparse(self):
        x, n = self._input(True), C.input_variable(1)
        last, one_hot = C.sequence.last(x), C.one_hot(n, 4, sparse_output=True)
        assert x.is_sparse and C.combine([x]).output.is_sparse
        assert not last.output.is_sparse and not one_hot.output.is_sparse
        assert str(last) == 'Sequence::Slice(x: Sequence[SparseTensor[4]]) -> Tensor[4]'
        assert str(C.alias(x)) == 'NoOp(x: Sequence[SparseTensor[4]]) -> Sequence[Tensor[4]]'
        assert str(one_hot) == 'OneHotOp(Tensor[1]) -> Tensor[1,4]'


@pytest.mark.parametrize('form', ['csc', 'coo', 'lil', 'dok', 'bsr', 'dia'])
def test_other_sparse_matrices_are_refused_with_the_remedy(form):
    product = C.times(C.sequence.input_variable(3, is_sparse=True), np.eye(3, dtype=np.float32))
    with pytest.raises(TypeError, match="convert your data using 'tocsr"):
        product.eval([getattr(sp, form + '_matrix')(np.eye(3, dtype=np.float32))])


def test_sparse_inputs_have_a_batch_axis():
    x = C.input_variable(9, is_sparse=True, dynamic_axes=[])
    f = C.times(x, np.ones((9, 2), np.float32))
    with pytest.raises(RuntimeError, match="'Input.*' found without a DefaultBatchAxis dynamic axis"):
        f.eval({x: csr([[0, 0, 0, 0, 1, 0, 0, 0, 0]])})
