"""Caffe's networks as lists of layers."""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from ...unimodel import cntkmodel, windows
from .. import baseadapter
from . import caffeimpl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .....contrib.crosstalkcaffe.adapter.bvlccaffe.prototxt import Message
    from .....contrib.crosstalkcaffe.unimodel.cntkmodel import CntkLayersDefinition, CntkModelDescription
    from .....contrib.crosstalkcaffe.utils.globalconf import GlobalConf

__all__ = ['CaffeAdapter', 'SetupCaffeParameters']

_OF_TRAINING = (
    cntkmodel.CntkLayerType.classification_error,
    cntkmodel.CntkLayerType.cross_entropy_with_softmax,
)
_MOST = 2**31 - 1  # of Caffe's whole numbers
_PHASES = {'TRAIN': 0, 'TEST': 1}


def _checked(name, value, least=None):
    wanted = 'a number' if least is None else f'a whole number of at least {least}'
    kinds = (int, float) if least is None else int
    fits = isinstance(value, kinds) and not isinstance(value, bool)
    if not fits or (least is not None and not least <= value <= _MOST):
        raise ValueError(f'{name} has to be {wanted}, not {value!r}')
    return value


def _number(parameters, name, default, least=None):
    return _checked(name, parameters.one(name, default), least)


def _pair(parameters, name, stem, default, least):
    """Two numbers, for the height and the width: one field for both, a field that is there twice, or two
    fields."""
    both = parameters.all(name) or [default]
    if len(both) > 2:
        raise ValueError(f'{name} has {len(both)} numbers, but windows have two axes')
    sides = parameters.one(stem + '_h', both[0]), parameters.one(stem + '_w', both[-1])
    return [_checked(name, side, least) for side in sides]


def _pixels(inputs_info):
    """Channels, height and width of what a layer reads."""
    shape = list(inputs_info[0].tensor)
    if len(shape) != 3:
        raise ValueError(f'[channels, height, width] has to be there, not {shape}')
    return shape


