"""Values of sequences: lists of arrays come in, views of one block go out, in the user's order."""

import gc
import re

import numpy as np
import pytest

import cantik as C
from sequences import ragged, same, steps


def address(a):
    return a.__array_interface__['data'][0]


# ---- in and out


@pytest.mark.parametrize(
    'lengths', [(2, 1, 3), (1,), (1, 1), (2, 2), (0, 2), (2, 0), (0,), (0, 0), (7, 3, 3, 9, 1)]
)
def test_round_trip(lengths):
    x = C.sequence.input_variable(3)
    data = ragged(*lengths)
    value = C.Value.create(x, data)
    assert value.shape == (len(lengths), max(lengths), 3) and len(value) == len(lengths)
    assert same(value.as_sequences(x), data) and same(value.as_sequences(), data)
    assert same((2 * x).eval({x: data}), [2 * d for d in data])


@pytest.mark.parametrize('shape', [(), (1,), (4,), (2, 3), (2, 1, 3)])
def test_shapes_of_steps(shape):
    x = C.sequence.input_variable(shape)
    data = [np.random.RandomState(i).rand(n, *shape).astype(np.float32) for i, n in enumerate((3, 1, 2))]
    assert same((x * 1).eval({x: data}), data)


@pytest.mark.parametrize(
    'given',
    [
        np.float16,
        np.float32,
        np.float64,
        np.int8,
        np.int16,
        np.int32,
        np.int64,
        np.uint8,
        np.bool_,
        '>f4',
        '>f8',
    ],
)
@pytest.mark.parametrize('wanted', [np.float32, np.float64])
def test_element_types(given, wanted):
    x = C.sequence.input_variable(3, dtype=wanted)
    data = [np.array([[1, 0, 1]], given), np.array([[1, 1, 1], [0, 0, 0]], given)]
    result = (x + 1).eval({x: data})
    assert all(r.dtype == wanted for r in result) and same(result, [d.astype(wanted) + 1 for d in data])


def test_large_integers_keep_their_digits():
    x = C.sequence.input_variable(1, dtype=np.float64)
    n = 2**40 + 1
    assert [float(r[0, 0]) for r in (x * 1).eval({x: [np.array([[n]]), np.array([[n + 1], [0]])]})] == [
        n,
        n + 1,
    ]


def test_orders_and_strides():
    x = C.sequence.input_variable(3)
    data = [
        steps(4).copy('F'),
        steps(8)[::2],
        steps(5)[::-1],
        np.arange(24, dtype=np.float32).reshape(4, 6)[:, ::2],
        steps(3).T.copy().T,
    ]
    assert same((x * 1).eval({x: data}), [np.ascontiguousarray(d) for d in data])


def test_lists_of_lists():
    x = C.sequence.input_variable(2)
    assert same(
        (x + 1).eval({x: [[[1, 2], [3, 4]], [[5, 6]]]}), [np.array([[2, 3], [4, 5]]), np.array([[6, 7]])]
    )
    assert same((x + 1).eval([[1, 2], [3, 4]]), [np.array([[2, 3]]), np.array([[4, 5]])])  # each one step


def test_numbers_are_steps_of_shape_one():
    for shape in (1, ()):
        x = C.sequence.input_variable(shape)
        result = (x + 1).eval({x: [np.array([1, 2, 3]), np.array([4])]})
        assert [r.ravel().tolist() for r in result] == [[2, 3, 4], [5]]
        assert [r.shape for r in result] == ([(3, 1), (1, 1)] if shape == 1 else [(3,), (1,)])


def test_samples_are_single_steps():
    x = C.sequence.input_variable(3)
    result = (x * 1).eval({x: [np.ones(3, np.float32), steps(2)]})
    assert same(result, [np.ones((1, 3)), steps(2)])


