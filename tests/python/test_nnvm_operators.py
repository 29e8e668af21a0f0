"""Operators registered in C++ as NNVM registers them, built as libraries of their own, loaded and used."""

import inspect
import re

import numpy as np
import pytest

import cantik as C
from building import SOURCES, compiled, needs_compiler, run

pytestmark = needs_compiler
NNVM = SOURCES / 'nnvm'
NUMBERS = np.array([[-1.5, 0.1, 2], [3, -4, 0.5]], np.float32)


@pytest.fixture(scope='module')
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp('nnvm')
    made = {}

    def library(name, *files):
        if name not in made:
            made[name] = compiled(folder / (name + '.so'), *[NNVM / (f + '.cc') for f in files or (name,)])
        return made[name]

    return library


def test_ready_made_parts(built):
    library = C.load_operators(built('squared'))
    assert library == ['mxnet.squared', 'mxnet._slope_of_squared']
    described = C._cantik.operator('mxnet.squared')
    line = next(
        i for i, l in enumerate((NNVM / 'squared.cc').read_text().split('\n'), 1) if 'MXNET_DESCRIBE' in l
    )
    assert re.fullmatch(rf'Each number times itself\n\nFrom:.*squared.cc:{line}', described['doc'])
    assert (
        described['names']['mxnet'] == 'squared'
        and described['names']['mxnet.type.x'] == 'NDArray'
        and described['names']['mxnet.doc.x'] == 'the numbers'
    )
    for dtype in np.float32, np.float64:
        given = NUMBERS.astype(dtype)
        for axes in [], [C.Axis.default_batch_axis()]:
            x = C.input_variable(3 if axes else (2, 3), dtype=dtype, needs_gradient=True, dynamic_axes=axes)
            y = library.squared(x)
            assert y.shape == x.shape and len(y.dynamic_axes) == len(axes)
            np.testing.assert_array_equal(y.eval({x: given}), given * given)
            np.testing.assert_array_equal(np.reshape(y.grad({x: given}, [x]), (2, 3)), 2 * given)
    x = C.input_variable((2, 3), needs_gradient=True, dynamic_axes=[])
    z = library.squared(library.squared(x) * 2 - 3)
    np.testing.assert_allclose(z.eval({x: NUMBERS}), (2 * NUMBERS**2 - 3) ** 2, rtol=1e-5)
    np.testing.assert_allclose(
        np.reshape(z.grad({x: NUMBERS}, [x]), (2, 3)), 2 * (2 * NUMBERS**2 - 3) * 4 * NUMBERS, rtol=1e-5
    )


def test_whole_numbers_that_do_not_fit(built):
    wide = C.load_operators(built('wide')).wide
    x = np.ones(2, np.float32)
    most = {'narrow': 2**31 - 1, 'wide': 2**63 - 1, 'natural': 2**32 - 1}
    for name, value in most.items():
        np.testing.assert_allclose(wide(x, **{name: value}).eval(), value, rtol=1e-6)
        with pytest.raises(ValueError, match=f"Invalid Parameter format for {name} .*value='{value + 1}'"):
            wide(x, **{name: value + 1})
    with pytest.raises(ValueError, match="Invalid Parameter format for natural .*value='-1'"):
        wide(x, natural=-1)
    with pytest.raises(ValueError, match='Invalid Parameter format for narrow'):
        wide(x, narrow=-(2**31) - 1)


def test_texts_with_a_zero_byte(built):
    curve = C.load_operators(built('curve')).curve
    with pytest.raises(ValueError, match='the attribute kind is a text with a zero byte, behind its first 3'):
        curve(C.input_variable(3), kind='exp\0pected')


def test_saved_by_name(built, tmp_path):
    library = C.load_operators(built('squared'))
    x = C.input_variable(3)
    library.squared(x).save(str(tmp_path / 'squared.model'))
    z = C.load_model(str(tmp_path / 'squared.model'))
    np.testing.assert_array_equal(z(np.array([[-1, 2, -3]], np.float32)), [[1, 4, 9]])


def test_without_computation(tmp_path):
    """An operator that says its shape alone has one, and running it says what is missing."""
    (tmp_path / 'shape.cc').write_text(
        '#include '
        '<cantik/mxnet/op.h>\nNNVM_REGISTER_OP(shape_alone).set_attr<nnvm::FInferShape>("FInferShape", '
        'ElemwiseShape<1, 1>);\n'
    )
    y = C.load_operators(compiled(tmp_path / 'shape.so', tmp_path / 'shape.cc')).shape_alone(
        C.input_variable((2, 3))
    )
    assert y.shape == (2, 3)
    with pytest.raises(NotImplementedError, match='the operator shape_alone registers no FCompute<cpu>'):
        y.eval({y.arguments[0]: np.zeros((1, 2, 3), np.float32)})