class SetupCaffeParameters:
    """For each kind of layer how a message of Caffe becomes options: they and the result's shape are put into
    the definition. `inputs_info` are the definitions of what the layer reads; of each `tensor` is looked
    at."""

    @staticmethod
    def default(
        caffe_parameters: Message,
        inputs_info: Sequence[Any],
        cntk_layer_def: CntkLayersDefinition,
        tensor_check: bool = True,
    ) -> None:
        """A layer without options, whose result has the shape of its operands.

        Args:
            caffe_parameters (Message): not looked at
            inputs_info (list): what it reads
            cntk_layer_def (CntkLayersDefinition): is filled in
            tensor_check (bool): whether the operands have to have one shape
        """
        shapes = [list(info.tensor) for info in inputs_info]
        if tensor_check and any(shape != shapes[0] for shape in shapes):
            raise ValueError(f'operands of one shape have to be there, not of {shapes}')
        if cntk_layer_def.parameters is None:
            cntk_layer_def.parameters = cntkmodel.CntkParameters()
        cntk_layer_def.tensor = shapes[0]

    @staticmethod
    def convolution(
        caffe_parameters: Message, inputs_info: Sequence[Any], cntk_layer_def: CntkLayersDefinition
    ) -> None:
        """A convolution, of convolution_param.

        Args:
            caffe_parameters (Message): num_output, kernel_size, pad, stride, dilation, group, bias_term
            inputs_info (list): what it reads
            cntk_layer_def (CntkLayersDefinition): is filled in
        """
        p = cntk_layer_def.parameters = cntkmodel.CntkConvolutionParameters()
        p.output = _number(caffe_parameters, 'num_output', None, 1)
        p.kernel = _pair(caffe_parameters, 'kernel_size', 'kernel', None, 1)
        p.stride = _pair(caffe_parameters, 'stride', 'stride', 1, 1)
        p.pad = _pair(caffe_parameters, 'pad', 'pad', 0, 0)
        p.dilation = _pair(caffe_parameters, 'dilation', 'dilation', 1, 1)
        p.group = _number(caffe_parameters, 'group', 1, 1)
        p.need_bias = bool(caffe_parameters.one('bias_term', True))
        p.auto_pad = (
            any(p.pad)
            and p.stride == [1, 1]
            and all(d * (k - 1) == 2 * pad for k, d, pad in zip(p.kernel, p.dilation, p.pad))
        )
        pixels = zip(_pixels(inputs_info)[1:], p.kernel, p.stride, p.pad, p.dilation)
        cntk_layer_def.tensor = [p.output] + [windows.convolved(*axis) for axis in pixels]

    @staticmethod
    def pooling(
        caffe_parameters: Message, inputs_info: Sequence[Any], cntk_layer_def: CntkLayersDefinition
    ) -> None:
        """A pooling, of pooling_param.

        Args:
            caffe_parameters (Message): pool, kernel_size, pad, stride, global_pooling
            inputs_info (list): what it reads
            cntk_layer_def (CntkLayersDefinition): is filled in
        """
        p, (channels, *pixels) = cntkmodel.CntkPoolingParameters(), _pixels(inputs_info)
        kind = caffe_parameters.word('pool', 'MAX')
        if kind not in ('MAX', 'AVE'):
            raise NotImplementedError(f'the pooling method {kind} is not supported; use MAX or AVE')
        p.pooling_type = ('MAX', 'AVE').index(kind)
        is_global = caffe_parameters.one('global_pooling', False)
        p.kernel = pixels if is_global else _pair(caffe_parameters, 'kernel_size', 'kernel', None, 1)
        p.stride = _pair(caffe_parameters, 'stride', 'stride', 1, 1)
        p.pad = _pair(caffe_parameters, 'pad', 'pad', 0, 0)
        cntk_layer_def.parameters = p
        cntk_layer_def.tensor = [channels] + [
            windows.pooled(*axis)[0] for axis in zip(pixels, p.kernel, p.stride, p.pad)
        ]

    @staticmethod
    def batch_norm(
        caffe_parameters: Message, inputs_info: Sequence[Any], cntk_layer_def: CntkLayersDefinition
    ) -> None:
        """A batch normalization, of batch_norm_param.

        Args:
            caffe_parameters (Message): eps
            inputs_info (list): what it reads
            cntk_layer_def (CntkLayersDefinition): is filled in
        """
        p = cntk_layer_def.parameters = cntkmodel.CntkBatchNormParameters()
        p.epsilon = _number(caffe_parameters, 'eps', 1e-5)
        SetupCaffeParameters.default(caffe_parameters, inputs_info, cntk_layer_def)

    @staticmethod
    def dense(
        caffe_parameters: Message, inputs_info: Sequence[Any], cntk_layer_def: CntkLayersDefinition
    ) -> None:
        """A product with a matrix, of inner_product_param.

        Args:
            caffe_parameters (Message): num_output, transpose
            inputs_info (list): what it reads
            cntk_layer_def (CntkLayersDefinition): is filled in
        """
        p = cntk_layer_def.parameters = cntkmodel.CntkDenseParameters()
        if caffe_parameters.one('axis', 1) != 1:
            raise NotImplementedError('an inner product along another axis than 1 is not supported')
        p.num_output = _number(caffe_parameters, 'num_output', None, 1)
        p.transpose = not caffe_parameters.one('transpose', False)
        cntk_layer_def.tensor = [p.num_output]

    @staticmethod
    def splice(
        caffe_parameters: Message, inputs_info: Sequence[Any], cntk_layer_def: CntkLayersDefinition
    ) -> None:
        """A concatenation, of concat_param.

        Args:
            caffe_parameters (Message): axis, which counts the batch
            inputs_info (list): what it reads
            cntk_layer_def (CntkLayersDefinition): is filled in
        """
        p, shapes = cntkmodel.CntkSpliceParameters(), [list(info.tensor) for info in inputs_info]
        p.axis = _number(caffe_parameters, 'axis', caffe_parameters.one('concat_dim', 1), -4)
        rank = len(shapes[0])
        p.axis += rank + 1 if p.axis < 0 else 0
        others = {tuple(shape[: p.axis - 1] + shape[p.axis :]) for shape in shapes}
        if not 1 <= p.axis <= rank or len(others) > 1:
            raise ValueError(f'operands of the shapes {shapes} cannot be joined along axis {p.axis}')
        cntk_layer_def.parameters, cntk_layer_def.tensor = p, list(shapes[0])
        cntk_layer_def.tensor[p.axis - 1] = sum(shape[p.axis - 1] for shape in shapes)

    @staticmethod
    def relu(
        caffe_parameters: Message, inputs_info: Sequence[Any], cntk_layer_def: CntkLayersDefinition
    ) -> None:
        """A ReLU, of relu_param.

        Args:
            caffe_parameters (Message): negative_slope
            inputs_info (list): what it reads
            cntk_layer_def (CntkLayersDefinition): is filled in
        """
        p = cntk_layer_def.parameters = cntkmodel.CntkReLUParameters()
        p.negative_slope = _number(caffe_parameters, 'negative_slope', 0)
        SetupCaffeParameters.default(caffe_parameters, inputs_info, cntk_layer_def)

    @staticmethod
    def plus(
        caffe_parameters: Message, inputs_info: Sequence[Any], cntk_layer_def: CntkLayersDefinition
    ) -> None:
        """A sum, of eltwise_param.

        Args:
            caffe_parameters (Message): coeff, of which each has to be 1
            inputs_info (list): what is added
            cntk_layer_def (CntkLayersDefinition): is filled in
        """
        if len(inputs_info) < 2:
            raise ValueError(f'a sum needs at least two operands, and has {len(inputs_info)}')
        if any(c != 1 for c in caffe_parameters.all('coeff')):
            raise NotImplementedError('a sum with other coefficients than 1 is not supported')
        SetupCaffeParameters.default(caffe_parameters, inputs_info, cntk_layer_def)

    @staticmethod
    def dropout(
        caffe_parameters: Message, inputs_info: Sequence[Any], cntk_layer_def: CntkLayersDefinition
    ) -> None:
        """A dropout, of dropout_param.

        Args:
            caffe_parameters (Message): dropout_ratio
            inputs_info (list): what it reads
            cntk_layer_def (CntkLayersDefinition): is filled in
        """
        p = cntk_layer_def.parameters = cntkmodel.CntkDropoutParameters()
        p.rate = _number(caffe_parameters, 'dropout_ratio', 0.5)
        SetupCaffeParameters.default(caffe_parameters, inputs_info, cntk_layer_def)

    @staticmethod
    def lrn(
        caffe_parameters: Message, inputs_info: Sequence[Any], cntk_layer_def: CntkLayersDefinition
    ) -> None:
        """A normalization over the channels nearby, of lrn_param.

        Args:
            caffe_parameters (Message): local_size, alpha, beta, k
            inputs_info (list): what it reads
            cntk_layer_def (CntkLayersDefinition): is filled in
        """
        if caffe_parameters.one('norm_region', 'ACROSS_CHANNELS') != 'ACROSS_CHANNELS':
            raise NotImplementedError('a normalization within channels is not supported')
        p, size = cntkmodel.CntkLRNParameters(), _number(caffe_parameters, 'local_size', 5, 1)
        if not size % 2:
            raise ValueError(f'local_size has to be odd, not {size}')
        p.kernel_size, p.alpha = (size + 1) // 2, _number(caffe_parameters, 'alpha', 1)
        p.beta, p.k = _number(caffe_parameters, 'beta', 0.75), _number(caffe_parameters, 'k', 1)
        cntk_layer_def.parameters = p
        SetupCaffeParameters.default(caffe_parameters, inputs_info, cntk_layer_def)

    @staticmethod
    def psroi_pooling(
        caffe_parameters: Message, inputs_info: Sequence[Any], cntk_layer_def: CntkLayersDefinition
    ) -> None:
        """A pooling of regions by their position, of psroi_pooling_param. No operator runs it.

        Args:
            caffe_parameters (Message): group_size, output_dim
            inputs_info (list): not looked at
            cntk_layer_def (CntkLayersDefinition): is filled in
        """
        p = cntk_layer_def.parameters = cntkmodel.CntkPSROIPoolingParameters()
        p.group_size = _number(caffe_parameters, 'group_size', None, 1)
        p.out_channel = _number(caffe_parameters, 'output_dim', None, 1)
        cntk_layer_def.tensor = [p.out_channel, p.group_size, p.group_size]

    @staticmethod
    def softmax(
        caffe_parameters: Message, inputs_info: Sequence[Any], cntk_layer_def: CntkLayersDefinition
    ) -> None:
        """A softmax over the channels, of softmax_param.

        Args:
            caffe_parameters (Message): axis
            inputs_info (list): what it reads
            cntk_layer_def (CntkLayersDefinition): is filled in
        """
        if caffe_parameters.one('axis', 1) != 1:
            raise NotImplementedError('a softmax along another axis than 1 is not supported')
        SetupCaffeParameters.default(caffe_parameters, inputs_info, cntk_layer_def)


