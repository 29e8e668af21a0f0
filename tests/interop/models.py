# Models built by CNTK 2.7 for compare.py: each case returns the model and a list of arrays for its arguments.
import cntk as C
import numpy as np
from cntk.layers import (
    AveragePooling,
    BatchNormalization,
    Convolution2D,
    Dense,
    Dropout,
    Embedding,
    GlobalAveragePooling,
    LayerNormalization,
    MaxPooling,
    Sequential,
    default_options,
)

CASES = {}


def case(f):
    CASES[f.__name__] = f
    return f


def rows(shape, n=5, dtype=np.float32):
    return np.random.uniform(-1, 1, (n,) + shape).astype(dtype)


def one_hot(classes, n=5, dtype=np.float32):
    return np.eye(classes, dtype=dtype)[np.random.randint(0, classes, n)]


@case
def dense():
    x = C.input_variable(3, name="x")
    return Sequential(
        [Dense(4, activation=C.relu, name="d1"), Dense(3, activation=C.tanh), Dense(2, activation=C.sigmoid)]
    )(x), [rows((3,))]


@case
def dense_double():
    x = C.input_variable(3, dtype=np.float64, name="x")
    with default_options(dtype=np.float64):
        return Sequential([Dense(40, activation=C.tanh), Dense(2)])(x), [rows((3,), dtype=np.float64)]


@case
def dense_shared():
    x = C.input_variable(4)
    layer = Dense(4, activation=C.tanh)
    return layer(layer(x)) + layer(x), [rows((4,))]


@case
def dense_map_rank():
    x = C.input_variable((2, 3, 4))
    return Dense((3, 2), map_rank=1)(x), [rows((2, 3, 4))]


@case
def arithmetic():
    x, y = C.input_variable((2, 3), name="x"), C.input_variable((2, 3), name="y")
    return C.combine([x + y * 2, x - 1, C.exp(x) * C.tanh(y), -x]), [rows((2, 3)), rows((2, 3))]


@case
def criterion():
    x, y = C.input_variable(5), C.input_variable(3)
    z = Dense(3)(x)
    return C.combine([z, C.cross_entropy_with_softmax(z, y), C.classification_error(z, y)]), [
        rows((5,)),
        one_hot(3),
    ]


@case
def sparse_criterion():
    x, y = C.input_variable(5), C.input_variable(3, is_sparse=True)
    z = Dense(3)(x)
    return C.combine([z, C.cross_entropy_with_softmax(z, y), C.classification_error(z, y)]), [
        rows((5,)),
        one_hot(3),
    ]


@case
def sparse_input():
    x = C.input_variable(20, is_sparse=True)
    return Sequential([Embedding(6), Dense(3, activation=C.relu)])(x), [one_hot(20)]


@case
def block_function():
    @C.layers.BlockFunction("Gate", "gate")
    def gate(a, b):
        return C.sigmoid(a) * b

    @C.layers.BlockFunction("Twice", "twice")
    def twice(a, b):
        return gate(gate(a, b), b)

    x, y = C.input_variable(4), C.input_variable(4)
    return twice(x, y) + gate(y, x), [rows((4,)), rows((4,))]


@case
def tour_convnet():
    x = C.input_variable((1, 28, 28))
    with default_options(activation=C.relu, pad=False):
        model = Sequential(
            [
                Convolution2D((5, 5), 32, pad=True),
                MaxPooling((3, 3), (2, 2)),
                Convolution2D((3, 3), 48),
                MaxPooling((3, 3), (2, 2)),
                Convolution2D((3, 3), 64),
                Dense(96),
                Dropout(0.5),
                Dense(10, activation=None),
            ]
        )
    return model(x / 256), [rows((1, 28, 28)) * 256]


