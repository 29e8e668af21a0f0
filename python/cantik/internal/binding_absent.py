"""Functions of CNTK's binding that are not here: each raises, and names the public one that does the same."""

from __future__ import annotations

from typing import Any

__all__ = ['INSTEAD', 'absent']

INSTEAD: dict[str, str | None] = {
    # They take axes or shapes in the order of CNTK's core, or operands in another order.
    **{
        name: name
        for name in (
            'argmax',
            'argmin',
            'batch_normalization',
            'convolution',
            'convolution_transpose',
            'expand_dims',
            'flatten',
            'pad',
            'pooling',
            'reduce_l1',
            'reduce_l2',
            'reduce_max',
            'reduce_mean',
            'reduce_min',
            'reduce_prod',
            'reduce_sum',
            'reduce_sum_square',
            'reshape',
            'roipooling',
            'slice',
            'splice',
            'squeeze',
            'times',
            'times_transpose',
            'to_sequence',
            'top_k',
            'transpose',
            'unpooling',
        )
    },
    'gather_op': 'gather',
    'one_hot_op': 'one_hot',
    'reduce_elements': 'reduce_sum',
    'reduce_log_sum': 'reduce_log_sum_exp',
    'transpose_axes': 'swapaxes',
    'unsqueeze': 'expand_dims',
    # A call is one of several in C++, by the classes of its arguments.
    'crop': 'crop_manual',
    'future_value': 'sequence.future_value',
    'input_variable': 'input_variable',
    'output_variable': 'output_variable',
    'past_value': 'sequence.past_value',
    'placeholder_variable': 'placeholder',
    # Files and sources.
    'base64_image_deserializer': 'io.Base64ImageDeserializer',
    'cbf_deserializer': 'io.CBFDeserializer',
    'compute_input_per_dim_means_and_inv_std_devs': None,
    'create_composite_minibatch_source': 'io.MinibatchSource',
    'create_deserializer': 'io.UserDeserializer',
    'htk_feature_deserializer': 'io.HTKFeatureDeserializer',
    'htk_mlf_binary_deserializer': 'io.HTKMLFBinaryDeserializer',
    'htk_mlf_deserializer': 'io.HTKMLFDeserializer',
    'image_deserializer': 'io.ImageDeserializer',
    'lattice_deserializer': 'io.LatticeDeserializer',
    'text_format_minibatch_source': 'io.MinibatchSource',
    # Trainings.
    'create_block_momentum_distributed_learner': 'block_momentum_distributed_learner',
    'create_data_parallel_distributed_learner': 'data_parallel_distributed_learner',
    'create_quantized_data_parallel_distributed_learner': 'data_parallel_distributed_learner',
    'create_trainer': 'Trainer',
    'create_training_session': 'training_session',
    'momentum_from_time_constant': 'momentum_as_time_constant_schedule',
    'quantized_mpicommunicator': 'mpi_communicator',
    'trainer_impl': 'Trainer',
    # Classes by element type.
    'ConstantDouble': 'Constant',
    'ConstantFloat': 'Constant',
    'NDArrayViewDouble': 'NDArrayView',
    'NDArrayViewFloat': 'NDArrayView',
    'ParameterDouble': 'Parameter',
    'ParameterFloat': 'Parameter',
    # What CNTK uses for itself.
    **dict.fromkeys(
        (
            'DictionaryValueFromTrainingDoubleParameterSchedule',
            'are_equivalent',
            'constant_like',
            'convolution_sequence_shape',
            'custom_proxy_op',
            'gather_packed',
            'gemm',
            'generate_uid',
            'is_within',
            'mat_mul',
            'packed_index',
            'print_gpu_info',
            'scatter_packed',
            'spatial_convolution',
            'spatial_convolution_sequence_shape',
            'zeroes_with_dynamic_axes_like',
        )
    ),
}


def absent(name: str) -> Any:
    """A function that raises: the binding's one of this name is not here."""

    def raises(*args: Any, **kwargs: Any) -> Any:
        remedy = INSTEAD[name]
        raise NotImplementedError(
            f'cntk_py.{name} is not supported, see docs/status.md'
            + ('' if remedy is None else f'\n  remedy   use cantik.{remedy}')
        )

    raises.__name__ = raises.__qualname__ = name
    return raises
