"""What the compiled module gives and takes where nanobind's signature says no more than object, tuple or
list. tools/generate fails where an entry fits nothing."""

FUNCTION, VARIABLE = 'cantik.ops.functions.Function', 'cantik.variables.Variable'
PARAMETER, CONSTANT = 'cantik.variables.Parameter', 'cantik.variables.Constant'
ARRAY_VIEW, VALUE = 'cantik.core.NDArrayView', 'cantik.core.Value'
ANY = 'typing.Any'  # an array, a list of arrays, a dictionary of such: the arguments decide


def _tuple(of):
    return f'tuple[{of}, ...]'


# {'name' or 'Class.name': the type of its result}
RESULTS = {
    **dict.fromkeys(
        (
            'combine',
            'as_block',
            'as_composite',
            'trace',
            'trace_block',
            'call',
            'native_user_function',
            'nce_loss',
            'load_function',
            'layer',
        ),
        FUNCTION,
    ),
    **dict.fromkeys(
        (
            'Function.root_function',
            'Function.block_root',
            'Variable.owner',
            'Trainer.model',
            'Trainer.loss_function',
            'Evaluator.evaluation_function',
        ),
        FUNCTION,
    ),
    **dict.fromkeys(('input_variable', 'placeholder', 'output_variable', 'Function.output'), VARIABLE),
    **dict.fromkeys(
        (
            'Function.inputs',
            'Function.outputs',
            'Function.arguments',
            'Function.signature',
            'Function.placeholders',
        ),
        _tuple(VARIABLE),
    ),
    'Function.parameters': _tuple(PARAMETER),
    'Function.constants': _tuple(CONSTANT),
    'Function.attributes': 'dict[str, typing.Any]',
    'Learner.parameters': f'list[{PARAMETER}]',
    'learner': 'Learner',
    'Trainer.parameter_learners': _tuple('Learner'),
    'Function.eval': ANY,
    'Function.grad': ANY,
    'Function.forward': ANY,
    'Function.backward': ANY,
    'Session.step': ANY,
    'Session.__call__': ANY,
    'Trainer.train_minibatch': ANY,
    'ProgressPrinter.epoch_summary': ANY,
    'load_value': ANY,
    'value_for': VALUE,
    'operand': ANY,
    'as_sequence_or_array': ANY,
    'user_object': ANY,
    'dtype': ANY,
    **{name + '.dtype': ANY for name in ('NDArrayView', 'Value', 'Variable')},
    'Variable.shape': 'tuple[int, ...]',
    'Variable.dynamic_axes': 'tuple[cantik.axis.Axis, ...]',
    **{name + '.shape': 'tuple[int, ...]' for name in ('NDArrayView', 'Value')},
    **dict.fromkeys(
        (
            'NDArrayView.' + name
            for name in (
                'from_dense',
                'from_csr',
                'from_data',
                'from_dlpack',
                'random_uniform_float',
                'random_uniform_double',
                'slice_view',
                'as_shape',
                'alias',
                'deep_clone',
            )
        ),
        ARRAY_VIEW,
    ),
    **dict.fromkeys(('Variable.get_value', 'Value.data'), ARRAY_VIEW),
    **dict.fromkeys(('Value.create', 'Value.one_hot', 'Value.alias', 'Value.deep_clone'), VALUE),
    **dict.fromkeys(
        (
            'Variable.asarray',
            'NDArrayView.asarray',
            'NDArrayView.to_ndarray',
            'Value.asarray',
            'Value.mask',
            'Value.__array__',
            'NDArrayView.__array__',
        ),
        'numpy.ndarray',
    ),
    'Value.as_sequences': 'list[typing.Any]',
}