class CaffeAdapter(baseadapter.Adapter):
    """Reads a network of Caffe: its prototxt and its caffemodel."""

    def load_model(self, global_conf: GlobalConf) -> CntkModelDescription:
        """Reads a network.

        Args:
            global_conf (GlobalConf): whose source_solver names the files

        Returns:
            CntkModelDescription
        """
        source = global_conf.source_solver
        if not source.model_path:
            raise ValueError('the configuration has no ModelPath')
        network = caffeimpl.CaffeResolver.network(source.model_path)
        arrays = caffeimpl.CaffeResolver.weights(source.weights_path) if source.weights_path else {}
        model = cntkmodel.CntkModelDescription()
        model.model_name = network.word('name', os.path.splitext(os.path.basename(source.model_path))[0])
        layers = [layer for layer in network.parts('layer') if _is_wanted(layer, source.phase)]
        _Network(model, arrays, source.tensor or {}).read(network, layers)
        return model


def _is_wanted(layer, phase):
    """Whether a layer is there in a phase; in that of use, where none is said."""
    phase = _PHASES['TEST'] if phase is None else phase
    rules = layer.parts('include')
    return (not rules or any(_meets(rule, phase) for rule in rules)) and not any(
        _meets(rule, phase) for rule in layer.parts('exclude')
    )


