"""The networks of the workloads."""


def convnet(C):
    """The guided tour's network for MNIST."""
    with C.layers.default_options(activation=C.relu, pad=False):
        return C.layers.Sequential(
            [
                C.layers.Convolution2D((5, 5), 32, reduction_rank=0, pad=True),
                C.layers.MaxPooling((3, 3), strides=(2, 2)),
                C.layers.Convolution2D((3, 3), 48),
                C.layers.MaxPooling((3, 3), strides=(2, 2)),
                C.layers.Convolution2D((3, 3), 64),
                C.layers.Dense(96),
                C.layers.Dropout(0.5),
                C.layers.Dense(10, activation=None),
            ]
        )


def mlp(C):
    return C.layers.Sequential([C.layers.Dense(200, activation=C.relu), C.layers.Dense(10)])


def resnet20(C):
    """ResNet-20 for CIFAR-10 (He et al. 2015, section 4.2), with projection shortcuts."""

    def convolution(size, filters, stride=1):
        return C.layers.Sequential(
            [
                C.layers.Convolution2D((size, size), filters, strides=stride, pad=size > 1, bias=False),
                C.layers.BatchNormalization(map_rank=1),
            ]
        )

    def block(filters, stride):
        first, second = convolution(3, filters, stride), convolution(3, filters)
        shortcut = convolution(1, filters, stride) if stride > 1 else lambda x: x
        return lambda x: C.relu(second(C.relu(first(x))) + shortcut(x))

    def network(x):
        x = C.relu(convolution(3, 16)(x))
        for stage, filters in enumerate((16, 32, 64)):
            for i in range(3):
                x = block(filters, 2 if stage > 0 and i == 0 else 1)(x)
        return C.layers.Dense(10)(C.layers.AveragePooling((8, 8))(x))

    return network
