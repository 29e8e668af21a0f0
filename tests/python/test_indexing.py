"""x[...]: slices along static axes, or along all axes under the option align_axis, as CNTK 2.7 takes them."""

import numpy as np
import pytest

import cantik as C


@pytest.fixture
def aligned():
    C.set_global_option('align_axis', 1)
    yield
    C.set_global_option('align_axis', 0)


def operands():
    return {
        'v': C.input_variable(24),
        'm': C.input_variable((4, 6)),
        's': C.sequence.input_variable((4, 6)),
        'p': C.parameter((4, 6)),
        'c': C.constant(np.ones((4, 6), np.float32)),
        'f': C.input_variable((4, 6)) * 2,
        'g': C.parameter((4, 6)) * 2,
    }


def shape(name, index):
    """The shape of what an index makes, or 'error'."""
    try:
        return operands()[name][index].shape
    except (ValueError, RuntimeError):
        return 'error'


def at(*items):
    return items if len(items) > 1 else items[0]


ALL, SOME = slice(None), slice(1, 3)
# operand, index, shape without and with align_axis
CASES = [
    ('v', at(ALL, slice(None, 8)), 'error', (8,)),
    ('v', at(slice(None, 8)), (8,), (8,)),
    ('v', at(3), (1,), (1,)),
    ('v', at(ALL, 3), 'error', (1,)),
    ('v', at(Ellipsis), (24,), (24,)),
    ('v', at(Ellipsis, SOME), (2,), (2,)),
    ('v', at(SOME, Ellipsis), (2,), (2,)),
    ('v', at(slice(1, None), slice(None, 8)), 'error', (8,)),
    ('v', at(ALL, slice(0, 8, 2)), 'error', (4,)),
    ('v', at(ALL, slice(-3, None)), 'error', (3,)),
    ('m', at(ALL, SOME), (4, 2), (2, 6)),
    ('m', at(SOME), (2, 6), (4, 2)),
    ('m', at(ALL, SOME, slice(2, 4)), 'error', (2, 2)),
    ('m', at(ALL, ALL, slice(2, 4)), 'error', (4, 2)),
    ('m', at(ALL, [0, 2]), (4, 2), (4, 2)),
    ('m', at(Ellipsis, 2), (4, 1), (4, 1)),
    ('m', at(2, Ellipsis), (1, 6), (4, 1)),
    ('m', at(ALL, 2, Ellipsis), (4, 1), (1, 6)),
    ('s', at(ALL, SOME), (4, 2), (4, 2)),
    ('s', at(ALL, ALL, SOME), 'error', (2, 6)),
    ('s', at(ALL, ALL, SOME, 2), 'error', (2, 1)),
    ('s', at(SOME), (2, 6), (2, 6)),
    ('p', at(SOME), (2, 6), (2, 6)),
    ('p', at(ALL, SOME), (4, 2), (4, 2)),
    ('p', at(ALL, ALL, SOME), 'error', 'error'),
    ('c', at(ALL, SOME), (4, 2), (4, 2)),
    ('f', at(ALL, SOME), (4, 2), (2, 6)),
    ('g', at(ALL, SOME), (4, 2), (4, 2)),
]


@pytest.mark.parametrize('name, index, plain, with_option', CASES)
def test_indices(name, index, plain, with_option, aligned):
    assert shape(name, index) == with_option
    C.set_global_option('align_axis', 0)
    assert shape(name, index) == plain
    for other in (2, -1, None, 'a'):
        C.set_global_option('align_axis', other)
        assert shape(name, index) == plain


def test_a_list_of_one():
    x = C.input_variable((3, 4))
    assert x[[1]].root_function.op_name == 'Slice' and x[[1, 2]].root_function.op_name == 'Splice'
    with pytest.raises(IndexError, match='empty'):
        x[[]]


@pytest.mark.parametrize('step', [2, -1, 3])
def test_a_step_counts_beside_an_end(step):
    """CNTK leaves out a slice that has neither a begin nor an end, whatever its step."""
    data = np.arange(12, dtype=np.float32).reshape(1, 3, 4)
    for x in (C.input_variable((3, 4)), C.input_variable((3, 4)) * 1, C.constant(data[0])):
        with pytest.warns(UserWarning, match='takes the whole axis') as told:
            assert x[::step] is x and x[:, ::step] is x
        assert told[0].filename == __file__
    assert x[0:0] is x and x[::1] is x
    x = C.input_variable((3, 4))
    np.testing.assert_array_equal(x[:, 0:4:2].eval({x: data}), data[:, :, ::2])
    np.testing.assert_array_equal(C.slice(x, 1, 0, 0, step).eval({x: data}), data[:, :, ::step])


