"""Functions of this package for the layers of a network that an adapter read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .... import ops
from ....internal.sanitize import sanitize_shape
from ....ops.functions import BlockFunction
from ....variables import Parameter
from . import windows

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ...._types import FlagsLike, ShapeLike
    from ....contrib.crosstalkcaffe.unimodel.cntkmodel import CntkLayersDefinition, CntkModelDescription
    from ....contrib.crosstalkcaffe.utils.globalconf import GlobalConf
    from ....ops.functions import Function

__all__ = ['ApiSetup', 'BlockApiSetup', 'CntkApiInstance']


def _numbers(layer, at, shape):
    """The numbers of one of a layer's parameters in the shape that the layer needs."""
    if at >= len(layer.parameter_tensor):
        raise ValueError(
            f'layer {layer.op_name} has {len(layer.parameter_tensor)} arrays of numbers, '
            f'{layer.op_type.name} needs more'
        )
    found = np.asarray(layer.parameter_tensor[at].data, np.float32)
    if found.size != int(np.prod(shape)):
        raise ValueError(
            f'array {at} of layer {layer.op_name} has {found.size} numbers where the shape '
            f'{tuple(shape)} is needed'
        )
    return found.reshape(shape)


class BlockApiSetup:
    """Layers that are blocks of several operators, with given numbers. Pairs are [height, width]."""

    @staticmethod
    def convolution(
        output: int,
        kernel: int,
        stride: int,
        pad: FlagsLike,
        kernel_init: np.ndarray,
        bias_init: np.ndarray,
        group: int,
        dilation: ShapeLike,
        name: str,
    ) -> Callable[..., Function] | Function:
        """A convolution of [channels, height, width].

        Args:
            output (int): number of filters
            kernel (list): size of the filters
            stride (list): steps of the filters
            pad: True: with a stride of 1 the result is as large as the operand; False: no padding; a list: so
              many zeros on each side
            kernel_init (array): [output, channels / group, height, width]
            bias_init (array): a number for each filter; None: no bias
            group (int): into how many groups the channels are divided
            dilation (list): steps between the elements of a filter
            name (str): of the block

        Returns:
            a function of one argument

        Example:
            >>> import cantik as C, numpy as np
            >>> ones = np.ones((2, 1, 3, 3), np.float32)
            >>> layer = BlockApiSetup.convolution(2, [3, 3], [1, 1], [1, 1], ones, None, 1, [1, 1], 'conv')
            >>> layer(C.input_variable((1, 4, 5))).shape
            (2, 4, 5)
        """
        is_automatic = isinstance(pad, (bool, np.bool_))
        pads = (0, 0, 0) if is_automatic else (0, *pad)
        channels = np.shape(kernel_init)[1]
        W = Parameter((output, channels, *kernel), init=np.asarray(kernel_init, np.float32), name=name + '.W')
        options = dict(
            strides=(channels * group, *stride),
            auto_padding=[False] + [is_automatic and bool(pad)] * 2,
            dilation=(1, *dilation),
            groups=group,
            lower_pad=pads,
            upper_pad=pads,
        )
        if bias_init is None:
            return lambda x: ops.convolution(W, x, name=name, **options)
        b = Parameter(
            (output, 1, 1), init=np.reshape(bias_init, (-1, 1, 1)).astype(np.float32), name=name + '.b'
        )
        return BlockFunction('Convolution', name)(lambda x: ops.convolution(W, x, **options) + b)

    @staticmethod
    def linear(
        output_shape: ShapeLike,
        input_shape: ShapeLike,
        scale_init: np.ndarray | None,
        bias_init: np.ndarray | None,
        name: str,
    ) -> Function:
        """A product with a matrix, and a bias.

        Args:
            output_shape (int or tuple): of the result
            input_shape (int or tuple): of the operand
            scale_init (array): [*input_shape, *output_shape]; None: zeros
            bias_init (array): of output_shape; None: zeros
            name (str): of the block

        Returns:
            a function of one argument

        Example:
            >>> import cantik as C, numpy as np
            >>> layer = BlockApiSetup.linear(3, (2, 4), np.ones((2, 4, 3), np.float32), None, 'fc')
            >>> layer(C.input_variable((2, 4)))(np.ones((1, 2, 4), np.float32))
            array([[8., 8., 8.]], dtype=float32)
        """
        result = sanitize_shape(output_shape)
        sc, b = (
            Parameter(
                shape, init=0 if init is None else np.asarray(init, np.float32), name=f'{name}.{ending}'
            )
            for ending, shape, init in [
                ('sc', (*sanitize_shape(input_shape), *result), scale_init),
                ('b', result, bias_init),
            ]
        )
        return BlockFunction('linear', name)(lambda x: ops.times(x, sc, output_rank=len(result)) + b)

    @staticmethod
    def lrn(k: float, n: int, alpha: float, beta: float, name: str) -> Callable[..., Function]:
        """A normalization over the channels nearby: x / (k + alpha / (2 n - 1) sum x^2) ^ beta.

        Args:
            k (float): what is added to the sum
            n (int): channels on each side, the channel itself among them
            alpha (float): what the mean of the squares is multiplied by
            beta (float): the exponent
            name (str): of the block

        Returns:
            a function of one argument
        """

        def made(x):
            channels, rest = x.shape[0], [(0, 0)] * (len(x.shape) - 1)
            missing = max(2 * int(n) - 1 - channels, 0)  # the mean is over 2 n - 1 numbers, zeros among them

            def normalized(x):
                x = ops.pad(x, [(0, missing), *rest]) if missing else x
                x = ops.local_response_normalization(x, int(n) - 1, k, alpha, beta)
                return ops.slice(x, 0, 0, channels) if missing else x

            return BlockFunction('lrn', name)(normalized)(x)

        return made


