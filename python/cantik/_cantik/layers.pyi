# Written by tools/generate: signatures of the compiled module.
import cantik.ops.functions

"""Layers."""

def dense(
    shape: object,
    activation: object | None,
    init: object,
    input_rank: int | None,
    map_rank: int | None,
    bias: bool,
    init_bias: object | None,
    dtype: object,
    name: str,
) -> cantik.ops.functions.Function: ...
def embedding(
    shape: object | None, init: object, weights: object | None, vocabulary: int, dtype: object, name: str
) -> cantik.ops.functions.Function: ...
def convolution(
    kernel: object,
    filters: object | None,
    activation: object | None,
    init: object,
    pad: object,
    strides: object,
    bias: bool,
    init_bias: object | None,
    reduction_rank: int,
    dilation: object,
    groups: int,
    max_temp_mem_size_in_samples: int,
    op_name: str,
    dtype: object,
    name: str,
) -> cantik.ops.functions.Function: ...
def convolution_along_steps(
    kernel: object,
    filters: object | None,
    activation: object | None,
    init: object,
    pad: object,
    strides: object,
    bias: bool,
    init_bias: object | None,
    reduction_rank: int,
    dilation: object,
    groups: int,
    max_temp_mem_size_in_samples: int,
    op_name: str,
    dtype: object,
    name: str,
) -> cantik.ops.functions.Function: ...
def sequential_convolution(
    kernel: object,
    filters: object | None,
    activation: object | None,
    init: object,
    pad: object,
    strides: object,
    bias: bool,
    init_bias: object | None,
    reduction_rank: int,
    dilation: object,
    groups: int,
    max_temp_mem_size_in_samples: int,
    op_name: str,
    dtype: object,
    name: str,
) -> cantik.ops.functions.Function: ...
def convolution_transpose(
    kernel: object,
    filters: object,
    activation: object | None,
    init: object,
    pad: object,
    strides: object,
    bias: bool,
    init_bias: object | None,
    output_shape: object | None,
    reduction_rank: int,
    dilation: object,
    max_temp_mem_size_in_samples: int,
    dtype: object,
    name: str,
) -> cantik.ops.functions.Function: ...
def max_pooling(window: object, strides: object, pad: object, name: str) -> cantik.ops.functions.Function: ...
def average_pooling(
    window: object, strides: object, pad: object, name: str
) -> cantik.ops.functions.Function: ...
def max_unpooling(
    window: object, strides: object, pad: object, name: str
) -> cantik.ops.functions.Function: ...
def global_max_pooling(name: str) -> cantik.ops.functions.Function: ...
def global_average_pooling(name: str) -> cantik.ops.functions.Function: ...
def dropout(rate: object, seed: object | None, name: str) -> cantik.ops.functions.Function: ...
def activation(activation: object | None, name: str) -> cantik.ops.functions.Function: ...
def batch_normalization(
    map_rank: int | None,
    init_scale: object,
    normalization_time_constant: float,
    blend_time_constant: float,
    epsilon: float,
    use_cntk_engine: bool,
    disable_regularization: bool,
    dtype: object,
    name: str,
) -> cantik.ops.functions.Function: ...
def layer_normalization(
    initial_scale: object, initial_bias: object | None, epsilon: float, dtype: object, name: str
) -> cantik.ops.functions.Function: ...
def stabilizer(steepness: float, dtype: object, name: str) -> cantik.ops.functions.Function: ...
def label(name: str) -> cantik.ops.functions.Function: ...
def recurrence(
    step: object, go_backwards: bool, initial_state: object, return_full_state: bool, dtype: object, name: str
) -> cantik.ops.functions.Function: ...
def fold(
    step: object, go_backwards: bool, initial_state: object, return_full_state: bool, dtype: object, name: str
) -> cantik.ops.functions.Function: ...
def recurrence_from(
    step: object, go_backwards: bool, initial_state: object, return_full_state: bool, dtype: object, name: str
) -> cantik.ops.functions.Function: ...
def unfold_from(
    generator: object, until_predicate: object | None, length_increase: float, name: str
) -> cantik.ops.functions.Function: ...
def delay(T: int, initial_state: object, dtype: object, name: str) -> cantik.ops.functions.Function: ...
def optimized_rnnstack(
    operand: object,
    weights: object,
    hidden_size: int,
    num_layers: int,
    bidirectional: bool,
    recurrent_op: str,
    name: str,
) -> cantik.ops.functions.Function: ...
def past_value_window(
    window_size: int, axis: int, go_backwards: bool, name: str
) -> cantik.ops.functions.Function: ...
def attention_model(
    attention_dim: int,
    attention_span: int | None,
    attention_axis: int | None,
    init: object,
    go_backwards: bool,
    enable_self_stabilization: bool,
    dtype: object,
    name: str,
) -> cantik.ops.functions.Function: ...
def rnn_step(
    shape: int,
    cell_shape: int | None,
    activation: object | None,
    use_peepholes: bool,
    init: object,
    init_bias: object | None,
    enable_self_stabilization: bool,
    dtype: object,
    name: str,
) -> cantik.ops.functions.Function: ...
def lstm(
    shape: int,
    cell_shape: int | None,
    activation: object | None,
    use_peepholes: bool,
    init: object,
    init_bias: object | None,
    enable_self_stabilization: bool,
    dtype: object,
    name: str,
) -> cantik.ops.functions.Function: ...
def gru(
    shape: int,
    cell_shape: int | None,
    activation: object | None,
    use_peepholes: bool,
    init: object,
    init_bias: object | None,
    enable_self_stabilization: bool,
    dtype: object,
    name: str,
) -> cantik.ops.functions.Function: ...
def resnet_block(f: object, name: str) -> cantik.ops.functions.Function: ...