def test_arrays_without_a_list():
    x = C.sequence.input_variable(3)
    a = np.arange(24, dtype=np.float32).reshape(2, 4, 3)
    assert same((x * 1).eval({x: a}), [a[0], a[1]])
    assert same((x * 1).eval({x: a[0]}), [a[0]])  # one sequence
    assert same((x * 1).eval({x: a[0, 0]}), [a[0, :1]])  # of one step
    assert same((x * 1).eval({x: a[:0]}), [])
    assert same((x * 1).eval({x: a[:, :0]}), [a[0, :0]] * 2)


def test_equal_lengths_come_back_as_a_list():
    x = C.sequence.input_variable(3)
    assert isinstance((x * 1).eval({x: ragged(2, 2)}), list)


def test_views_and_their_lists():
    x = C.sequence.input_variable(3)
    data = ragged(2, 3)
    views = [C.NDArrayView.from_dense(d) for d in data]
    assert same(C.Value.create(x, views).as_sequences(x), data)
    assert same(C.Value.create(x, [views[0], data[1]]).as_sequences(x), data)
    assert same(
        C.Value.create(x, [C.NDArrayView.from_dense(d.astype(np.float64)) for d in data]).as_sequences(x),
        data,
    )


def test_gradients_come_as_lists():
    x = C.sequence.input_variable(3, needs_gradient=True)
    data = ragged(2, 1)
    assert same((x * x).grad({x: data}), [2 * d for d in data])
    f = x * x
    state, out = f.forward({x: data}, [f.output], {f.output})
    roots = [np.full_like(d, 2) for d in data]
    assert same(out[f.output], [d * d for d in data])
    assert same(f.backward(state, {f.output: roots}, {x})[x], [4 * d for d in data])


# ---- memory


def test_results_are_views_of_one_block():
    x = C.sequence.input_variable(3)
    result = (x * 2).eval({x: ragged(2, 0, 3)})
    assert address(result[2]) == address(result[0]) + 2 * 3 * 4
    first = result[0].copy()
    last = result[2].copy()
    del x
    gc.collect()
    assert np.array_equal(result[0], first)
    kept = result[2]
    del result
    gc.collect()
    np.full((1000, 100), 9, np.float32)
    assert np.array_equal(kept, last)


def test_as_sequences_are_views():
    x = C.sequence.input_variable(3)
    value = C.Value.create(x, ragged(2, 3))
    a, b = value.as_sequences(x), value.as_sequences(x)
    assert all(np.shares_memory(p, q) for p, q in zip(a, b))
    a[1][0, 0] = 77
    assert value.as_sequences()[1][0, 0] == 77
    views = value.unpack_variable_value(x)
    assert [v.shape for v in views] == [(2, 3), (3, 3)] and np.shares_memory(np.asarray(views[1]), a[1])
    assert same([np.asarray(v) for v in value.unpacked_variable_value(x, C.cpu())], a)


def test_arrays_share_their_memory():
    x = C.sequence.input_variable(3)
    a = np.zeros((2, 4, 3), np.float32)
    value = C.asvalue(x, a)
    assert np.shares_memory(np.asarray(value.data), a) and np.shares_memory(np.asarray(value), a)
    assert all(np.shares_memory(s, a) for s in value.as_sequences(x))
    one = steps(4)
    assert np.shares_memory(
        C.asvalue(x, [one]).as_sequences(x)[0], one
    )  # a single sequence is a block already


def test_create_copies():
    x = C.sequence.input_variable(3)
    for data in (
        np.zeros((2, 4, 3), np.float32),
        [steps(4)],
        ragged(2, 3),
        C.NDArrayView.from_dense(np.zeros((2, 4, 3), np.float32)),
    ):
        value = C.Value.create(x, data)
        arrays = data if isinstance(data, list) else [np.asarray(data)]
        assert not any(np.shares_memory(np.asarray(value.as_sequences(x)[0]), a) for a in arrays)


def test_lists_do_not_share():
    x = C.sequence.input_variable(3)
    data = ragged(2, 3)
    value = C.asvalue(x, data)
    data[0][:] = 9
    assert not (value.as_sequences(x)[0] == 9).any()


