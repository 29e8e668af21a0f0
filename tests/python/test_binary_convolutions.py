"""Binary convolutions: netopt's functions against NumPy and CNTK's figures, conversions, the native operator,
files."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import cantik as C
from cantik.contrib.netopt import custom_convolution_ops as cc
from cantik.contrib.netopt import quantization as q

DOCUMENTS = Path(__file__).resolve().parents[1] / 'documents'


def driver():
    spec = importlib.util.spec_from_file_location(
        'custom_convolution_ops_figures', DOCUMENTS / 'custom_convolution_ops.py'
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


DOCUMENT = driver()
CNTK = json.loads((DOCUMENTS / 'custom_convolution_ops.json').read_text())


def assert_same(ours, theirs, where=''):
    if isinstance(theirs, dict):
        assert ours.keys() == theirs.keys()
        for key in theirs:
            assert_same(ours[key], theirs[key], where + ' ' + key)
        return
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    assert ours.shape == theirs.shape, where
    assert np.abs(ours - theirs).max() <= 2e-5 * max(1, np.abs(theirs).max()), where


@pytest.mark.parametrize('whose', ['printed', 'netopt'])
def test_the_document_gives_cntks_figures(whose):
    assert_same(DOCUMENT.figures(DOCUMENT.printed() if whose == 'printed' else vars(cc)), CNTK)


# ---- NumPy


def bits_of(x, bit_map, axes):
    """Sums of signs, written down: means over `axes` of what is left where the bit map is above the level."""
    rest, total = x.astype(np.float64), np.zeros(x.shape)
    bit_map = np.broadcast_to(bit_map, x.shape)
    for level in range(int(np.max(bit_map))):
        hot = bit_map > level
        mean = np.sum(np.abs(rest) * hot, axes, keepdims=True) / np.maximum(
            1, np.sum(hot, axes, keepdims=True)
        )
        part = np.where(hot, np.where(rest > 0, mean, -mean), 0)
        total, rest = total + part, rest - part
    return total


@pytest.mark.parametrize('bits', [1, 2, 3, 4, 'map'])
@pytest.mark.parametrize('dtype', [np.float32, np.float64])
def test_levels_and_gradients_are_numpys(bits, dtype):
    rs = np.random.RandomState(7)
    x_data, w_data = (2.5 * rs.randn(3, 4, 5, 6)).astype(dtype), (2.5 * rs.randn(6, 4, 3, 3)).astype(dtype)
    x_map, w_map = (
        (rs.randint(0, 5, x_data.shape[1:]), rs.randint(0, 5, w_data.shape))
        if bits == 'map'
        else (bits, bits)
    )
    x, w = (
        C.input_variable(x_data.shape[1:], dtype, needs_gradient=True),
        C.parameter(init=w_data, dtype=dtype),
    )
    for function, variable, data, bit_map, axes in (
        (cc.CustomMultibit, x, x_data, x_map, (1, 2, 3)),
        (cc.CustomMultibit, w, w_data, w_map, (0, 1, 2, 3)),
        (cc.CustomMultibitKernel, w, w_data, w_map, (1, 2, 3)),
    ):
        y = function(variable, bit_map)
        feeds = {x: data} if variable is x else {}
        assert np.allclose(
            y.eval(feeds), bits_of(data, bit_map, axes), atol=1e-5 if dtype == np.float32 else 1e-12
        )
        seed = rs.randn(*data.shape).astype(dtype)
        back = C.input_variable(data.shape[1:], dtype) if variable is x else C.constant(seed, dtype=dtype)
        gradient = (y * back).grad({x: data, back: seed} if variable is x else {}, wrt=[variable])
        assert np.array_equal(np.squeeze(gradient), np.squeeze(np.where(np.abs(data) <= bit_map, seed, 0)))


def test_signs_and_their_gradient():
    x = C.input_variable(5, needs_gradient=True)
    data = np.array([[-1.5, -1, 0, 1, 1.5]], np.float32)
    for function in (cc.CustomSign, cc.CustomPySign):
        y = function(x)
        assert np.array_equal(y.eval({x: data}), [[-1, -1, -1, 1, 1]])
        assert np.array_equal(y.grad({x: data}, wrt=[x]), [[0, 1, 1, 1, 0]])


def test_one_element_may_have_no_bits():
    w = C.parameter(init=np.array([[1, -3], [5, 7]], np.float32))
    assert np.array_equal(cc.CustomMultibitKernel(w, [[1, 0], [0, 0]]).eval(), [[1, 0], [0, 0]])


def test_drawn_bit_maps(capsys):
    np.random.seed(0)
    y = cc.CustomMultibit(C.parameter((20, 30), init=C.normal(1)), None, mean_bits=2)
    bits = float(capsys.readouterr().out.split('Mean Bits:')[1])
    assert 1.8 < bits < 2.3 and len(np.unique(y.eval())) > 4


@pytest.mark.parametrize('bit_map', [0, -1, 1.5, [[1, 2]], [], [[0, 0, 0], [0, 0, 0]]])
def test_impossible_bit_maps(bit_map):
    with pytest.raises(ValueError, match='bit'):
        cc.CustomMultibit(C.input_variable((2, 3)), bit_map)


# ---- as user functions


@pytest.mark.parametrize('bits', [1, 3])
def test_user_functions_are_the_operators(bits, tmp_path):
    x, w_data = C.input_variable((3, 4), needs_gradient=True), images((5, 2), 4, seed=3)
    w, data = C.parameter(init=w_data), 2 * images((3, 4))
    full = lambda v: np.full(v.shape, bits)
    for one, other, feeds in (
        (C.user_function(cc.SignWithEstimation(x)), cc.CustomSign(x), {x: data}),
        (C.user_function(cc.pySign(x)), cc.CustomSign(x), {x: data}),
        (C.user_function(cc.Multibit(x, full(x))), cc.CustomMultibit(x, bits), {x: data}),
        (C.user_function(cc.MultibitKernel(w, full(w))), cc.CustomMultibitKernel(w, bits), {}),
    ):
        wrt = [x] if feeds else [w]
        assert np.allclose(one.eval(feeds), other.eval(feeds), atol=1e-6)
        assert np.array_equal(np.squeeze(one.grad(feeds, wrt=wrt)), np.squeeze(other.grad(feeds, wrt=wrt)))
    one = C.user_function(cc.Multibit(x, full(x)))
    one.save(str(tmp_path / 'multibit.model'))
    loaded = C.Function.load(str(tmp_path / 'multibit.model'))
    assert np.array_equal(loaded.eval(data), one.eval(data))
    assert np.array_equal(one.clone('share').eval(data), one.eval(data))
    assert [v.shape for v in cc.Multibit(x, full(x)).infer_outputs()] == [(3, 4)]


@pytest.mark.parametrize(
    'whose, of_weights, of_activations',
    [
        ('netopt', 'MultibitKernel', 'pySign'),
        ('netopt', 'Multibit', 'SignWithEstimation'),
        ('printed', 'Multibit', 'SignWithEstimation'),
    ],
)
def test_blocks_of_user_functions_become_native(whose, of_weights, of_activations):
    theirs = DOCUMENT.printed() if whose == 'printed' else vars(cc)
    x, w = C.input_variable((3, 6, 6)), C.parameter((4, 3, 3, 3), init=C.normal(1))
    place = C.placeholder(shape=x.shape, dynamic_axes=x.dynamic_axes)
    body = C.convolution(
        C.user_function(theirs[of_weights](w, np.full(w.shape, 2))),
        C.user_function(theirs[of_activations](place)),
        auto_padding=[False, True, True],
    )
    z = C.as_block(body, [(place, x)], 'BinaryConvolution', 'mine')
    native = q.convert_to_native_binary_convolution(z)
    assert [f.name for f in found(native, 'BinaryConvolveOp')] == ['mine']
    assert np.allclose(native.eval({x: images(x.shape)}), z.eval({x: images(x.shape)}), atol=1e-4)


# ---- the native operator


def images(shape, n=3, seed=1):
    return np.random.RandomState(seed).randn(n, *shape).astype(np.float32)


@pytest.mark.parametrize('bits', [1, 2, 3, 4])
def test_native_convolution_is_that_of_the_levels(bits):
    x, w = C.input_variable((40, 9, 7)), C.parameter((24, 40, 3, 3), init=C.normal(1))
    native = C.binary_convolve(
        w, x, bits=bits, map_bits=bits, map_scale='filter', strides=(2, 1), auto_padding=[False, True, True]
    )
    spelled = C.convolution(
        cc.CustomMultibitKernel(w, bits),
        cc.CustomMultibit(x, bits),
        strides=(2, 1),
        auto_padding=[False, True, True],
    )
    data = images(x.shape)
    assert native.shape == spelled.shape == (24, 5, 7)
    assert np.allclose(native.eval({x: data}), spelled.eval({x: data}), rtol=1e-4, atol=1e-3)


def test_signs_alone_give_whole_numbers_and_edges_are_neither():
    x, w = C.input_variable((33, 5, 5)), C.parameter((3, 33, 3, 3), init=C.normal(1))
    y = C.binary_convolve(w, x, scale='none', map_scale='none', auto_padding=[False, True, True])
    data = images(x.shape)
    signs, padded = (
        np.where(w.value > 0, 1, -1),
        np.pad(np.where(data > 0, 1, -1), ((0, 0), (0, 0), (1, 1), (1, 1))),
    )
    want = sum(
        np.einsum('fc,ncij->nfij', signs[:, :, i, j], padded[:, :, i : i + 5, j : j + 5])
        for i in range(3)
        for j in range(3)
    )
    assert np.array_equal(y.eval({x: data}), want)


def sums_of_signs(weights, data, stride, pad):
    """By the formula of CNTK's function: bits under taps inside the operand, less twice those that differ."""
    filters, _channels, size, _ = weights.shape
    edge = size // 2 if pad else 0
    padded = np.pad(data > 0, ((0, 0), (0, 0), (edge, edge), (edge, edge)))
    inside = np.pad(np.ones(data.shape, bool), ((0, 0), (0, 0), (edge, edge), (edge, edge)))
    rows, columns = ((n + stride - 1) // stride if pad else (n - size) // stride + 1 for n in data.shape[2:])
    result = np.zeros((len(data), filters, rows, columns))
    for i in range(rows):
        for j in range(columns):
            window = (
                slice(None),
                None,
                slice(None),
                slice(i * stride, i * stride + size),
                slice(j * stride, j * stride + size),
            )
            mask, unlike = inside[window], padded[window] ^ (weights[None] > 0)
            result[:, :, i, j] = -(
                2 * np.sum(mask & unlike, (2, 3, 4)) - mask[0].size + np.sum(~mask, (2, 3, 4))
            )
    return result


@pytest.mark.parametrize(
    'filters, channels, size, pixels, stride, pad',
    [
        (2, 3, 3, 5, 1, False),
        (2, 3, 3, 5, 1, True),
        (3, 32, 3, 6, 1, True),
        (4, 40, 3, 7, 2, False),
        (4, 64, 5, 8, 1, True),
        (4, 33, 1, 8, 1, False),
        (9, 17, 3, 7, 2, True),
    ],
)
def test_the_native_function_gives_plain_sums(filters, channels, size, pixels, stride, pad):
    x, w = (
        C.input_variable((channels, pixels, pixels)),
        C.parameter((filters, channels, size, size), init=C.normal(1)),
    )
    attributes = dict(
        stride=stride, padding=pad, size=size, h=pixels, w=pixels, channels=channels, filters=filters
    )
    f = C.ops.native_user_function('NativeBinaryConvolveFunction', [w, x], attributes, 'sums')
    data = images(x.shape)
    data[0, 0, 0, 0] = 0
    assert np.array_equal(f.eval({x: data}), sums_of_signs(w.value, data, stride, pad))
    place = C.placeholder(shape=x.shape, dynamic_axes=x.dynamic_axes)
    body = C.convolution(
        cc.CustomMultibit(w, 1),
        cc.CustomMultibit(place, 1),
        strides=(stride, stride),
        auto_padding=[False, pad, pad],
    )
    block = C.as_block(body, [(place, x)], 'BinaryConvolution', 'b')
    native = q.convert_to_native_binary_convolution(block)
    assert np.array_equal(native.eval({x: data}), f.eval({x: data}))
    scaled = q.convert_to_native_binary_convolution(block, means=True)
    assert np.allclose(
        scaled.eval({x: data}), block.eval({x: data}), rtol=1e-4, atol=1e-4
    ) and not np.allclose(scaled.eval({x: data}), native.eval({x: data}))


def test_cntk_s_native_function(tmp_path):
    """As programs call it that CNTK's conversion to native convolutions was written for."""
    name = 'NativeBinaryConvolveFunction'
    assert (
        C.contrib.netopt.native_convolve_function_registered
        and C.cntk_py.is_native_user_function_registered(name)
    )
    with pytest.raises(ValueError, match='already registered'):
        C.ops.register_native_user_function(
            name, 'Cntk.BinaryConvolution-2.7', 'CreateBinaryConvolveFunction'
        )
    if not C.cntk_py.is_native_user_function_registered('Mine'):
        C.ops.register_native_user_function(
            'Mine', 'Cntk.BinaryConvolution-' + C.__version__.rstrip('+'), 'CreateBinaryConvolveFunction'
        )
    x, w = C.input_variable((5, 9, 7), needs_gradient=True), C.parameter((4, 5, 3, 3), init=C.normal(1))
    attributes = dict(stride=2, padding=True, size=3, h=9, w=7, channels=5, filters=4)
    data = images(x.shape)
    for id in (name, 'Mine'):
        f = C.ops.native_user_function(id, [w, x], attributes, 'fast')
        same = C.binary_convolve(
            w, x, scale='none', map_scale='none', strides=(2, 2), auto_padding=[False, True, True]
        )
        assert (
            f.shape == same.shape == (4, 5, 4)
            and f.name == 'fast'
            and f.root_function.op_name == 'BinaryConvolveOp'
        )
        np.testing.assert_array_equal(f.eval({x: data}), same.eval({x: data}))
        for a, b in zip(f.grad({x: data}, wrt=[x, w]).values(), same.grad({x: data}, wrt=[x, w]).values()):
            np.testing.assert_array_equal(a, b)
    f.save(str(tmp_path / 'native.model'))
    again = C.load_model(str(tmp_path / 'native.model'))
    np.testing.assert_array_equal(again.eval({again.arguments[0]: data}), same.eval({x: data}))
    unpadded = C.ops.native_user_function(name, [w, x], dict(stride=1, padding=False))
    np.testing.assert_array_equal(
        unpadded.eval({x: data}),
        C.binary_convolve(w, x, scale='none', map_scale='none', auto_padding=[False]).eval({x: data}),
    )
    with pytest.raises(ValueError, match='filters is 8, but the operands have 4'):
        C.ops.native_user_function(name, [w, x], dict(attributes, filters=8))
    with pytest.raises(
        ValueError, match=r'the filters must have the shape \[filters, channels, size, size\]'
    ):
        C.ops.native_user_function(name, [C.parameter((4, 5, 3)), C.input_variable((5, 9))], {})


def convolutions(bias=True):
    with C.layers.default_options(activation=C.relu, pad=True, bias=bias, init_bias=0.03):
        return C.layers.Sequential(
            [
                C.layers.Convolution2D((3, 3), 8, name='first'),
                C.layers.Convolution2D((3, 3), 16, strides=2, name='second'),
                C.layers.Convolution2D((3, 3), 12, name='third'),
                C.layers.Dense(5, activation=None),
            ]
        )(C.input_variable((3, 12, 12)))


def found(z, op_name):
    return C.logging.graph.depth_first_search(
        z, lambda f: type(f) is C.Function and f.op_name == op_name, depth=0
    )


@pytest.mark.parametrize('bias', [True, False])
def test_a_model_becomes_binary_then_native(bias, tmp_path):
    z = convolutions(bias)
    asked, kept = (
        [],
        ['first'] if bias else ['first', 'second'],
    )  # without bias, sums of signs that are 0 come out as 0 or near it: their signs differ
    binary = q.convert_to_binary_convolution(
        z, lambda layer: asked.append(layer.name) or layer.name not in kept
    )
    assert set(asked) == {'first', 'second', 'third'}
    count = 3 - len(kept)
    assert len(found(binary, 'BinaryConvolution')) == count and len(found(binary, 'Convolution')) == len(kept)
    filters = [p for p in binary.parameters if p.name == 'filter']
    assert sorted(p.shape for p in filters) == [(12, 16, 3, 3), (16, 8, 3, 3)][:count]
    assert all(
        any(np.array_equal(p.value, o.value) for o in z.parameters) for p in filters
    )  # they begin with what was there
    assert len(binary.parameters) == len(z.parameters) and {
        p.uid for p in z.parameters if p.name in ('b', '')
    } <= {p.uid for p in binary.parameters}
    binary.save(str(tmp_path / 'binary.model'))
    loaded = C.Function.load(str(tmp_path / 'binary.model'))
    data = images((3, 12, 12))
    want = binary.eval(data)
    assert np.allclose(loaded.eval(data), want, rtol=1e-5, atol=1e-5)
    for model in (binary, loaded):
        native = q.convert_to_native_binary_convolution(model, means=True)
        assert len(found(native, 'BinaryConvolveOp')) == count and not found(native, 'BinaryConvolution')
        assert np.allclose(native.eval(data), want, rtol=1e-3, atol=1e-3)
        assert {p.uid for p in native.parameters} == {p.uid for p in model.parameters}
    native.save(str(tmp_path / 'native.model'))
    again = C.Function.load(str(tmp_path / 'native.model'))
    assert len(found(again, 'BinaryConvolveOp')) == count
    assert np.array_equal(again.eval(data), native.eval(data))


def test_exchanged_functions_may_read_one_another():
    x = C.input_variable(4)
    f = C.layers.Dense(4, name='one')(x)
    g = C.layers.Dense(4, name='two')(f) + f
    z = C.layers.Dense(4, name='three')(C.relu(g)) + f * g
    kind = lambda name: lambda n: isinstance(n, C.Function) and n.op_name == name
    same = C.misc.convert(z, lambda n: n.op_name == 'Dense', lambda n: C.times(n.inputs[-1], n.W) + n.b + 1)
    assert (
        not C.logging.graph.depth_first_search(same, kind('Dense'))
        and len(C.logging.graph.depth_first_search(same, kind('Times'))) == 3
    )  # none of them twice
    a, b, c = (
        lambda v, n=n: v @ z.find_by_name(n).W.value + z.find_by_name(n).b.value + 1
        for n in ('one', 'two', 'three')
    )
    data = images((4,))
    u = b(a(data)) + a(data)
    assert np.allclose(same.eval(data), c(np.maximum(u, 0)) + a(data) * u, atol=1e-4)
    assert C.misc.convert(z, lambda n: False, None) is z


def test_binarize_convolution_trains_in_between():
    z = C.layers.Convolution2D((3, 3), 4)(C.input_variable((5, 6, 6)))
    seen = []

    def train(model):
        y = C.input_variable(model.shape)
        loss = C.squared_error(model, y)
        trainer = C.Trainer(
            model, (loss, None), [C.sgd(model.parameters, C.learning_parameter_schedule(0.01))]
        )
        for _ in range(10):
            trainer.train_minibatch({model.arguments[0]: images((5, 6, 6)), y: images(model.shape, seed=2)})
            seen.append(trainer.previous_minibatch_loss_average)

    native = q.binarize_convolution(z, train)
    assert seen[-1] < seen[0] and len(found(native, 'BinaryConvolveOp')) == 1


def test_a_native_convolution_trains_too():
    x, w = C.input_variable((5, 6, 6)), C.parameter((4, 5, 3, 3), init=C.normal(0.5, seed=1))
    v = C.parameter(init=w.value)
    native, spelled = (
        C.binary_convolve(w, x, bits=2),
        C.convolution(cc.CustomMultibit(v, 1), cc.CustomMultibit(x, 2), auto_padding=[False, True, True]),
    )
    for p, z in ((w, native), (v, spelled)):
        y = C.input_variable(z.shape)
        trainer = C.Trainer(
            z, (C.squared_error(z, y), None), [C.sgd([p], C.learning_parameter_schedule(0.001, 1))]
        )
        for _ in range(5):
            trainer.train_minibatch({x: images((5, 6, 6)), y: images(z.shape, seed=2)})
    assert np.allclose(w.value, v.value, atol=1e-5) and not np.allclose(
        w.value, C.parameter((4, 5, 3, 3), init=C.normal(0.5, seed=1)).value
    )


def test_what_has_no_native_form_is_named():
    x, w = C.input_variable((3, 6, 6)), C.parameter((4, 3, 3, 3), init=C.normal(1))

    def block(filters, operand):
        place = C.placeholder()
        return C.as_block(
            C.convolution(filters, operand(place), auto_padding=[False, True, True]),
            [(place, x)],
            'BinaryConvolution',
            'odd',
        )

    some = np.ones(w.shape)
    some[0] = 2
    for z, text in (
        (block(cc.CustomMultibit(w, some), cc.CustomSign), 'the same number of levels everywhere'),
        (block(w, cc.CustomSign), 'odd reads'),
        (block(cc.CustomSign(w), lambda p: cc.CustomMultibitKernel(p, 1)), 'a mean for each channel'),
    ):
        with pytest.raises(NotImplementedError, match=text):
            q.convert_to_native_binary_convolution(z)
    signs = q.convert_to_native_binary_convolution(block(cc.CustomSign(w), cc.CustomSign))
    assert np.array_equal(
        signs.eval({x: images(x.shape)}), block(cc.CustomSign(w), cc.CustomSign).eval({x: images(x.shape)})
    )
    with pytest.raises(NotImplementedError, match='transposed'):
        place = C.placeholder()
        q.convert_to_native_binary_convolution(
            C.as_block(
                C.convolution_transpose(cc.CustomSign(C.parameter((3, 4, 3, 3))), cc.CustomSign(place)),
                [(place, x)],
                'BinaryConvolution',
                'up',
            )
        )
    with pytest.raises(ValueError, match='2 levels need means'):
        C.binary_convolve(w, x, bits=2, scale='none')


def test_the_layer_of_netopt():
    x = C.input_variable((3, 8, 8))
    y = q.binary_convolution((3, 3), num_filters=5, channels=3, pad=True, strides=2, name='small')(x)
    assert y.shape == (5, 4, 4) and [p.shape for p in y.parameters] == [(5, 3, 3, 3)]
    assert [f.name for f in found(y, 'BinaryConvolution')] == ['small']
    assert C.contrib.netopt.native_convolve_function_registered


@pytest.mark.parametrize('isa', ['avx2', 'baseline'])
def test_other_instruction_sets_agree(isa):
    program = (
        'import cantik as C, numpy as np, sys\n'
        'rs = np.random.RandomState(0)\n'
        'x, w = C.input_variable((70, 6, 5)), C.parameter(init=rs.randn(37, 70, 3, 3).astype(np.float32))\n'
        'y = C.binary_convolve(w, x, scale="none", map_scale="none", auto_padding=[False, True, True])\n'
        'print(y.eval({x: rs.randn(3, 70, 6, 5).astype(np.float32)}).astype(int).tolist())\n'
    )
    said = {}
    for level in ('', isa):
        env = {
            **__import__('os').environ,
            'CANTIK_ISA': level,
            'PYTHONPATH': str(Path(C.__file__).absolute().parents[1]),
        }
        said[level] = subprocess.run(
            [sys.executable, '-c', program], check=True, capture_output=True, text=True, env=env
        ).stdout
    assert said[''] == said[isa] and len(said[isa]) > 1000