def resnet(dtype):
    def conv_bn(x, filter_size, filters, strides=(1, 1), activation=C.relu):
        c = Convolution2D(
            filter_size, filters, activation=None, init=C.he_normal(), pad=True, strides=strides, bias=False
        )(x)
        r = BatchNormalization(map_rank=1, normalization_time_constant=4096, use_cntk_engine=True)(c)
        return r if activation is None else activation(r)

    def basic(x, filters):
        return C.relu(conv_bn(conv_bn(x, (3, 3), filters), (3, 3), filters, activation=None) + x)

    def basic_inc(x, filters):
        s = conv_bn(x, (1, 1), filters, (2, 2), activation=None)
        return C.relu(conv_bn(conv_bn(x, (3, 3), filters, (2, 2)), (3, 3), filters, activation=None) + s)

    x = C.input_variable((3, 32, 32), dtype=dtype)
    with default_options(dtype=dtype):
        z = conv_bn(x, (3, 3), 16)
        for _i in range(3):
            z = basic(z, 16)
        z = basic_inc(z, 32)
        for _i in range(2):
            z = basic(z, 32)
        z = basic_inc(z, 64)
        for _i in range(2):
            z = basic(z, 64)
        z = AveragePooling((8, 8), name="pool")(z)
        z = Dense(10, init=C.normal(0.01))(z)
    rng = np.random.RandomState(3)
    for c in z.constants:  # running statistics as after some training
        if c.name == "aggregate_mean":
            c.value = rng.uniform(-0.1, 0.1, c.shape).astype(dtype)
        if c.name == "aggregate_variance":
            c.value = rng.uniform(0.5, 1.5, c.shape).astype(dtype)
        if c.name == "aggregate_count":
            c.value = np.array(4096, dtype)
    return z, [rows((3, 32, 32), 3, dtype)]


@case
def resnet20():
    return resnet(np.float32)


@case
def resnet20_double():
    return resnet(np.float64)


@case
def layer_normalization():
    return Sequential([Dense(6), LayerNormalization(), Dense(2)])(C.input_variable(4)), [rows((4,))]


@case
def convolutions():
    x = C.input_variable((4, 9, 9))
    a = C.layers.Convolution2D((3, 3), 6, strides=2, pad=[True, False], dilation=1)(x)
    b = C.layers.ConvolutionTranspose2D((3, 3), 4, strides=2, pad=True)(x)
    c = C.convolution(
        C.parameter((8, 2, 3, 3), init=C.normal(1)), x, auto_padding=[False, True, True], groups=2
    )
    return C.combine([a, b, c]), [rows((4, 9, 9))]


@case
def poolings():
    x = C.input_variable((3, 9, 9))
    return C.combine(
        [
            MaxPooling((3, 3), 2)(x),
            MaxPooling((2, 3), (2, 1), pad=True)(x),
            AveragePooling((3, 3), 2, pad=True)(x),
            GlobalAveragePooling()(x),
            C.pooling(x, C.AVG_POOLING, (2, 2), (2, 2), ceil_out_dim=True),
            C.pooling(x, C.AVG_POOLING, (3, 3), (2, 2), [True, True], include_pad=True),
        ]
    ), [rows((3, 9, 9))]


@case
def shapes():
    x, y = C.input_variable((2, 3, 4)), C.input_variable((2, 3, 4))
    return C.combine(
        [
            C.reshape(x, (4, 6)),
            C.reshape(x, (3, 1), 1, 2),
            C.transpose(x, (2, 0, 1)),
            C.swapaxes(x, 0, 2),
            C.slice(x, 1, 0, 2),
            C.slice(x, [0, 2], [0, 1], [1, 3]),
            C.slice(x, -1, 0, 4, 2),
            C.splice(x, y),
            C.splice(x, y, axis=0),
            C.flatten(x),
            C.expand_dims(x, 1),
            C.squeeze(C.reshape(x, (2, 1, 12))),
            C.pad(x, [(1, 0), (0, 2), (0, 0)], constant_value=3),
        ]
    ), [rows((2, 3, 4)), rows((2, 3, 4))]