def _meets(rule, phase):
    return (
        _PHASES.get(rule.word('phase'), phase) == phase
        and not rule.all('stage')
        and _number(rule, 'min_level', 0) <= 0 <= _number(rule, 'max_level', 0)
    )


class _Network:
    """A network while it is read: which layer makes a blob now, and which layers are read how often."""

    def __init__(self, model, arrays, shapes):
        self.model, self.arrays, self.shapes = model, arrays, shapes
        self.makers, self.definitions, self.unknown = {}, {}, set()

    def read(self, network, layers):
        self.inputs_of_file(network)
        readers = _readers(layers)
        for at, layer in enumerate(layers):
            name, kind = layer.word('name'), layer.word('type')
            if kind in caffeimpl.DATA_KINDS:
                self.inputs_of_layer(layer)
                continue
            try:
                self.layer(layer, name, kind, readers[at])
            except (ValueError, NotImplementedError) as error:
                raise type(error)(f'layer {name!r} of the kind {kind}: {error}') from None

    def inputs_of_file(self, network):
        """Inputs that are no layers: their names, and for each a shape or four numbers."""
        shapes = [shape.all('dim') for shape in network.parts('input_shape')]
        numbers = network.all('input_dim')
        shapes += [numbers[i : i + 4] for i in range(0, len(numbers), 4)]
        for at, name in enumerate(network.words('input')):
            self.input(name, shapes[at] if at < len(shapes) else None)

    def inputs_of_layer(self, layer):
        options = layer.part('input_param').parts('shape') or layer.part('dummy_data_param').parts('shape')
        shapes = [shape.all('dim') for shape in options]
        for at, top in enumerate(layer.words('top')):
            self.input(top, shapes[min(at, len(shapes) - 1)] if shapes else None)

    def input(self, name, dims):
        """An input: of a file's shape the first number is the batch, a configuration's shape is without
        it."""
        shape = self.shapes[name] if name in self.shapes else dims and dims[1:]
        self.makers[name] = name
        if shape is None:  # an error where it is read: nothing may read the labels
            self.unknown.add(name)
            return
        definition = cntkmodel.CntkLayersDefinition()
        definition.op_name, definition.tensor = (
            name,
            [_checked('a dimension of ' + name, n, 1) for n in shape],
        )
        self.definitions[name] = definition
        self.model.data_provider.append(definition)

    def layer(self, layer, name, kind, readers):
        bottoms, tops = layer.words('bottom'), layer.words('top')
        if kind == 'Eltwise':
            kind += '_' + layer.part('eltwise_param').word('operation', 'SUM')
        if kind == 'Scale':
            return self.scale(layer, name, bottoms, tops, readers)
        if kind not in caffeimpl.CAFFE_LAYER_WRAPPER:
            raise NotImplementedError(
                '{} is unknown; these are known: {}, Scale'.format(
                    kind, ', '.join(sorted(caffeimpl.CAFFE_LAYER_WRAPPER))
                )
            )
        op_type = caffeimpl.CAFFE_LAYER_WRAPPER[kind]
        if op_type in _OF_TRAINING:
            warnings.warn(f'layer {name} of the kind {kind} is for training and left out', stacklevel=6)
            return None
        options = layer.part(caffeimpl.MESSAGES.get(op_type, ''))
        definition = self.add(name, op_type, bottoms, tops)
        setup = getattr(SetupCaffeParameters, op_type.name)
        setup(options, [self.definitions[i] for i in definition.inputs], definition)
        definition.parameter_tensor = [_tensor(array) for array in self.arrays.get(name, [])]
        return None

    def scale(self, layer, name, bottoms, tops, readers):
        """A scale and a bias for each channel: of the batch normalization before it, or one that changes
        nothing else."""
        options, arrays = layer.part('scale_param'), self.arrays.get(name, [])
        if len(bottoms) != 1 or options.one('axis', 1) != 1 or options.one('num_axes', 1) != 1:
            raise NotImplementedError('a Scale must have one factor for each channel')
        if not arrays:
            raise ValueError('the file of weights has no numbers for the layer')
        before = self.definitions.get(self.maker(bottoms[0]))
        if (
            before.op_type is cntkmodel.CntkLayerType.batch_norm
            and readers == 1
            and len(before.parameter_tensor) == 3
        ):
            before.parameter_tensor += [_tensor(array) for array in arrays]
            self.makers.update((top, before.op_name) for top in tops)
            return
        definition = self.add(name, cntkmodel.CntkLayerType.batch_norm, bottoms, tops)
        definition.parameters = cntkmodel.CntkBatchNormParameters()
        definition.parameters.epsilon = 0
        definition.tensor = list(before.tensor)
        ones = np.ones(arrays[0].size, np.float32)
        definition.parameter_tensor = [_tensor(array) for array in (0 * ones, ones, ones[:1], *arrays)]

    def add(self, name, op_type, bottoms, tops):
        if name in self.definitions:
            raise ValueError('two layers or inputs have this name')
        if not bottoms or len(tops) != 1:
            raise ValueError(
                f'it has {len(bottoms)} bottoms and {len(tops)} tops; some bottoms and one top are possible'
            )
        definition = cntkmodel.CntkLayersDefinition()
        definition.op_name, definition.op_type = name, op_type
        definition.inputs, definition.outputs = [self.maker(blob) for blob in bottoms], [name]
        self.makers[tops[0]] = name
        self.definitions[name] = self.model.cntk_layers[name] = definition
        self.model.cntk_sorted_layers.append(name)
        return definition

    def maker(self, blob):
        if blob in self.unknown and self.makers[blob] == blob:
            raise ValueError(
                f'the file does not tell the shape of its input {blob}: put it into the configuration, '
                f'"SourceSolver": {{"Tensor": {{"{blob}": [3, 224, 224]}}}}'
            )
        if blob not in self.makers:
            raise ValueError(f'no layer before it makes {blob}')
        return self.makers[blob]


def _readers(layers):
    """For each layer, by how many layers what its first bottom holds at that time is read."""
    version, reads = {}, []
    for layer in layers:
        reads.append([(blob, version.get(blob, 0)) for blob in layer.words('bottom')])
        for top in layer.words('top'):
            version[top] = version.get(top, 0) + 1
    every = [read for of_layer in reads for read in of_layer]
    return [every.count(of_layer[0]) if of_layer else 0 for of_layer in reads]


def _tensor(array):
    tensor = cntkmodel.CntkTensorDefinition()
    tensor.tensor, tensor.data = list(array.shape), array
    return tensor
