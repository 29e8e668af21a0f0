"""The operators of MXNet's page about new operators, in C++ as it prints them, built as libraries of their
own, loaded and used."""

import inspect
import re

import numpy as np
import pytest

import cantik as C
from building import SOURCES, compiled, needs_compiler, run
from documents import between, document, mended

pytestmark = needs_compiler
NAME = 'mxnet_new_operators.txt'
NNVM = SOURCES / 'nnvm'  # the rest of operators of which the page shows a part
INCLUDE = '#include <cantik/mxnet/op.h>\n\n'

# (printed, meant)
SCALAR = [('\n})\n', '\n});\n')]
ABS = [
    ('"_backward_abs"});', '"_backward_abs"})'),
    ('"Source input")', '"Source input");'),
]  # a semicolon in the middle of a statement
ACTIVATION = [('#include <dmlc/parameter.h>\n#include <operator_common.h>\n', '')]
ATTRIBUTE = [('op-name', 'tanh')]


@pytest.fixture(scope='module')
def built(tmp_path_factory):
    text = document(NAME)
    folder = tmp_path_factory.mktemp('nnvm')
    made = {}
    programs = {
        'abs.cc': lambda: (
            INCLUDE
            + mended(
                between(between(text, 'indicating that a'), 'NNVM_REGISTER_OP(abs)', 'For the legacy'), *ABS
            )
        ),
        'abs_described.cc': lambda: (
            INCLUDE + between(text, 'NNVM_REGISTER_OP(abs)', 'The syntax is quite simple')
        ),
        'scalar.cc': lambda: (
            INCLUDE + mended(between(text, 'NNVM_REGISTER_OP(scalar_op)', 'The parsed arguments'), *SCALAR)
        ),
        'activation_param.h': lambda: mended(
            between(text, '#include <dmlc', 'Number of inputs'), *ACTIVATION
        ),
        'attribute.h': lambda: mended(
            between(text, 'NNVM_REGISTER_OP(op-name)', 'These attributes'), *ATTRIBUTE
        ),
        'requests.h': lambda: between(text, 'enum OpReqType', 'Normally'),
        'attribute.cc': lambda: ATTRIBUTE_PROGRAM,
    }

    def file(name):
        if name in programs:
            (folder / name).write_text(programs[name]())
            return folder / name
        return NNVM / name

    def library(name, *files):
        if name not in made:
            files = [file(f) for f in files or (name + '.cc',)]
            made[name] = compiled(
                folder / (name + '.so'),
                *[f for f in files if f.suffix == '.cc'],
                flags=['-Wno-unused-parameter', '-I' + str(folder)],
            )  # the page names parameters that it does not use
        return made[name]

    return library


# Around the two pieces that are no programs: an attribute of any type for any operator, and what a result is
# asked for.
ATTRIBUTE_PROGRAM = (
    INCLUDE
    + '''struct AttributeType { float cost; };
static const AttributeType CorrespondingAttributeObject{7};
#include "attribute.h"
namespace printed {
#include "requests.h"
}
static_assert(int(printed::kNullOp) == kNullOp && int(printed::kWriteTo) == kWriteTo && int(printed::kWriteInplace) == kWriteInplace && int(printed::kAddTo) == kAddTo);

NNVM_REGISTER_OP(cost_of_tanh)
.set_attr<nnvm::FInferShape>("FInferShape", ElemwiseShape<1, 1>)
.set_attr<FCompute>("FCompute<cpu>", [](const NodeAttrs&, const OpContext&, const std::vector<TBlob>& in, const std::vector<OpReqType>&, const std::vector<TBlob>& out) {
  for (size_t i = 0; i < in[0].Size(); ++i) out[0].dptr<float>()[i] = nnvm::Op::GetAttr<AttributeType>("AttributeKey")[nnvm::Op::Get("tanh")].cost;
});
'''
)


def test_abs(built):
    library = C.load_operators(built('abs'))
    assert library == ['mxnet.abs', 'mxnet._backward_abs']
    described = C._cantik.operator('mxnet.abs')
    assert re.fullmatch(r'Take absolute value of the src\n\nFrom:.*abs.cc:4', described['doc'])
    assert (
        described['names']['mxnet'] == 'abs'
        and described['names']['mxnet.type.data'] == 'NDArray'
        and described['names']['mxnet.doc.data'] == 'Source input'
    )
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
    np.testing.assert_allclose(
        np.reshape(z.grad({x: numbers}, [x]), (2, 3)), np.sign(np.abs(numbers) * 2 - 3) * 2 * np.sign(numbers)
    )


def test_described_alone(built):
    """The document's first form of abs, without computation: it has a shape, and running it says what is
    missing."""
    shown = run(
        '''
import sys, cantik as C
library = C.load_operators(sys.argv[1])
y = library.abs(C.input_variable((2, 3)))
print(y.shape)
try:
    y.eval({y.arguments[0]: [[[1, 2, 3], [4, 5, 6]]]})
except NotImplementedError as error:
    print(error)
''',
        built('abs_described'),
    )
    assert shown.startswith('(2, 3)\n') and 'the operator abs registers no FCompute<cpu>' in shown


