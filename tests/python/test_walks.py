"""Programs of one's own that walk through a network, as converters and viewers do."""

import numpy as np
import pytest

import cantik as C


def model():
    x = C.input_variable((3, 8, 8), name='x')
    h = C.layers.Convolution2D((3, 3), 4, activation=C.relu, pad=True, name='conv')(x)
    return C.layers.Dense(2, name='out')(h * 2.0)


def layers_of(root):
    """The functions below the root, operands first: a walk that tells functions from variables by class."""
    stack, found, seen = [root.root_function], [], set()
    while stack:
        node = stack.pop(0)
        if node.uid in seen:
            continue
        try:
            stack = list(node.root_function.inputs) + stack
        except AttributeError:
            if node.is_output:
                stack.insert(0, node.owner)
                continue
        if not isinstance(node, C.Variable):
            found.append(node.op_name)
            seen.add(node.uid)
    return found[::-1]


class TestOperands:
    def test_operands_are_variables(self):
        z = model()
        assert layers_of(z) == ['Convolution', 'ElementTimes', 'Dense']
        assert layers_of(z.conv.block_root) == ['Convolution', 'Plus', 'ReLU']
        for operand in z.out.inputs + z.conv.block_root.inputs:
            assert isinstance(operand, C.variables.Variable)

    def test_operands_as_what_they_are(self):
        z = model()
        W, b = z.out.inputs[0].as_parameter(), z.out.inputs[1].as_parameter()
        assert (W.name, b.name) == ('W', 'b') and isinstance(W, C.Parameter)
        assert W == z.out.W and W.asarray().shape == (4, 8, 8, 2)
        two = next(v for v in z.constants if v.shape == ()).as_constant()
        assert isinstance(two, C.Constant) and two.value == 2
        with pytest.raises(TypeError, match='cannot be converted into a Constant'):
            W.as_constant()
        with pytest.raises(TypeError, match='cannot be converted into a Parameter'):
            two.as_parameter()
        for variable in (z.arguments[0], z.output):
            with pytest.raises(TypeError):
                variable.as_parameter()
            with pytest.raises(TypeError):
                variable.as_constant()

    def test_new_parameters_and_constants(self):
        assert C.Parameter((2,), init=3).as_parameter().value.tolist() == [3, 3]
        assert C.Constant(3).as_constant().value == 3


class TestCopiesOfOneFunction:
    def test_they_are_networks_with_its_outputs(self):
        z = model()
        y = C.input_variable((3, 8, 8), name='y')
        for node in (z.conv, z.out.inputs[2].owner, z.output.owner):
            for copy in (node.clone('share'), node.clone('clone', {z.arguments[0]: y})):
                assert copy.is_composite and copy.root_function.op_name == 'Combine'
                assert copy.name == '' and copy.output.name == node.output.name
                assert copy.shape == node.shape and len(copy.arguments) == 1
        assert z.clone('share').root_function.op_name == 'Dense' and z.clone('share').name == 'out'

    def test_they_compute_the_same(self):
        z = model()
        data = [[[[1.0] * 8] * 8] * 3]
        whole = C.combine([z.conv.output]).eval({z.arguments[0]: data})
        copy = z.conv.clone('freeze')
        assert not copy.parameters and (copy.eval({copy.arguments[0]: data}) == whole).all()


class TestAttributesOfViewsAndWindows:
    @pytest.mark.parametrize(
        'axis, behind', [(None, 3), (0, 3), (1, 2), (2, 1), (3, 0), (-1, 0), (-2, 1), (-3, 2)]
    )
    def test_flattened_axes(self, axis, behind):
        """CNTK counts axes from the end: how many stand behind the place."""
        x = C.input_variable((2, 3, 4))
        z = C.flatten(x) if axis is None else C.flatten(x, axis)
        assert z.root_function.attributes == {'axis': ('ordered', 'static', behind)}

    @pytest.mark.parametrize('layer', [C.layers.GlobalMaxPooling, C.layers.GlobalAveragePooling])
    def test_windows_over_all_pixels(self, layer, tmp_path):
        def window(z):
            pooling = C.logging.graph.depth_first_search(
                z, lambda node: getattr(node, 'op_name', '') == 'Pooling', -1
            )
            return pooling[0].attributes['poolingWindowShape']

        z = layer()(C.input_variable((3, 4, 5)))
        assert window(z) == (4, 5)
        z.save(tmp_path / 'z')
        assert window(C.load_model(tmp_path / 'z')) == (4, 5)
        assert len(window(layer())) == 1  # as long as there is no operand

    def test_names_inside(self):
        z = C.elu(C.input_variable(3), 0.5)
        assert z.find_by_name('_ELU', -1).op_name == 'ELU'