def test_numbers(aligned):
    x = C.input_variable(24)
    data = np.arange(48, dtype=np.float32).reshape(2, 24)
    assert x[:, 2:4].eval({x: data}).tolist() == [[2, 3], [26, 27]]
    assert x[1:, 2:4].eval({x: data}).tolist() == [
        [3, 4],
        [27, 28],
    ]  # the first index is left to the static axes as well
    s = C.sequence.input_variable((4, 6))
    steps = np.arange(48, dtype=np.float32).reshape(2, 4, 6)
    assert np.array_equal(s[:, :, 1:2].eval({s: [steps]})[0], steps[:, 1:2])


def test_axis_offset(aligned):
    shapes = [
        (0, ('error', (4, 2))),
        (1, ((8,), (2, 6))),
        (2, ((8,), (4, 2))),
        (-1, ('error', 'error')),
        (True, ((8,), (2, 6))),
    ]
    for offset, want in shapes:
        with C.default_options(axis_offset=offset):
            assert (shape('v', at(ALL, slice(None, 8))), shape('m', at(ALL, SOME))) == want
            assert shape('p', at(ALL, SOME)) == (4, 2)
    C.set_global_option('align_axis', 0)
    with C.default_options(axis_offset=1):  # alone it means nothing
        assert shape('v', at(ALL, slice(None, 8))) == 'error'
    C.set_global_option('align_axis', 1)
    for wrong in (None, 'a', 1.5):
        with (
            C.default_options(axis_offset=wrong),
            pytest.raises(TypeError, match='axis_offset must be a number of axes'),
        ):
            C.input_variable(24)[:, :8]


def test_other_operators_keep_static_axes(aligned):
    m = C.input_variable((4, 6))
    assert (
        C.slice(m, 0, 1, 3).shape == (2, 6)
        and C.reduce_sum(m, 1).shape == (4, 1)
        and C.splice(m, m, axis=0).shape == (8, 6)
    )
    assert (
        C.transpose(m, (1, 0)).shape == (6, 4)
        and C.expand_dims(m, 0).shape == (4, 1, 6)
        and C.argmax(m, 1).shape == (4, 1)
    )


def test_what_is_no_index():
    x = C.input_variable((4, 6))
    for wrong in (None, 'a', 1.0, np.float32(1), np.array([0, 2]), C.constant([0])):
        with pytest.raises(IndexError, match='is not supported as index'):
            x[:, wrong]


def test_numbers_of_numpy_are_indices():
    """CNTK takes numbers of Python alone; loops over arrays bring others."""
    x = C.constant(np.arange(24).reshape(4, 6))
    for i in (np.int64(1), np.int32(-1), np.uint8(2)):
        np.testing.assert_array_equal(x[i, 1:3].eval(), x[int(i), 1:3].eval())


def test_of_several_outputs_an_index_chooses():
    x = C.input_variable((4, 6))
    f = C.combine([x * 2, x * 3])
    assert f[1] == f.outputs[1] and f[0:1] == (f.outputs[0],)


X = np.arange(6, dtype=np.float32).reshape(1, 2, 3)


@pytest.mark.parametrize(
    'key',
    [(..., 1), (..., -1), (..., slice(0, 2)), (0, ..., [0, 2]), (..., 0, 1), (1, ..., 2), (..., slice(1, 3))],
)
def test_an_ellipsis_before_the_shape_is_known(key):
    x, place = C.input_variable((2, 3)), C.placeholder()
    known = x[key].eval({x: X})
    for traced in place[key].replace_placeholders({place: x}), C.Function(lambda h: h[key])(x):
        found = traced.eval({x: X})
        np.testing.assert_array_equal(found, known)
        assert found.shape == known.shape


def test_an_axis_that_comes_again_is_cut_again():
    """Slices one after the other, as CNTK 2.7 makes them."""
    x = C.input_variable(6)
    data = np.arange(6, dtype='f')[None]
    for begin, end, wanted in [([1, 1], [5, 3], [2, 3]), ([2, 1], [6, 4], [3, 4, 5])]:
        np.testing.assert_array_equal(C.slice(x, [0, 0], begin, end).eval({x: data}), [wanted])
    y = C.input_variable((3, 6), needs_gradient=True)
    rows = np.arange(18, dtype='f').reshape(1, 3, 6)
    z = C.slice(y, [1, 0, -1], [1, 1, 1], [5, 3, 3])
    np.testing.assert_array_equal(z.eval({y: rows}), rows[:, 1:3, 2:4])
    np.testing.assert_array_equal(C.reduce_sum(z).grad({y: rows})[0, 1:3, 2:4], 1)
