"""What copies of networks do with what they are given: hand it on, or make it a part of a block."""

import numpy as np

import cantik as C


def test_what_hands_on_is_what_it_is_given():
    """The copy of a network that hands on its argument is the function that was put in, as in CNTK 2.7."""
    identity = C.layers.blocks.identity
    x = C.input_variable(3)
    y = C.layers.Dense(2)(x)
    p, q = C.placeholder(), C.placeholder()
    for copy in (
        identity(y),
        identity(identity(y)),
        C.layers.Sequential([])(y),
        C.Function(lambda a: a)(y),
        C.combine([p]).clone('share', {p: y}),
    ):
        assert (copy.root_function.op_name, str(copy)) == ('Dense', 'Dense(Tensor[3]) -> Tensor[2]')
        assert copy.W is not None and copy.output == y.output
    assert identity(C.sigmoid(x, name='s')).name == 's'
    for copy in (
        identity(x),
        C.combine([p]).replace_placeholders({p: y}),
        C.combine([y]),
        C.combine([y]).clone('share', {x: C.input_variable(3)}),
        C.combine([p, q]).clone('share', {p: y, q: C.sigmoid(x)}),
        C.combine([p], name='mine').clone('share', {p: y}),
    ):
        assert copy.root_function.op_name == 'Combine'

    @C.BlockFunction('Whole', '')
    def whole(a):
        return identity(C.times(a, y.W) + y.b)

    assert whole(x).root_function.block_root.op_name == 'Plus'
    seen = C.logging.graph.depth_first_search(whole(x), lambda n: hasattr(n, 'op_name'), depth=-1)
    assert [f.op_name for f in seen] == ['Whole', 'Plus', 'Times']


def test_one_of_several_results_is_handed_on_alone():
    """CNTK 2.7 hands on all results of the function."""
    both = C.layers.Recurrence(C.layers.LSTM(2), return_full_state=True)(C.sequence.input_variable(3))
    cell = C.layers.blocks.identity(both.outputs[1])
    assert len(cell.outputs) == 1 and cell.root_function.op_name == 'Combine'


def test_parameters_and_constants_become_a_part_of_the_block_they_are_given_to():
    """As in CNTK 2.7: they are no arguments of it, and stand where the block reads them."""

    @C.BlockFunction('Gate', '')
    def gate(p, q):
        return p * C.sigmoid(q)

    @C.BlockFunction('Two', '')
    def two(a, w, k):
        return gate(a, w) + gate(k, a)

    x, w = C.input_variable(3, name='x'), C.parameter(3, name='w')
    k = C.constant([1.0, 2, 3], name='k')

    def told(f):
        mapping = f.root_function.block_arguments_mapping
        return [inside.name for inside, _ in mapping], [v.name for v in f.root_function.inputs]

    assert told(gate(x, k)) == (['x'], ['k', 'x'])
    assert told(gate(k, x)) == (['x'], ['k', 'x'])
    assert told(gate(w, w)) == ([], ['w'])
    assert told(gate(C.relu(x), w)) == ([''], ['w', ''])
    assert told(gate(w, x).clone('clone', {x: C.input_variable(3, name='y')})) == (['y'], ['w', 'y'])
    assert told(two(x, w, k)) == (['x'], ['w', 'k', 'x'])
    assert told(two(w, w, k)) == ([], ['w', 'k'])
    assert [p.name for p in C.layers.Dense(2)(w).parameters] == ['W', 'w', 'b']
    seen = C.logging.graph.depth_first_search(gate(x, k), lambda n: True, depth=-1)
    assert [getattr(n, 'op_name', n.name) for n in seen] == [
        'Gate',
        'x',
        'ElementTimes',
        'StableSigmoid',
        'k',
    ]


def test_blocks_over_parameters_compute_learn_and_are_kept(tmp_path):
    @C.BlockFunction('Gate', '')
    def gate(p, q):
        return p * C.sigmoid(q)

    x, w = C.input_variable(3, name='x'), C.parameter(3, init=2.0, name='w')
    y = gate(x, C.layers.Dropout(0.0)(w))
    data = np.array([[1, 2, 3]], np.float32)
    expected = data / (1 + np.exp(-2))
    np.testing.assert_allclose(y.eval({x: data}), expected, rtol=1e-6)
    np.testing.assert_allclose(y.grad({x: data}, wrt=[w]), data[0] * 0.104993585, rtol=1e-5)
    y.save(str(tmp_path / 'm'))
    loaded = C.load_model(str(tmp_path / 'm'))
    assert [p.name for p in loaded.parameters] == ['w'] and str(loaded) == str(y)
    np.testing.assert_allclose(loaded.eval({loaded.arguments[0]: data}), expected, rtol=1e-6)
