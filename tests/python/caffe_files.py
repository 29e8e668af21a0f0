"""Files of Caffe, written without Caffe, and its layers, written out."""

import numpy as np


def numbers(shape, first):
    return np.sin(first + np.arange(np.prod(shape))).reshape(shape).astype(np.float32)


# Protobuf's wire format, as Caffe writes it.
def varint(n):
    return bytes([n]) if n < 128 else bytes([n & 127 | 128]) + varint(n >> 7)


def field(number, content):
    return varint(number << 3 | 2) + varint(len(content)) + content


def blob(array, old=False, doubles=False, packed=True):
    array = np.asarray(array)
    if old:  # num, channels, height, width
        shape = (1,) * (4 - array.ndim) + array.shape
        dims = b''.join(varint(i + 1 << 3) + varint(n) for i, n in enumerate(shape))
    else:
        dims = field(7, field(1, b''.join(map(varint, array.shape))))
    kind, key = ('<f8', 8) if doubles else ('<f4', 5)
    if packed:
        return dims + field(key, array.astype(kind).tobytes())
    wire = varint(key << 3 | (1 if doubles else 5))
    return dims + b''.join(wire + number.tobytes() for number in array.astype(kind).ravel())


def caffemodel(arrays, **options):
    old = options.get('old')
    layers = b''
    for name, blobs in arrays.items():
        content = field(4 if old else 1, name.encode()) + (b'' if old else field(2, b'Some kind'))
        for array in blobs:
            content += field(6 if old else 7, blob(array, **options))
        layers += field(2 if old else 100, content)
    return field(1, b'net') + layers


def net(layers, shape=(3, 7, 8)):
    dims = ' '.join(f'dim: {n}' for n in (1, *shape))
    return (
        'name: "n" layer '
        f'{{ name: "data" type: "Input" top: "data" input_param {{ shape: {{ {dims} }} }} }} ' + layers
    )


def layer(kind, options='', bottom='data', name='y'):
    parameters = {
        'Convolution': 'convolution',
        'Pooling': 'pooling',
        'LRN': 'lrn',
        'InnerProduct': 'inner_product',
        'BatchNorm': 'batch_norm',
        'ReLU': 'relu',
        'Concat': 'concat',
        'Eltwise': 'eltwise',
        'Softmax': 'softmax',
        'Scale': 'scale',
        'Dropout': 'dropout',
    }
    bottoms = ' '.join(f'bottom: "{b}"' for b in bottom.split())
    options = f'{parameters[kind]}_param {{ {options} }}' if options else ''
    return f'layer {{ name: "{name}" type: "{kind}" {bottoms} top: "{name}" {options} }} '


# Caffe's layers, written out.
def convolved(x, W, b, stride, pad, dilation, group):
    filters, inside, kh, kw = W.shape
    x = np.pad(x, ((0, 0), (pad[0],) * 2, (pad[1],) * 2))
    taps = [dilation[0] * (kh - 1) + 1, dilation[1] * (kw - 1) + 1]
    size = [(n - t) // s + 1 for n, t, s in zip(x.shape[1:], taps, stride)]
    y = np.zeros((filters, *size))
    for f in range(filters):
        first = f // (filters // group) * inside
        for i in range(size[0]):
            for j in range(size[1]):
                top, left = i * stride[0], j * stride[1]
                part = x[
                    first : first + inside,
                    top : top + taps[0] : dilation[0],
                    left : left + taps[1] : dilation[1],
                ]
                y[f, i, j] = (part * W[f]).sum() + b[f]
    return y


def pooled(x, kind, kernel, stride, pad):
    sizes = []
    for n, k, s, p in zip(x.shape[1:], kernel, stride, pad):
        count = int(np.ceil((n + 2 * p - k) / s)) + 1
        if (count - 1) * s >= n + p:
            count -= 1
        sizes.append(count)
    y = np.zeros((x.shape[0], *sizes))
    for i in range(sizes[0]):
        for j in range(sizes[1]):
            begin = [i * stride[0] - pad[0], j * stride[1] - pad[1]]
            end = [min(b + k, n + p) for b, k, n, p in zip(begin, kernel, x.shape[1:], pad)]
            area = (end[0] - begin[0]) * (end[1] - begin[1])
            part = x[
                :, max(begin[0], 0) : min(end[0], x.shape[1]), max(begin[1], 0) : min(end[1], x.shape[2])
            ]
            y[:, i, j] = part.max((1, 2)) if kind == 'MAX' else part.sum((1, 2)) / area
    return y


def close(network, x, expected):
    found = network.eval({network.arguments[0]: x[None]})
    np.testing.assert_allclose(found[0], expected, rtol=1e-4, atol=1e-5)