@case
def reductions():
    x = C.input_variable((2, 3, 4))
    fs = [
        C.reduce_sum,
        C.reduce_mean,
        C.reduce_max,
        C.reduce_min,
        C.reduce_prod,
        C.reduce_log_sum_exp,
        C.reduce_l1,
        C.reduce_l2,
        C.reduce_sum_square,
        C.argmax,
        C.argmin,
    ]
    return C.combine(
        [f(x, axis=1) for f in fs]
        + [C.reduce_sum(x), C.reduce_mean(x, axis=(0, 2)), C.reduce_sum(x, axis=-1, keepdims=False)]
    ), [rows((2, 3, 4))]


@case
def elementwise():
    x, y = C.input_variable((2, 3)), C.input_variable((2, 3))
    z = x * x + 0.5
    return C.combine(
        [
            C.log(z),
            C.sqrt(z),
            C.reciprocal(z),
            C.abs(x),
            C.floor(x * 4),
            C.ceil(x * 4),
            C.round(x * 4),
            C.sin(x),
            C.cos(x),
            C.tan(x),
            C.asin(x),
            C.acos(x),
            C.atan(x),
            C.sinh(x),
            C.cosh(x),
            C.asinh(x),
            C.atanh(x * 0.9),
            C.pow(z, y),
            C.element_max(x, y),
            C.element_min(x, y),
            x / z,
            C.log_add_exp(x, y),
            C.clip(x, -0.5, 0.3),
            C.element_select(C.greater(x, 0), x, y),
            C.equal(x, y),
            C.not_equal(x, y),
            C.less(x, y),
            C.less_equal(x, y),
            C.greater(x, y),
            C.greater_equal(x, y),
            C.element_and(x, y),
            C.element_or(x, y),
            C.element_xor(x, y),
            C.element_not(x),
            C.elu(x, 0.5),
            C.selu(x),
            C.leaky_relu(x, 0.2),
            C.hard_sigmoid(x, 0.3, 0.4),
            C.softplus(x),
            C.softsign(x),
            C.param_relu(C.parameter((2, 3), init=0.2), x),
        ]
    ), [rows((2, 3)), rows((2, 3))]


@case
def losses():
    x, y = C.input_variable((2, 3)), C.input_variable((2, 3))
    v, w = C.input_variable(4), C.input_variable(4)
    return C.combine(
        [
            C.softmax(x),
            C.softmax(x, axis=0),
            C.log_softmax(x),
            C.hardmax(x),
            C.squared_error(x, y),
            C.cross_entropy_with_softmax(x, y),
            C.cross_entropy_with_softmax(x, y, axis=0),
            C.binary_cross_entropy(C.sigmoid(x), C.sigmoid(y)),
            C.cosine_distance(v, w),
            C.classification_error(v, w, topN=2),
            C.times_transpose(v, w),
        ]
    ), [rows((2, 3)), rows((2, 3)), rows((4,)), rows((4,))]


@case
def indices():
    i = C.input_variable((2,))
    p = C.parameter((5, 3), init=C.normal(1))
    return C.combine(
        [
            C.gather(p, i),
            C.one_hot(i, 6),
            C.one_hot(i, 6, axis=0),
            C.top_k(C.reshape(C.gather(p, i), (6,)), 2).outputs[0],
        ]
    ), [np.random.randint(0, 5, (5, 2)).astype(np.float32)]


@case
def others():
    x = C.input_variable((2, 3))
    return C.combine(
        [
            C.alias(x, "al"),
            C.stop_gradient(x),
            C.zeros_like(x),
            C.ones_like(x),
            C.dropout(x, 0.4, seed=5),
            C.layers.Stabilizer()(x),
            C.layers.Label("lab")(x),
            C.mean(x, x * 2),
            C.sum(x, x * 3),
        ]
    ), [rows((2, 3))]


@case
def free_dimension():
    x = C.input_variable((2, C.FreeDimension))
    return C.relu(x) * 2, [rows((2, 7))]