def test_a_parser_of_ones_own(built):
    library = C.load_operators(
        built('shifted', 'shifted', 'shifted_compute')
    )  # of two files, which state the operator together
    np.testing.assert_array_equal(
        C.call('mxnet.shifted', NUMBERS, more='by=2.5').eval(), NUMBERS + np.float32(2.5)
    )
    np.testing.assert_array_equal(library.shifted(NUMBERS, by=-1).eval(), NUMBERS - 1)
    with pytest.raises(RuntimeError, match='stof'):  # it asks for more than it is given
        library.shifted(NUMBERS)


def test_declared_parameters(built):
    library = C.load_operators(built('curve'))
    described = C._cantik.operator('mxnet.curve')
    assert (
        described['names']['mxnet.type.kind'] == "{'exp', 'tanh'}, required"
        and described['names']['mxnet.doc.kind'] == 'which function'
    )
    assert described['names']['mxnet.type.height'] == 'float, optional, default=1'
    assert str(inspect.signature(library.curve)).startswith("(x, kind='', height=")
    x = C.input_variable(3, needs_gradient=True)
    for word, function, slope in (('exp', np.exp, np.exp), ('tanh', np.tanh, lambda v: 1 - np.tanh(v) ** 2)):
        for height in None, 2.5:
            y = library.curve(x, kind=word, **({} if height is None else dict(height=height)))
            np.testing.assert_allclose(y.eval({x: NUMBERS}), (height or 1) * function(NUMBERS), rtol=1e-6)
            np.testing.assert_allclose(
                y.grad({x: NUMBERS}, [x]), (height or 1) * slope(NUMBERS), rtol=1e-4, atol=1e-6
            )
    # in the words of MXNet 1.9.1
    with pytest.raises(
        ValueError,
        match=r"Invalid Input: 'foo', valid values are: \{'exp', 'tanh'\}, in operator curve\(name=\"\", "
        r"kind=\"foo\"\)",
    ):
        library.curve(x, kind='foo')
    with pytest.raises(
        ValueError, match=r'Required parameter kind of int is not presented, in operator curve\(name=""\)'
    ):
        library.curve(x)
    with pytest.raises(
        ValueError,
        match=r"Cannot find argument 'foo', Possible Arguments:\n-+\nkind : \{'exp', 'tanh'\}, "
        r"required\n    which function\n",
    ):
        library.curve(x, kind='exp', foo=3)
    with pytest.raises(ValueError, match='height'):
        library.curve(x, kind='exp', height=11)


def test_attributes_under_any_key(built):
    library = C.load_operators(built('attributes'))
    x = np.array([1, -2], np.float32)
    np.testing.assert_array_equal(library.scaled_by_cost(x).eval(), 10 * x)
    asks = C.load_operators(
        built('asks')
    )  # another library's attribute, and one that this library gave that operator
    np.testing.assert_allclose(asks.cost_of_scaled(x).eval(), [7.4, 7.4])


def test_two_outputs(built):
    library = C.load_operators(built('attributes'))
    names = C._cantik.operator('mxnet.outer')['names']
    assert names['mxnet.outputs'] == 'products,total' and names['mxnet.visible_outputs'] == '1'
    a, b = (
        C.parameter(3, init=np.array([1, 2, 3], np.float32)),
        C.parameter(2, init=np.array([4, -5], np.float32)),
    )
    products, total = library.outer(a, b).outputs
    assert products.shape == (3, 2) and total.shape == (1,)
    f = C.combine([products, total])
    values = f.eval()
    np.testing.assert_array_equal(values[products], np.outer([1, 2, 3], [4, -5]))
    np.testing.assert_array_equal(values[total], [-6])
    loss = C.reduce_sum(products * products) + C.reduce_sum(total)
    gradients = loss.grad({}, wrt=[a, b])
    d = 2 * np.outer([1, 2, 3], [4, -5]) + 1
    np.testing.assert_allclose(gradients[a], d @ [4, -5])
    np.testing.assert_allclose(gradients[b], [1, 2, 3] @ d)


def test_results_in_the_memory_of_operands(built):
    library = C.load_operators(built('crossed'))
    assert C._cantik.operator('mxnet.crossed')['names']['in_place'] == '0:1 1:0'
    x, y = C.input_variable(3), C.input_variable(3)
    data = {x: NUMBERS, y: 3 * NUMBERS}
    first, second = library.crossed(C.abs(x), C.abs(y)).outputs
    for rows in (2, 100):  # few rows, and blocks of many
        data = {x: np.resize(NUMBERS, (rows, 3)), y: 3 * np.resize(NUMBERS, (rows, 3))}
        np.testing.assert_allclose(
            (first - 2 * second).eval(data), abs(data[y]) + 100 - 2 * (abs(data[x]) + 100), rtol=1e-5
        )
    # An operand that is still needed stays as it is.
    kept = C.abs(x)
    first, second = library.crossed(kept, C.abs(y)).outputs
    np.testing.assert_allclose(
        (first + second * 1000 + kept).eval(data), abs(data[y]) + 100 + 1001 * abs(data[x]), rtol=1e-5
    )
    # So does one that comes twice, and what a user fed.
    twice = library.crossed(C.abs(x), C.abs(x)).outputs
    np.testing.assert_allclose((twice[0] + twice[1]).eval(data), 2 * abs(data[x]))
    fed = library.crossed(x, y).outputs
    np.testing.assert_allclose((fed[0] + fed[1]).eval(data), data[x] + data[y], rtol=1e-6)