class ApiSetup:
    """For each kind of layer how it is made: of the layer's definition and the functions that it reads."""

    @staticmethod
    def convolution(cntk_layer: CntkLayersDefinition, inputs: Any) -> Function:
        """A convolution. Its arrays: the filters, and the bias.

        Args:
            cntk_layer (CntkLayersDefinition): with CntkConvolutionParameters
            inputs (list): what it reads
        """
        p, channels = cntk_layer.parameters, inputs[0].shape[0]
        if p.group < 1 or channels % p.group or p.output % p.group:
            raise ValueError(
                f'layer {cntk_layer.op_name}: {channels} channels and {p.output} filters cannot be '
                f'divided into {p.group} groups'
            )
        W = _numbers(cntk_layer, 0, (p.output, channels // p.group, *p.kernel))
        b = _numbers(cntk_layer, 1, (p.output,)) if p.need_bias else None
        pad = p.auto_pad or list(p.pad)
        make = BlockApiSetup.convolution(
            p.output, p.kernel, p.stride, pad, W, b, p.group, p.dilation, cntk_layer.op_name
        )
        return make(inputs[0])

    @staticmethod
    def batch_norm(cntk_layer: CntkLayersDefinition, inputs: Any) -> Function:
        """A batch normalization. Its arrays: mean, variance, the number that divides both, scale and bias.

        Args:
            cntk_layer (CntkLayersDefinition): with CntkBatchNormParameters
            inputs (list): what it reads
        """
        p, name, shape = cntk_layer.parameters, cntk_layer.op_name, inputs[0].shape[:1]
        factor = float(_numbers(cntk_layer, 2, (1,))[0])
        factor = 1 / factor if factor else 0
        scaled = len(cntk_layer.parameter_tensor) > 3
        biased = len(cntk_layer.parameter_tensor) > 4
        numbers = {
            'scale': _numbers(cntk_layer, 3, shape) if scaled else np.ones(shape, np.float32),
            'bias': _numbers(cntk_layer, 4, shape) if biased else np.zeros(shape, np.float32),
            'mean': _numbers(cntk_layer, 0, shape) * np.float32(factor),
            'var': _numbers(cntk_layer, 1, shape) * np.float32(factor),
        }
        parts = [
            Parameter(shape, init=numbers[part], name=f'{name}.{part}')
            for part in ('scale', 'bias', 'mean', 'var')
        ]
        return ops.batch_normalization(
            inputs[0],
            *parts,
            running_count=ops.constant(0),
            spatial=True,
            normalization_time_constant=p.norm_time_const,
            blend_time_constant=p.blend_time_const,
            epsilon=p.epsilon,
            name=name,
        )

    @staticmethod
    def pooling(cntk_layer: CntkLayersDefinition, inputs: Any) -> Function:
        """A pooling, of which the last windows may be cut by the border. Zeros beside the operand count in
        averages, as in Caffe, but where `auto_pad` is set.

        Args:
            cntk_layer (CntkLayersDefinition): with CntkPoolingParameters
            inputs (list): what it reads
        """
        p, x, name = cntk_layer.parameters, inputs[0], cntk_layer.op_name
        options = dict(pooling_window_shape=tuple(p.kernel), strides=tuple(p.stride), name=name)
        if p.auto_pad:
            return ops.pooling(x, p.pooling_type, auto_padding=[True], **options)
        behind = [windows.pooled(*axis)[1] for axis in zip(x.shape[1:], p.kernel, p.stride, p.pad)]
        for axis, count in enumerate(behind, 1):
            if count < 0:
                x = ops.slice(x, axis, 0, count)
        upper = [max(count, 0) for count in behind]
        if p.pooling_type and any(p.pad):
            x = ops.pad(x, [(0, 0), *zip(p.pad, upper)])
        elif any(p.pad):
            options.update(lower_pad=(0, *p.pad), upper_pad=(0, *upper))
        return ops.pooling(x, p.pooling_type, ceil_out_dim=True, **options)

    @staticmethod
    def relu(cntk_layer: CntkLayersDefinition, inputs: Any) -> Function:
        """A ReLU.

        Args:
            cntk_layer (CntkLayersDefinition): with a negative_slope or without
            inputs (list): what it reads
        """
        slope = getattr(cntk_layer.parameters, 'negative_slope', 0)
        if slope:
            return ops.leaky_relu(inputs[0], slope, name=cntk_layer.op_name)
        return ops.relu(inputs[0], name=cntk_layer.op_name)

    @staticmethod
    def dense(cntk_layer: CntkLayersDefinition, inputs: Any) -> Function:
        """A product with a matrix, and a bias: the second array, which may be one number, or zeros.

        Args:
            cntk_layer (CntkLayersDefinition): with CntkDenseParameters
            inputs (list): what it reads
        """
        p, shape = cntk_layer.parameters, tuple(inputs[0].shape)
        size = int(np.prod(shape))
        if p.transpose:
            W = _numbers(cntk_layer, 0, (p.num_output, size)).T
        else:
            W = _numbers(cntk_layer, 0, (size, p.num_output))
        b = None
        if len(cntk_layer.parameter_tensor) > 1:
            one = np.size(cntk_layer.parameter_tensor[1].data) == 1
            b = np.broadcast_to(_numbers(cntk_layer, 1, (1,) if one else (p.num_output,)), (p.num_output,))
        make = BlockApiSetup.linear(
            (p.num_output,), shape, W.reshape(*shape, p.num_output), b, cntk_layer.op_name
        )
        return make(inputs[0])

    @staticmethod
    def plus(cntk_layer: CntkLayersDefinition, inputs: Any) -> Function:
        """A sum.

        Args:
            cntk_layer (CntkLayersDefinition): its name
            inputs (list): what is added
        """
        return ops.plus(*inputs, name=cntk_layer.op_name)

    @staticmethod
    def dropout(cntk_layer: CntkLayersDefinition, inputs: Any) -> Function:
        """A dropout.

        Args:
            cntk_layer (CntkLayersDefinition): with CntkDropoutParameters
            inputs (list): what it reads
        """
        return ops.dropout(inputs[0], getattr(cntk_layer.parameters, 'rate', 0.5), name=cntk_layer.op_name)

    @staticmethod
    def lrn(cntk_layer: CntkLayersDefinition, inputs: Any) -> Function:
        """A normalization over the channels nearby.

        Args:
            cntk_layer (CntkLayersDefinition): with CntkLRNParameters
            inputs (list): what it reads
        """
        p = cntk_layer.parameters
        return BlockApiSetup.lrn(p.k, p.kernel_size, p.alpha, p.beta, cntk_layer.op_name)(inputs[0])

    @staticmethod
    def splice(cntk_layer: CntkLayersDefinition, inputs: Any) -> Function:
        """A concatenation.

        Args:
            cntk_layer (CntkLayersDefinition): with CntkSpliceParameters
            inputs (list): what is joined
        """
        return ops.splice(*inputs, axis=cntk_layer.parameters.axis - 1, name=cntk_layer.op_name)

    @staticmethod
    def softmax(cntk_layer: CntkLayersDefinition, inputs: Any) -> Function:
        """A softmax over the first axis.

        Args:
            cntk_layer (CntkLayersDefinition): its name
            inputs (list): what it reads
        """
        return ops.softmax(inputs[0], axis=0, name=cntk_layer.op_name)


class CntkApiInstance:
    """The functions of a whole network.

    Args:
        cntk_uni_model (CntkModelDescription): the network
        global_conf (GlobalConf): where it is written, and shapes of inputs other than those of the file
    """

    def __init__(self, cntk_uni_model: CntkModelDescription, global_conf: GlobalConf):
        self._functions, self._model = {}, None
        self._configuration = global_conf.model_solver
        self.instance_input(cntk_uni_model.data_provider)
        self.instance_functions(cntk_uni_model.cntk_sorted_layers, cntk_uni_model.cntk_layers)

    def instance_input(self, data_providers: Sequence[Any]) -> None:
        """Makes the inputs.

        Args:
            data_providers (list): of CntkLayersDefinition
        """
        shapes = self._configuration.cntk_tensor or {}
        for layer in data_providers:
            shape = tuple(shapes.get(layer.op_name, layer.tensor))
            self._functions[layer.op_name] = ops.input_variable(shape, name=layer.op_name)

    def instance_functions(self, cntk_sorted_layers: Sequence[Any], cntk_layers: Mapping[Any, Any]) -> None:
        """Makes the layers' functions.

        Args:
            cntk_sorted_layers (list): names of layers, each after those that it reads
            cntk_layers (dict): the layers by their names
        """
        read = set()
        for name in cntk_sorted_layers:
            layer = cntk_layers[name]
            make = getattr(ApiSetup, layer.op_type.name, None)
            if make is None:
                raise NotImplementedError(
                    f'layer {name} is {layer.op_type.name}, for which there is no operator'
                )
            self._functions[name] = make(layer, [self._functions[i] for i in layer.inputs])
            read.update(layer.inputs)
        ends = [self._functions[name] for name in cntk_sorted_layers if name not in read]
        if not ends:
            raise ValueError('the network has no layers')
        self._model = ops.combine(ends, name='outputs')

    def export_model(self) -> None:
        """Writes the network to the configuration's cntk_model_path."""
        if not self._configuration.cntk_model_path:
            raise ValueError('the configuration has no CntkModelPath, so that the network cannot be written')
        self._model.save(self._configuration.cntk_model_path)

    def get_model(self) -> Function | None:
        """The network, whose outputs are the layers that no other layer reads."""
        return self._model

    def get_functions(self) -> dict[Any, Any]:
        """The inputs and the layers' functions, by their names.

        Returns:
            dict
        """
        return self._functions
