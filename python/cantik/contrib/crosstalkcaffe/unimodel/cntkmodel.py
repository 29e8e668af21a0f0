"""A network as a list of layers with their parameters: what adapters make of foreign files."""

from enum import Enum

__all__ = [
    'CntkBatchNormParameters',
    'CntkConvolutionParameters',
    'CntkDenseParameters',
    'CntkLRNParameters',
    'CntkDropoutParameters',
    'CntkLayerType',
    'CntkLayersDefinition',
    'CntkModelDescription',
    'CntkPSROIPoolingParameters',
    'CntkParameters',
    'CntkPoolingParameters',
    'CntkReLUParameters',
    'CntkSolver',
    'CntkSpliceParameters',
    'CntkTensorDefinition',
]


class CntkLayerType(Enum):
    """The kinds of layers."""

    relu = 1
    convolution = 2
    pooling = 3
    batch_norm = 4
    plus = 5
    dense = 6
    splice = 7
    classification_error = 10
    cross_entropy_with_softmax = 11
    dropout = 12
    lrn = 13
    psroi_pooling = 14
    softmax = 15
    unknown = 100


class CntkParameters:
    """The options of a layer: of one kind they are named in a class derived from this."""

    _FIELDS = {}

    def __init__(self):
        for name, value in self._FIELDS.items():
            setattr(self, name, list(value) if isinstance(value, list) else value)


class CntkConvolutionParameters(CntkParameters):
    """Of a convolution. Lists are [height, width]; `pad` counts pixels on each side, `auto_pad` makes the
    result as large as the input where the stride is 1."""

    _FIELDS = {
        'output': 0,
        'stride': [0, 0],
        'kernel': [0, 0],
        'auto_pad': False,
        'pad': [0, 0],
        'scale_setting': [1, 1],
        'bias_setting': [1, 1],
        'need_bias': True,
        'dilation': [1, 1],
        'group': 1,
    }


class CntkPoolingParameters(CntkParameters):
    """Of a pooling: `pooling_type` 0 takes the largest number, 1 the average."""

    _FIELDS = {'stride': [0, 0], 'kernel': [0, 0], 'auto_pad': False, 'pad': [0, 0], 'pooling_type': 0}


class CntkBatchNormParameters(CntkParameters):
    """Of a batch normalization."""

    _FIELDS = {
        'spatial': 2,
        'norm_time_const': 0,
        'blend_time_const': 0,
        'epsilon': 1e-05,
        'scale_setting': [1, 1],
        'bias_setting': [1, 1],
    }


class CntkDenseParameters(CntkParameters):
    """Of a product with a matrix. The matrix is [inputs, outputs]; with `transpose` [outputs, inputs], as
    Caffe's."""

    _FIELDS = {'num_output': 0, 'scale_setting': [1, 1], 'bias_setting': [1, 1], 'transpose': False}


class CntkReLUParameters(CntkParameters):
    """Of a ReLU: the slope of numbers below zero."""

    _FIELDS = {'negative_slope': 0}


class CntkDropoutParameters(CntkParameters):
    """Of a dropout: the share of the numbers that training sets to zero."""

    _FIELDS = {'rate': 0.5}


class CntkSpliceParameters(CntkParameters):
    """Of a concatenation: `axis` counts the batch as the first one."""

    _FIELDS = {'axis': 1}


class CntkLRNParameters(CntkParameters):
    """Of a normalization over n = 2 kernel_size - 1 channels: x / (k + alpha / n sum x^2) ^ beta."""

    _FIELDS = {'kernel_size': 5, 'alpha': 1, 'beta': 5, 'k': 1}


class CntkPSROIPoolingParameters(CntkParameters):
    """Of a pooling of regions by their position."""

    _FIELDS = {'group_size': 1, 'out_channel': 1}


class CntkTensorDefinition:
    """Numbers of a layer: their shape `tensor` and the numbers `data`."""

    def __init__(self):
        self.tensor, self.data = [0], []


class CntkLayersDefinition:
    """A layer: its name, kind and options, the names of what it reads and makes, the shape of its result
    `tensor` (without the batch), and its numbers."""

    def __init__(self):
        self.inputs, self.outputs, self.op_name, self.parameters = [], [], None, None
        self.op_type, self.tensor, self.parameter_tensor = CntkLayerType.unknown, [], []


class CntkSolver:
    """How a network is trained."""

    def __init__(self):
        self.learning_rate = self.max_epoch = self.adjust_interval = self.decrease_factor = None
        self.upper_limit = self.minibatch_size = self.weight_decay = self.dropout = None
        self.number_to_show_result = self.grad_update_type = self.momentum = None


class CntkModelDescription:
    """A network: its inputs `data_provider` (layers without inputs of their own), its layers by name, their
    names in the order that data flow, its name, and how it is trained."""

    def __init__(self):
        self.data_provider, self.cntk_layers, self.cntk_sorted_layers = [], {}, []
        self.model_name, self.solver = 'Untitled', None