def test_scalar(built):
    library = C.load_operators(
        built('scalar', 'scalar.cc', 'scalar_compute.cc')
    )  # of two files, which state the operator together
    x = np.array([1, -2], np.float32)
    np.testing.assert_array_equal(C.call('mxnet.scalar_op', x, more='scalar=2.5').eval(), 2.5 * x)
    np.testing.assert_array_equal(library.scalar_op(x, scalar=-1).eval(), -x)
    with pytest.raises(RuntimeError, match='stod'):  # the document's parser asks for more than it is given
        library.scalar_op(x)


def test_activation(built):
    library = C.load_operators(built('activation', 'activation_param.h', 'activation.cc'))
    described = C._cantik.operator('mxnet.Activation')
    assert described['names']['mxnet.type.act_type'] == "{'relu', 'sigmoid', 'softrelu', 'tanh'}, required"
    assert described['names']['mxnet.doc.act_type'] == 'Activation function to be applied.'
    assert str(inspect.signature(library.Activation)).startswith("(data, act_type='', name='', **more)")
    numbers = np.array([[-1.5, 0.1, 2], [3, -4, 0.5]], np.float32)
    x = C.input_variable(3, needs_gradient=True)
    for word, function, slope in (
        ('relu', lambda v: np.maximum(v, 0), lambda v: v > 0),
        ('tanh', np.tanh, lambda v: 1 - np.tanh(v) ** 2),
        ('sigmoid', lambda v: 1 / (1 + np.exp(-v)), lambda v: np.exp(-v) / (1 + np.exp(-v)) ** 2),
        ('softrelu', lambda v: np.log1p(np.exp(v)), lambda v: 1 / (1 + np.exp(-v))),
    ):
        y = library.Activation(x, act_type=word)
        np.testing.assert_allclose(y.eval({x: numbers}), function(numbers), rtol=1e-6)
        np.testing.assert_allclose(y.grad({x: numbers}, [x]), slope(numbers), rtol=1e-5, atol=1e-7)
    # the texts of MXNet 1.9.1
    with pytest.raises(
        ValueError,
        match=r"Invalid Input: 'foo', valid values are: \{'relu', 'sigmoid', 'softrelu', 'tanh'\}, in "
        r"operator Activation\(name=\"\", act_type=\"foo\"\)",
    ):
        library.Activation(x, act_type='foo')
    with pytest.raises(
        ValueError,
        match=r'Required parameter act_type of int is not presented, in operator Activation\(name=""\)',
    ):
        library.Activation(x)
    with pytest.raises(
        ValueError,
        match=r"Cannot find argument 'foo', Possible Arguments:\n-+\nact_type : "
        r"\{'relu', 'sigmoid', 'softrelu', 'tanh'\}, required\n    Activation function to be "
        r"applied.\n",
    ):
        library.Activation(x, act_type='relu', foo=3)


def test_attributes_and_requests(built):
    library = C.load_operators(built('attribute', 'attribute.h', 'requests.h', 'attribute.cc'))
    np.testing.assert_array_equal(library.cost_of_tanh(np.array([1, -2], np.float32)).eval(), [7, 7])


def test_through_mxnet(built):
    """Loaded with mx.library.load, called as mx.nd.name and mx.sym.name, with documentation."""
    print(
        run(
            '''
import sys
import numpy as np
import cantik.mxnet as mx
for path in sys.argv[1:]:
    mx.library.load(path, verbose=False)
x = mx.nd.array([[-1.5, 0, 2], [3, -4, 0.5]])
numbers = x.asnumpy()
assert 'Take absolute value of the src' in mx.nd.abs.__doc__ and 'Source input' in mx.nd.abs.__doc__, mx.nd.abs.__doc__
np.testing.assert_array_equal(mx.nd.abs(x).asnumpy(), np.abs(numbers))
x.attach_grad()
with mx.autograd.record():
    y = mx.nd.abs(x) * 3
y.backward()
np.testing.assert_array_equal(x.grad.asnumpy(), 3 * np.sign(numbers))
np.testing.assert_array_equal(mx.nd.scalar_op(x, scalar=2.5).asnumpy(), 2.5 * numbers)
np.testing.assert_allclose(mx.nd.Activation(x, act_type='tanh').asnumpy(), np.tanh(numbers), rtol=1e-6)
executor = mx.sym.Activation(mx.sym.abs(mx.sym.var('x')), act_type='softrelu', name='a').bind(mx.cpu(), {'x': x}, {'x': mx.nd.zeros((2, 3))})
np.testing.assert_allclose(executor.forward(is_train=True)[0].asnumpy(), np.log1p(np.exp(np.abs(numbers))), rtol=1e-6)
executor.backward(mx.nd.ones((2, 3)))
np.testing.assert_allclose(executor.grad_dict['x'].asnumpy(), np.sign(numbers) / (1 + np.exp(-np.abs(numbers))), rtol=1e-5)
''',
            built('abs'),
            built('scalar', 'scalar.cc', 'scalar_compute.cc'),
            built('activation', 'activation_param.h', 'activation.cc'),
        )
    )
