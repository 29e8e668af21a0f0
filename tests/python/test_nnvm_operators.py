"""The operators of `mxnet_new_operators`, in C++ as that document prints them, built as libraries of their own, loaded and used.

What the document's printed text needs to compile, all of it:
- its two includes of MXNet's tree, <dmlc/parameter.h> and <operator_common.h>, are <cantik/mxnet/op.h> here;
- the parser of scalar_op, shown alone, gets the semicolon that ends a statement;
- in the complete abs, the semicolon after FGradient moves behind add_argument, which stands after it;
- the prototype NodeAttr of its text is NodeAttrs, as in its code.
"""
import inspect
import re

import numpy as np
import pytest

import cantik as C
from building import SOURCES, compiled, needs_compiler, run

pytestmark = needs_compiler
NNVM = SOURCES / 'nnvm'
QUIET = ['-Wno-unused-parameter']  # the document names parameters that it does not use


@pytest.fixture(scope='module')
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp('nnvm')
    made = {}

    def library(name, *files):
        if name not in made:
            made[name] = compiled(folder / (name + '.so'), *[NNVM / (f + '.cc') for f in files or (name,)], flags=QUIET)
        return made[name]
    return library


def test_abs(built):
    library = C.load_operators(built('abs'))
    assert library == ['mxnet.abs', 'mxnet._backward_abs']
    described = C._cantik.operator('mxnet.abs')
    assert re.fullmatch(r'Take absolute value of the src\n\nFrom:.*abs.cc:4', described['doc'])
    assert described['names']['mxnet'] == 'abs' and described['names']['mxnet.type.data'] == 'NDArray' and described['names']['mxnet.doc.data'] == 'Source input'
    numbers = np.array([[-1.5, 0, 2], [3, -4, 0.5]], np.float32)
    for dtype in np.float32, np.float64:
        for axes in [], [C.Axis.default_batch_axis()]:
            x = C.input_variable(3 if axes else (2, 3), dtype=dtype, needs_gradient=True, dynamic_axes=axes)
            y = library.abs(x)
            assert y.shape == x.shape and len(y.dynamic_axes) == len(axes)
            given = numbers.astype(dtype)
            np.testing.assert_array_equal(y.eval({x: given}), np.abs(given))
            np.testing.assert_array_equal(np.reshape(y.grad({x: given}, [x]), (2, 3)), np.sign(given))
    x = C.input_variable((2, 3), needs_gradient=True, dynamic_axes=[])
    z = library.abs(library.abs(x) * 2 - 3)
    np.testing.assert_allclose(z.eval({x: numbers}), np.abs(np.abs(numbers) * 2 - 3))
    np.testing.assert_allclose(np.reshape(z.grad({x: numbers}, [x]), (2, 3)), np.sign(np.abs(numbers) * 2 - 3) * 2 * np.sign(numbers))


def test_saved_by_name(built, tmp_path):
    library = C.load_operators(built('abs'))
    x = C.input_variable(3)
    library.abs(x).save(str(tmp_path / 'abs.model'))
    z = C.load_model(str(tmp_path / 'abs.model'))
    np.testing.assert_array_equal(z(np.array([[-1, 2, -3]], np.float32)), [[1, 2, 3]])


def test_described_alone(built):
    """The document's first form of abs, without computation: it has a shape, and running it says what is missing."""
    shown = run('''
import sys, cantik as C
library = C.load_operators(sys.argv[1])
y = library.abs(C.input_variable((2, 3)))
print(y.shape)
try:
    y.eval({y.arguments[0]: [[[1, 2, 3], [4, 5, 6]]]})
except NotImplementedError as error:
    print(error)
''', built('abs_described'))
    assert shown.startswith('(2, 3)\n') and 'the operator abs registers no FCompute<cpu>' in shown


def test_scalar(built):
    library = C.load_operators(built('scalar', 'scalar', 'scalar_compute'))  # of two files, which state the operator together
    x = np.array([1, -2], np.float32)
    np.testing.assert_array_equal(C.call('mxnet.scalar_op', x, more='scalar=2.5').eval(), 2.5 * x)
    np.testing.assert_array_equal(library.scalar_op(x, scalar=-1).eval(), -x)
    with pytest.raises(RuntimeError, match='stod'):  # the document's parser asks for more than it is given
        library.scalar_op(x)