def test_even_values_share_their_memory_with_data():
    x = C.sequence.input_variable(3)
    value = C.Value.create(x, ragged(2, 2))
    assert np.shares_memory(np.asarray(value.data), value.as_sequences(x)[1])


def test_read_only():
    x = C.sequence.input_variable(3)
    value = C.Value.create(x, ragged(2, 1), read_only=True)
    assert value.is_read_only and not C.Value.create(x, ragged(2, 1)).is_read_only
    with pytest.raises(ValueError):
        value.as_sequences(x)[0][:] = 1
    with pytest.raises(RuntimeError, match='read-only'):
        value.copy_from(C.Value.create(x, ragged(2, 1)))
    assert C.Value.create(x, ragged(2), read_only=True).deep_clone().is_read_only is False
    assert C.Value.create(x, ragged(2)).alias(True).is_read_only


# ---- what a value shows


def test_mask_data_and_array():
    x = C.sequence.input_variable(2)
    value = C.Value.create(x, [[[1, 2], [3, 4]], [[5, 6]]])
    padded = [[[1, 2], [3, 4]], [[5, 6], [0, 0]]]
    assert (
        value.mask.dtype == np.int8 and value.mask.tolist() == [[2, 1], [2, 0]] and value.masked_count() == 1
    )
    assert value.data.shape == (2, 2, 2) and value.data.asarray().tolist() == padded
    assert value.asarray().tolist() == padded and C.asarray(value, np.float64).tolist() == padded
    assert np.asarray(value).tolist() == padded and np.asarray(value, np.float64).dtype == np.float64
    assert repr(value) == 'Value([2 x 2 x 2], CPU)' and value.dtype == np.float32 and value.device == C.cpu()


def test_only_values_that_need_one_have_a_mask():
    x = C.sequence.input_variable(3)
    assert (
        not hasattr(C.Value.create(x, ragged(2, 2)), 'mask')
        and C.Value.create(x, ragged(2, 2)).masked_count() == 0
    )
    assert not hasattr(C.Value(np.ones((2, 3), np.float32)), 'mask')
    assert C.Value.create(x, ragged(0, 2)).mask.tolist() == [[0, 0], [2, 1]]


def test_results_as_values():
    x = C.sequence.input_variable(3)
    data = ragged(2, 1)
    value = (x + 1).eval({x: data}, as_numpy=False)
    assert value.shape == (2, 2, 3) and value.mask.tolist() == [[2, 1], [2, 0]]
    y = C.sequence.input_variable(3)
    assert same((y + 1).eval({y: value}), [d + 2 for d in data])  # feeds as they are


def test_the_samples_of_a_result_are_sequences_of_one_step():
    x, s = C.input_variable(3), C.sequence.input_variable(3)
    data = np.arange(6, dtype=np.float32).reshape(2, 3)
    samples = C.relu(x).eval(data, as_numpy=False)
    total = C.sequence.reduce_sum(s)
    # CNTK 2.7's figures
    assert total.eval({s: samples}).tolist() == data.tolist()
    folded = total.eval({s: [data, data]}, as_numpy=False)
    assert total.eval({s: folded}).tolist() == [data.sum(0).tolist()] * 2
    assert same(C.relu(s).eval({s: folded}), [data.sum(0)[None]] * 2)
    # An array says of itself only what the input's axes say: one sequence of two steps, in a Value too.
    for one in (data, C.Value(data), C.asvalue(x, data)):
        assert total.eval({s: one}).tolist() == [data.sum(0).tolist()]
    assert C.layers.Fold(C.layers.LSTM(4))(s).eval({s: samples}).shape == (2, 4)


def test_values_feed_several_inputs():
    x, y = C.sequence.input_variable(3), C.sequence.input_variable(3)
    value = C.Value.create(x, ragged(2, 1))
    assert same((x + y).eval({x: value, y: value}), [2 * d for d in ragged(2, 1)])


