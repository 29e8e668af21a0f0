"""What functions and blocks read: how often, in which order, under which names, as CNTK 2.7 says it."""

import numpy as np

import cantik as C


def test_operands_of_blocks_in_the_order_of_cntks_blocks(tmp_path):
    """What is listed in their order: param_relu(alpha, x) has x first there, as files of CNTK have."""
    x, layer = C.input_variable(2, name='x'), C.layers.Dense(2)
    slope = C.parameter((2,), init=[0.5, 0.25], name='slope')
    f = C.param_relu(slope, layer(x), name='f')
    assert [p.name for p in f.parameters] == ['W', 'b', 'slope']
    assert [v.name for v in f.root_function.inputs[-1:]] == ['slope']
    assert [inside.name for inside, _ in f.root_function.block_arguments_mapping] == ['', 'slope']
    data = np.array([[1, -2], [-3, 4]], np.float32)
    expected = f.eval(data)
    inner = layer(x).eval(data)
    np.testing.assert_allclose(expected, np.where(inner < 0, inner * [0.5, 0.25], inner), rtol=1e-6)
    f.save(str(tmp_path / 'f'))
    again = C.load_model(str(tmp_path / 'f'))
    np.testing.assert_array_equal(again.eval(data), expected)
    assert again.root_function.op_name == 'PReLU' and [p.name for p in again.parameters] == [
        'W',
        'b',
        'slope',
    ]
    open_ = C.param_relu(slope, C.placeholder(name='open'))  # its inside is made later
    np.testing.assert_array_equal(open_.replace_placeholder(layer(x)).eval(data), expected)


def test_a_function_counts_what_it_reads_twice_once():
    """As in CNTK: inputs are operands, arguments and parameters are variables."""
    x, p, c = C.input_variable(2, name='x'), C.parameter(2), C.constant([1.0, 2.0])
    for f, operands, arguments, parameters, constants in (
        (x * x, 2, 1, 0, 0),
        (p * p, 2, 0, 1, 0),
        (C.splice(x, x, p, p, c, c), 6, 1, 1, 1),
        (C.combine([x, x]), 2, 1, 0, 0),
    ):
        root = f.root_function
        assert len(root.inputs) == operands
        assert [len(root.arguments), len(root.parameters), len(root.constants)] == [
            arguments,
            parameters,
            constants,
        ]
    assert str((x * x).root_function) == 'ElementTimes(x: Tensor[2]) -> Tensor[2]'


def test_names_inside_blocks():
    """An argument has the name of what stands for it outside, as in CNTK."""
    x, unnamed = C.input_variable(2, name='x'), C.input_variable(2)
    for inside, outside in (('', x), ('p', x), ('p', C.relu(x, name='f')), ('p', unnamed)):
        p = C.placeholder(name=inside)
        block = C.as_block(C.splice(p, p), [(p, outside)], 'B', 'b').root_function
        assert [v.name for v, _ in block.block_arguments_mapping] == [outside.name]
        shown = outside.name + ': ' if outside.name else ''
        assert str(block.block_root) == f'Splice({shown}Tensor[2]) -> Tensor[4]'
    assert str(C.dropout(x, 0.5).root_function) == 'Dropout(x: Tensor[2]) -> Tensor[2]'
    block = C.layers.Dropout(0.5)(x).root_function
    assert str(block.block_root) == 'Dropout(x: Tensor[2]) -> Tensor[2]'