class TestAttributesOfConvolutions:
    def test_flags_and_steps_for_the_pixels(self):
        x = C.input_variable((2, 9, 9))
        W = C.Parameter((3, C.InferredDimension, 3, 3), init=0.1)
        z = C.convolution(W, x, auto_padding=[True, False], strides=(2, 1))
        found = z.root_function.attributes
        assert z.shape == (3, 5, 7) and W.shape == (3, 2, 3, 3)
        assert found['autoPadding'] == [False, True, False] and found['strides'] == (2, 2, 1)

    def test_of_layers(self):
        x = C.input_variable((3, 9, 9))
        z = C.layers.Convolution((3, 3), 4, pad=True, strides=2)(x)
        found = C.logging.graph.depth_first_search(
            z, lambda node: getattr(node, 'op_name', '') == 'Convolution' and not node.is_block, -1
        )[0].attributes
        # The channels' step is their number: there is one position along them.
        assert found['autoPadding'] == [False, True, True] and found['strides'] == (3, 2, 2)

    def test_saved(self, tmp_path):
        x = C.input_variable((2, 9, 9))
        z = C.convolution(C.Parameter((3, C.InferredDimension, 3, 3), init=0.1), x)
        z.save(tmp_path / 'z')
        again = C.load_model(tmp_path / 'z')
        assert again.root_function.attributes['autoPadding'] == [False, True, True]
        data = [[[[1.0] * 9] * 9] * 2]
        assert (again.eval({again.arguments[0]: data}) == z.eval({x: data})).all()

    def test_of_an_input_whose_channels_the_data_tell(self):
        x = C.input_variable((C.InferredDimension, 9, 9))
        z = C.convolution(C.Parameter((3, C.InferredDimension, 3, 3), init=0.1), x)
        assert z.eval({x: np.ones((1, 2, 9, 9), np.float32)}).shape == (1, 3, 9, 9)
        assert z.root_function.attributes['autoPadding'] == [False, True, True]


def is_named(op):
    return lambda f: isinstance(f, C.Function) and f.op_name == op


def test_functions_inside_of_layers_are_exchanged():
    """Figures of CNTK 2.7."""
    x = C.input_variable(2)
    z = C.layers.Dense(2, activation=C.relu, init=1, name='only')(x)
    made = C.misc.convert(z, is_named('ReLU'), lambda f: C.tanh(f.inputs[0]))
    np.testing.assert_allclose(made.eval({x: [[1, 2]]}), [[0.9950548, 0.9950548]], rtol=1e-6)
    assert (made.name, made.root_function.op_name) == ('only', 'Dense')
    z = C.layers.Sequential(
        [
            C.layers.Dense(3, activation=C.relu, name='a', init=1),
            C.layers.Dense(3, activation=C.relu, name='b', init=1),
            C.layers.Dense(2, name='out', init=1),
        ]
    )(x)
    for op, exchange, figure in (
        ('ReLU', lambda f: C.tanh(f.inputs[0]), 2.110108),
        ('Times', lambda f: C.times(f.inputs[0], f.inputs[1]) * 2, 21.6),
    ):
        made = C.misc.convert(z, is_named(op), exchange)
        np.testing.assert_allclose(made.eval({x: [[0.1, 0.2]]}), [[figure, figure]], rtol=1e-6)
        assert made.name == 'out' and made.find_by_name('a') is not None
        assert [p.uid for p in made.parameters] == [p.uid for p in z.parameters]
    np.testing.assert_allclose(z.eval({x: [[0.1, 0.2]]}), [[2.7, 2.7]], rtol=1e-6)  # it is as it was


def test_what_takes_the_place_of_a_function_has_as_many_outputs():
    x = C.sequence.input_variable(2)
    z = C.combine([C.layers.PastValueWindow(2, axis=-2)(x).outputs[0]])
    with pytest.raises(ValueError, match='gave 1 outputs in place of the 2 of'):
        C.misc.convert(z, is_named('PastValueWindow'), lambda f: C.sequence.last(x))