def test_copy_from():
    x = C.sequence.input_variable(3)
    value = C.Value.create(x, ragged(2, 1))
    value.copy_from(C.Value.create(x, [2 * d for d in ragged(2, 1)]))
    assert same(value.as_sequences(), [2 * d for d in ragged(2, 1)])
    with pytest.raises(ValueError, match='different lengths'):
        value.copy_from(C.Value.create(x, ragged(1, 2)))
    even = C.Value.create(x, ragged(2, 2))
    even.copy_from(C.Value(np.ones((2, 2, 3), np.float32)))
    assert (even.asarray() == 1).all()


# ---- markers


def test_starts():
    x = C.sequence.input_variable(3)
    assert C.Value.create(x, ragged(2, 1), [True, False]).mask.tolist() == [[2, 1], [1, 0]]
    assert C.Value.create(x, ragged(2, 2), [False, True]).mask.tolist() == [[1, 1], [2, 1]]
    assert C.Value.create(x, ragged(2, 2), [np.bool_(False), np.True_]).mask.tolist() == [[1, 1], [2, 1]]
    assert not hasattr(C.Value.create(x, ragged(2, 2), [True, True]), 'mask')
    assert C.Value.create(x, np.ones((2, 4, 3), np.float32), [False, True]).mask.tolist() == [
        [1] * 4,
        [2, 1, 1, 1],
    ]
    assert C.Value.create(x, np.ones((2, 3), np.float32), [False, True]).mask.tolist() == [
        [1],
        [2],
    ]  # each row a sequence of one step
    assert C.Value(np.ones((2, 4, 3), np.float32), [True, False]).mask.tolist() == [[2, 1, 1, 1], [1] * 4]


def test_markers_of_feeds():
    x = C.sequence.input_variable(3)
    data = ragged(2, 1)
    for given in (({x: (data, [True, True])}), (data, [True, True]), ({x: data}, [True, True])):
        assert same((x + 1).eval(given), [d + 1 for d in data])


def test_what_has_no_recurrence_takes_any_parts():
    x = C.sequence.input_variable(3)
    data = ragged(2, 1)
    for given in (
        {x: (data, [True, False])},
        (data, [True, False]),
        {x: C.Value.create(x, data, [True, False])},
    ):
        assert same(
            (x + 1).eval(given), [d + 1 for d in data]
        )  # which rows belong together does not matter to it


def test_wrong_markers():
    x, b = C.sequence.input_variable(3), C.input_variable(3)
    with pytest.raises(
        ValueError,
        match=re.escape('The number (1) of sequence start flags does not match the number (2) of sequences'),
    ):
        C.Value.create(x, ragged(2, 1), [True])
    with pytest.raises(TypeError, match='True or False, not 1'):
        C.Value.create(x, ragged(2, 1), [1, 0])
    with pytest.raises(ValueError, match='needs to be a list'):
        C.Value.create(x, ragged(2, 1), 'ab')
    with pytest.raises(ValueError, match='does not contain a sequence axis'):
        C.Value.create(b, steps(2), [True, True])
    with pytest.raises(ValueError, match='directly passed Value'):
        C.Value.create(x, C.Value.create(x, ragged(2)), [True])
    with pytest.raises(ValueError, match='sequence start flags need data of the shape'):
        C.Value(np.ones(3, np.float32), [True])


# ---- wrong data

EXPECTED = (
    r'remedy   give a list with an array of shape \[steps, 3\] for each sequence, '
    r'or one array of shape \[sequences, steps, 3\]'
)


