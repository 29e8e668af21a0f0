"""A training shared by several processes.

By itself the program is a single worker. `cantik launch -n 4 8_workers.py`, or `mpiexec -n 4 python ...`,
starts four.
"""

import cntk as C
import mnist
from cntk.io import CTFDeserializer, MinibatchSource, StreamDef, StreamDefs

C.cntk_py.set_fixed_random_seed(1)
is_main = C.Communicator.rank() == 0


def write(path, name, count):
    """CNTK's text format, with the ink as sparse numbers."""
    images, digits, _ = mnist.read(name, count)
    with open(path, 'w') as file:
        for image, digit in zip(images.reshape(count, -1), digits):
            ink = ' '.join(f'{i}:{image[i]:.4g}' for i in image.nonzero()[0])
            file.write(f'|label {digit}:1 |ink {ink}\n')


def source(path, **options):
    streams = StreamDefs(
        image=StreamDef(field='ink', shape=784, is_sparse=True),
        digit=StreamDef(field='label', shape=10, is_sparse=True),
    )
    return MinibatchSource(CTFDeserializer(path, streams), **options)


# ---- Every worker needs the files; here the first one writes them.
if is_main:
    write('train.ctf', 'train', 4000)
    write('test.ctf', 't10k', 1000)
C.train.distributed.mpi_communicator().barrier()

x, y = C.input_variable(784, is_sparse=True), C.input_variable(10, is_sparse=True)
scores = C.layers.Sequential([C.layers.Dense(60, C.tanh), C.layers.Dense(10)])(x)
loss, error = C.cross_entropy_with_softmax(scores, y), C.classification_error(scores, y)

# ---- A learner around the learner sums the gradients of all workers before each update.
learner = C.data_parallel_distributed_learner(
    C.sgd(scores.parameters, C.learning_parameter_schedule_per_sample(0.005))
)
printer = C.logging.ProgressPrinter(50, distributed_freq=None)
trainer = C.Trainer(scores, (loss, error), [learner], [printer] if is_main else [])

# ---- Each worker reads its share of every minibatch; the session deals them out.
train, test = source('train.ctf'), source('test.ctf', randomize=False, max_sweeps=1)
C.training_session(
    trainer=trainer,
    mb_source=train,
    mb_size=80,
    model_inputs_to_streams={x: train.streams.image, y: train.streams.digit},
    max_samples=12000,
    progress_frequency=4000,
    checkpoint_config=C.CheckpointConfig('workers.model', frequency=4000),
    test_config=C.TestConfig(
        test, minibatch_size=100, model_inputs_to_streams={x: test.streams.image, y: test.streams.digit}
    ),
).train()
if is_main:
    print('sum of the weights', ' '.join(f'{abs(p.value).sum():.4f}' for p in scores.parameters))

# ---- The processes part in order.
C.Communicator.finalize()