def test_wrong_use(built):
    library = C.load_operators(built('squared'))
    with pytest.raises(NotImplementedError, match="which has no sequences"):
        library.squared(C.sequence.input_variable(3))
    with pytest.raises((TypeError, ValueError)):
        library.squared(C.input_variable(3), C.input_variable(3))


@pytest.mark.parametrize(
    'statement, said',
    [
        (
            'NNVM_REGISTER_OP(twice).describe("a").set_attr<int>("Key", 1).set_attr<int>("Key", 2);',
            'Attribute Key of operator twice is already registered',
        ),
        (
            'NNVM_REGISTER_OP(nobody_has_this).set_attr<int>("Key", 1);',
            'no operator nobody_has_this to attach Key to',
        ),
        (
            'NNVM_REGISTER_OP(relu).set_attr<int>("Mixed", '
            '1);\nNNVM_REGISTER_OP(tanh).set_attr<double>("Mixed", 1);',
            'objects attached with the key Mixed have the type',
        ),
    ],
)
def test_wrong_registrations(statement, said, tmp_path):
    (tmp_path / 'wrong.cc').write_text('#include <cantik/mxnet/op.h>\n' + statement + '\n')
    with pytest.raises((ValueError, KeyError, TypeError, RuntimeError)) as caught:
        C.load_operators(compiled(tmp_path / 'wrong.so', tmp_path / 'wrong.cc'))
    assert said in str(caught.value)


def test_what_a_library_brings(built):
    from cantik.ops.libraries import nnvm_operators

    found = {op['name']: op for op in nnvm_operators(built('curve'))}
    assert list(found) == ['curve', '_slope_of_curve']
    assert found['curve'] == dict(
        name='curve',
        operator='mxnet.curve',
        doc='height * exp(x) or height * tanh(x)',
        inputs=[('x', 'NDArray', 'where')],
        variadic=False,
        outputs=1,
        visible_outputs=1,
        output_names=[],
        aliases=[],
        arguments=[
            ('kind', "{'exp', 'tanh'}, required", 'which function'),
            ('height', 'float, optional, default=1', 'what it is multiplied by'),
            ('more', 'string, optional', 'further keywords'),
        ],
    )
    assert {op['name']: op['visible_outputs'] for op in nnvm_operators(built('attributes'))}['outer'] == 1


def test_through_mxnet(built):
    """Built with the folder that mx.libinfo names, loaded with mx.library.load, called as mx.nd.name and
    mx.sym.name, with documentation."""
    print(
        run(
            '''
import subprocess, sys
import numpy as np
import cantik.mxnet as mx
assert subprocess.run(['c++', '-std=c++20', '-fsyntax-only', '-I' + mx.libinfo.find_include_path(), sys.argv[1]]).returncode == 0
for path in sys.argv[2:]:
    mx.library.load(path, verbose=False)
x = mx.nd.array([[-1.5, 0, 2], [3, -4, 0.5]])
numbers = x.asnumpy()
assert 'Each number times itself' in mx.nd.squared.__doc__ and 'the numbers' in mx.nd.squared.__doc__, mx.nd.squared.__doc__
np.testing.assert_array_equal(mx.nd.squared(x).asnumpy(), numbers ** 2)
x.attach_grad()
with mx.autograd.record():
    y = mx.nd.squared(x) * 3
y.backward()
np.testing.assert_array_equal(x.grad.asnumpy(), 6 * numbers)
np.testing.assert_array_equal(mx.nd.shifted(x, by=2.5).asnumpy(), numbers + 2.5)
np.testing.assert_allclose(mx.nd.curve(x, kind='exp', height=2).asnumpy(), 2 * np.exp(numbers), rtol=1e-6)
executor = mx.sym.curve(mx.sym.squared(mx.sym.var('x')), kind='tanh', name='a').bind(mx.cpu(), {'x': x}, {'x': mx.nd.zeros((2, 3))})
np.testing.assert_allclose(executor.forward(is_train=True)[0].asnumpy(), np.tanh(numbers ** 2), rtol=1e-6)
executor.backward(mx.nd.ones((2, 3)))
np.testing.assert_allclose(executor.grad_dict['x'].asnumpy(), 2 * numbers * (1 - np.tanh(numbers ** 2) ** 2), rtol=1e-3, atol=1e-6)
''',
            NNVM / 'squared.cc',
            built('squared'),
            built('shifted', 'shifted', 'shifted_compute'),
            built('curve'),
        )
    )
