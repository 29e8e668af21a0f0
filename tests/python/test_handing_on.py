"""Copies of networks that hand on what they are given."""

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