def test_activation(built):
    library = C.load_operators(built('activation'))
    described = C._cantik.operator('mxnet.Activation')
    assert described['names']['mxnet.type.act_type'] == "{'relu', 'sigmoid', 'softrelu', 'tanh'}, required"
    assert described['names']['mxnet.doc.act_type'] == 'Activation function to be applied.'
    assert str(inspect.signature(library.Activation)).startswith("(data, act_type='', name='', **more)")
    numbers = np.array([[-1.5, 0.1, 2], [3, -4, 0.5]], np.float32)
    x = C.input_variable(3, needs_gradient=True)
    for word, function, slope in (('relu', lambda v: np.maximum(v, 0), lambda v: v > 0), ('tanh', np.tanh, lambda v: 1 - np.tanh(v) ** 2),
                                  ('sigmoid', lambda v: 1 / (1 + np.exp(-v)), lambda v: np.exp(-v) / (1 + np.exp(-v)) ** 2),
                                  ('softrelu', lambda v: np.log1p(np.exp(v)), lambda v: 1 / (1 + np.exp(-v)))):
        y = library.Activation(x, act_type=word)
        np.testing.assert_allclose(y.eval({x: numbers}), function(numbers), rtol=1e-6)
        np.testing.assert_allclose(y.grad({x: numbers}, [x]), slope(numbers), rtol=1e-5, atol=1e-7)
    # the texts of MXNet 1.9.1
    with pytest.raises(ValueError, match=r"Invalid Input: 'foo', valid values are: \{'relu', 'sigmoid', 'softrelu', 'tanh'\}, in operator Activation\(name=\"\", act_type=\"foo\"\)"):
        library.Activation(x, act_type='foo')
    with pytest.raises(ValueError, match=r'Required parameter act_type of int is not presented, in operator Activation\(name=""\)'):
        library.Activation(x)
    with pytest.raises(ValueError, match=r"Cannot find argument 'foo', Possible Arguments:\n-+\nact_type : \{'relu', 'sigmoid', 'softrelu', 'tanh'\}, required\n    Activation function to be applied.\n"):
        library.Activation(x, act_type='relu', foo=3)


def test_attributes_under_any_key(built):
    library = C.load_operators(built('attributes'))
    x = np.array([1, -2], np.float32)
    np.testing.assert_array_equal(library.scaled_by_cost(x).eval(), 10 * x)
    asks = C.load_operators(built('asks'))  # another library's attribute, and one that this library gave that operator
    np.testing.assert_allclose(asks.cost_of_scaled(x).eval(), [7.4, 7.4])


def test_two_outputs(built):
    library = C.load_operators(built('attributes'))
    names = C._cantik.operator('mxnet.outer')['names']
    assert names['mxnet.outputs'] == 'products,total' and names['mxnet.visible_outputs'] == '1'
    a, b = C.parameter(3, init=np.array([1, 2, 3], np.float32)), C.parameter(2, init=np.array([4, -5], np.float32))
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


def test_wrong_use(built):
    library = C.load_operators(built('abs'))
    with pytest.raises(NotImplementedError, match="which has no sequences"):
        library.abs(C.sequence.input_variable(3))
    with pytest.raises((TypeError, ValueError)):
        library.abs(C.input_variable(3), C.input_variable(3))


@pytest.mark.parametrize('statement, said', [
    ('NNVM_REGISTER_OP(twice).describe("a").set_attr<int>("Key", 1).set_attr<int>("Key", 2);', 'Attribute Key of operator twice is already registered'),
    ('NNVM_REGISTER_OP(nobody_has_this).set_attr<int>("Key", 1);', 'no operator nobody_has_this to attach Key to'),
    ('NNVM_REGISTER_OP(relu).set_attr<int>("Mixed", 1);\nNNVM_REGISTER_OP(tanh).set_attr<double>("Mixed", 1);', 'the objects of the key Mixed are of one type'),
])
def test_wrong_registrations(statement, said, tmp_path):
    (tmp_path / 'wrong.cc').write_text('#include <cantik/mxnet/op.h>\n' + statement + '\n')
    with pytest.raises((ValueError, KeyError, TypeError, RuntimeError)) as caught:
        C.load_operators(compiled(tmp_path / 'wrong.so', tmp_path / 'wrong.cc'))
    assert said in str(caught.value)


def test_what_a_library_brings(built):
    from cantik.ops.libraries import nnvm_operators
    found = {op['name']: op for op in nnvm_operators(built('activation'))}
    assert list(found) == ['Activation', '_backward_Activation']
    assert found['Activation'] == dict(
        name='Activation', operator='mxnet.Activation', doc='Applies a function to each element.', inputs=[('data', 'NDArray', 'what it is applied to')],
        variadic=False, outputs=1, visible_outputs=1, output_names=[], aliases=[],
        arguments=[('act_type', "{'relu', 'sigmoid', 'softrelu', 'tanh'}, required", 'Activation function to be applied.')])
    assert {op['name']: op['visible_outputs'] for op in nnvm_operators(built('attributes'))}['outer'] == 1
