"""Errors about names that a module does not have, with the name that does the same here."""

import difflib

# Names of PyTorch, NumPy, Keras and TensorFlow, by the module that they are looked up in.
_HERE = {
    'cantik': {
        'matmul': 'times',
        'mm': 'times',
        'dot': 'times',
        'concat': 'splice',
        'concatenate': 'splice',
        'cat': 'splice',
        'where': 'element_select',
        'add': 'plus',
        'subtract': 'minus',
        'multiply': 'element_times',
        'mul': 'element_times',
        'divide': 'element_divide',
        'maximum': 'element_max',
        'minimum': 'element_min',
        'power': 'pow',
        'permute': 'transpose',
        'view': 'reshape',
        'Linear': 'layers.Dense',
        'Dense': 'layers.Dense',
        'Sequential': 'layers.Sequential',
        'Embedding': 'layers.Embedding',
        'LSTM': 'layers.LSTM',
        'conv2d': 'convolution',
        'batch_norm': 'batch_normalization',
        'Input': 'input_variable',
        'load': 'load_model',
        'manual_seed': 'set_seed',
        'no_grad': 'stop_gradient',
        'detach': 'stop_gradient',
        'swish': 'silu',
    },
    'cantik.layers': {
        'Linear': 'Dense',
        'Conv1d': 'Convolution1D',
        'Conv2d': 'Convolution2D',
        'Conv3d': 'Convolution3D',
        'Conv1D': 'Convolution1D',
        'Conv2D': 'Convolution2D',
        'Conv3D': 'Convolution3D',
        'ConvTranspose2d': 'ConvolutionTranspose2D',
        'Conv2DTranspose': 'ConvolutionTranspose2D',
        'MaxPool2d': 'MaxPooling',
        'MaxPooling2D': 'MaxPooling',
        'AvgPool2d': 'AveragePooling',
        'AveragePooling2D': 'AveragePooling',
        'AdaptiveAvgPool2d': 'GlobalAveragePooling',
        'GlobalAveragePooling2D': 'GlobalAveragePooling',
        'GlobalMaxPooling2D': 'GlobalMaxPooling',
        'BatchNorm': 'BatchNormalization',
        'BatchNorm1d': 'BatchNormalization',
        'BatchNorm2d': 'BatchNormalization',
        'LayerNorm': 'LayerNormalization',
        'GroupNorm': 'GroupNormalization',
        'Dropout2d': 'Dropout',
        'LSTMCell': 'LSTM',
        'GRUCell': 'GRU',
        'RNN': 'RNNStep',
        'SimpleRNN': 'RNNStep',
    },
}


def no_attribute(module, name, names):
    """The error, with the name meant: that of another program's word, or the nearest of `names`."""
    said = f"module '{module}' has no attribute '{name}'"
    home = module.replace('cntk', 'cantik', 1) if module.partition('.')[0] == 'cntk' else module
    meant = _HERE.get(home, {}).get(name)
    if meant is None and not name.startswith('_'):
        meant = next(iter(difflib.get_close_matches(name, names, 1, 0.7)), None)
    if meant is None:
        return AttributeError(said)
    error = AttributeError(f'{said}\n  remedy   did you mean {meant}?')
    # Python adds a guess of its own to errors that have not named their object: elu for rleu, since a letter
    # left out is nearer to it than two that changed places
    error.obj = None
    return error