@pytest.mark.parametrize(
    'data, text',
    [
        (
            [steps(2), steps(2, 4)],
            r"The shape '\[2 x 4\]' of sequence #1 is not compatible with the sample shape '\[3\]'",
        ),
        ([steps(2)[:, None]], r"The shape '\[2 x 1 x 3\]' of sequence #0"),
        ([steps(1), 3.0], r"The shape '\[\]' of sequence #1"),
        (np.ones((2, 4), np.float32), r"The trailing dimensions of the Value shape '\[2 x 4\]'"),
        (np.ones((2, 2, 2, 3), np.float32), r'The dimension size \(2\) of the axis \(2\)'),
        (3.0, r"The trailing dimensions of the Value shape '\[\]'"),
        ([], 'The number of sequences must be > 0'),
        ('abc', 'batch must be a list of NumPy arrays or SciPy CSR matrices, not str'),
        (None, 'batch must be a list of NumPy arrays or SciPy CSR matrices, not NoneType'),
        ({1: 2}, 'not dict'),
        ([[[1, 2, 3], [4, 5]]], 'sequence 0 cannot be made an array'),
        ([[[1, 2, 3]], [[1, 2, 3], [4]]], 'sequence 1 cannot be made an array'),
    ],
)
def test_no_sequences(data, text):
    x = C.sequence.input_variable(3, name='x')
    with pytest.raises(ValueError) as raised:
        (x + 1).eval({x: data})
    shown = str(raised.value)
    assert re.search(text, shown) and re.search(EXPECTED, shown), shown
    assert "node     Input('x', [#, *], [3])" in shown and 'test_values.py' in shown


@pytest.mark.parametrize(
    'data', [['abc'], [np.array([['a', 'b', 'c']])], [np.array([[None, 1, 2]])], [object()]]
)
def test_no_numbers(data):
    x = C.sequence.input_variable(3)
    with pytest.raises(
        (TypeError, ValueError),
        match='which are not numbers|is not compatible with the sample shape|dtype object is not supported',
    ):
        (x + 1).eval({x: data})


def test_arrays_of_arrays_are_no_list():
    x = C.sequence.input_variable(3)
    data = np.empty(2, object)
    data[:] = ragged(2, 1)
    with pytest.raises(ValueError, match='pass them as a pure-Python list of NumPy arrays'):
        (x + 1).eval({x: data})
    assert same((x + 1).eval({x: list(data)}), [d + 1 for d in ragged(2, 1)])


def test_shapes_that_differ_along_a_free_axis():
    x = C.sequence.input_variable((C.FreeDimension, 2))
    with pytest.raises(
        ValueError,
        match=re.escape('have different shapes: sequence 0 has [1, 4, 2], sequence 1 has [1, 5, 2]'),
    ):
        (x + 1).eval({x: [np.ones((1, 4, 2)), np.ones((1, 5, 2))]})


def test_sequences_are_no_samples():
    b = C.input_variable(3)
    x = C.sequence.input_variable(3)
    with pytest.raises(
        ValueError,
        match=r'\(2\) of the axis \(1\).*must be 1, because this axis is not specified as a dynamic axis',
    ):
        (b + 1).eval({b: C.Value.create(x, ragged(2, 1))})
    assert np.array_equal(
        (b + 1).eval({b: C.Value.create(x, ragged(1, 1))}), np.concatenate(ragged(1, 1)) + 1
    )


def test_a_variable_is_needed():
    with pytest.raises(TypeError, match='a variable was expected, not str'):
        C.Value.create('x', ragged(2))
    with pytest.raises(ValueError, match=r'Value\.create\(variable, data\)'):
        C.Value(ragged(2, 1))


# ---- training on lists


def test_training_by_steps():
    x, y = C.sequence.input_variable(3), C.sequence.input_variable(1)
    w = C.parameter((3, 1), init=0.01)
    data = ragged(4, 1, 3)
    seen = C.squared_error(C.times(x, w), y).train(
        (data, [d[:, :1] for d in data]), minibatch_size=5, parameter_learners=[C.sgd(w, 1e-5)]
    )
    assert [e.samples for e in seen.epoch_summaries] == [8]  # the loss counts steps
    limited = C.squared_error(C.times(x, w), y).train(
        (data, [d[:, :1] for d in data]), minibatch_size=5, parameter_learners=[C.sgd(w, 1e-5)], max_samples=5
    )
    assert sum(e.samples for e in limited.epoch_summaries) == 5
    with pytest.raises(TypeError, match='same first dimension'):
        C.squared_error(C.times(x, w), y).train(
            (data, [d[:, :1] for d in data[:2]]), parameter_learners=[C.sgd(w, 1e-5)]
        )


