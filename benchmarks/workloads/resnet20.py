"""resnet20_cifar: training of a ResNet-20, 64 images a step; resnet20_infer: its scores for 64 images and for
one."""

from nets import resnet20
from timing import arguments, cantik_with, np, one_hot, rate, wanted

args = arguments()
C = cantik_with(args.threads)
rs = np.random.RandomState(0)
X = rs.randn(64, 3, 32, 32).astype(np.float32)
L = one_hot(rs.randint(0, 10, 64), 10)
x, y = C.input_variable((3, 32, 32)), C.input_variable(10)
z = resnet20(C)(x)

if wanted(args, 'train'):
    trainer = C.Trainer(
        z,
        C.cross_entropy_with_softmax(z, y),
        [
            C.momentum_sgd(
                z.parameters, C.learning_parameter_schedule(0.1), C.momentum_schedule(0.9), unit_gain=False
            )
        ],
    )
    rate(
        'resnet20_cifar',
        'train',
        'samples/s',
        lambda: trainer.train_minibatch({x: X, y: L}),
        64,
        args,
        seconds=2,
    )
for size in (64, 1):
    if wanted(args, 'b%d' % size):
        images = X[:size]
        rate('resnet20_infer', 'b%d' % size, 'samples/s', lambda: z.eval({x: images}), size, args, warmup=10)