# ---- axes


def test_axes():
    x = C.sequence.input_variable((4, 3))
    w = C.sequence.input_variable(C.FreeDimension, sequence_axis=C.Axis('words'))
    p = C.placeholder()
    assert repr(x.axes) == '[#, *, 4, 3]' and repr(w.axes) == '[#, words, *]' and repr(p.axes) == '[???, ???]'
    assert (
        x.axes == (*x.dynamic_axes, C.Axis(0), C.Axis(1))
        and isinstance(x.axes[0], C.Axis)
        and len(x.axes) == 4
    )
    assert (
        repr((x + 1).axes) == '[#, *, 4, 3]' and repr(C.parameter((2, C.InferredDimension)).axes) == '[2, ?]'
    )
    assert (
        repr(C.reduce_sum(C.input_variable((2, 3)), axis=0).axes) == '[#, 1, 3]'
        and repr(C.constant(1).axes) == '[]'
    )


# ---- dictionaries of values


@pytest.mark.parametrize(
    'value',
    [
        np.arange(6, dtype=np.int8).reshape(2, 3),
        np.ones(2, np.float64),
        'text',
        7,
        -3,
        2.5,
        True,
        None,
        [1, 'a', [2.0]],
        {'a': {'b': 1}},
    ],
)
def test_dictionary_values_in_files(tmp_path, value):
    from cantik.cntk_py import DictionaryValue

    kept = DictionaryValue(value)
    kept.save(tmp_path / 'value')
    loaded = DictionaryValue.load(tmp_path / 'value')
    assert loaded == kept and type(loaded.item()) is type(value)


def test_damaged_dictionary_values(tmp_path):
    from cantik.cntk_py import DictionaryValue

    (tmp_path / 'value').write_bytes(b'\xff\xff\xff\xff')
    with pytest.raises(RuntimeError):
        DictionaryValue.load(tmp_path / 'value')
    with pytest.raises(RuntimeError):
        DictionaryValue.load(tmp_path / 'absent')
    with pytest.raises(TypeError, match='not object'):
        DictionaryValue(object()).save(tmp_path / 'value')


@pytest.mark.parametrize('dtype', [np.float32, np.float64])
def test_arrays_are_equal_where_shape_type_storage_and_numbers_are(dtype):
    equal = C.cntk_py.are_equal

    def array(numbers, dtype=dtype):
        return C.NDArrayView.from_dense(np.array(numbers, dtype))

    assert equal(array([1, 2, 3]), array([1, 2, 3]))
    assert not equal(array([1, 2, 3]), array([1, 2, 4]))
    assert not equal(array([1, 2, 3]), array([[1, 2, 3]]))
    assert not equal(array([1, 2]), array([1, 2], np.float64 if dtype == np.float32 else np.float32))
    # what the relative tolerance is of, and that one of both is enough: CNTK's
    assert not equal(array([100]), array([110]), 0.095)
    assert equal(array([110]), array([100]), 0.095)
    assert not equal(array([100]), array([110]), 0.06, 5)
    assert equal(array([100]), array([110]), 0, 11)
    assert equal(array([100]), array([110]), 0.11, 1)
    sparse = C.Value.one_hot([0, 1], 3, dtype=dtype)
    assert equal(sparse, C.Value.one_hot([0, 1], 3, dtype=dtype))
    assert equal(sparse.data, C.Value.one_hot([0, 1], 3, dtype=dtype).data)
    assert not equal(sparse.data, C.Value.one_hot([0, 2], 3, dtype=dtype).data)
    assert not equal(sparse.data, array([[1, 0, 0], [0, 1, 0]]))
    x = C.sequence.input_variable(1, dtype=dtype)
    one = C.Value.create(x, [np.ones((2, 1), dtype), np.ones((1, 1), dtype)])
    other = C.Value.create(x, [np.ones((1, 1), dtype), np.ones((2, 1), dtype)])
    assert equal(one, one) and not equal(one, other)
