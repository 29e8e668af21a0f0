"""The calls of a program, each of which a strict type checker is to accept, and to know the result of."""

import numpy as np

import cantik as C
from cantik.layers import LSTM, BatchNormalization, Convolution2D, Dense, Dropout, Embedding, MaxPooling
from cantik.layers import Recurrence, Sequential, default_options
from cantik.learners import adam, learning_parameter_schedule, momentum_schedule, momentum_sgd, sgd


def graph() -> C.Function:
    x = C.input_variable((3, 4), dtype=np.float32, name='x')
    w = C.parameter((4, 2), init=C.glorot_uniform(), name='w')
    b = C.constant(1.0, shape=(2,))
    y = C.relu(C.times(x, w) + b)
    z = C.reduce_sum(C.splice(y, C.sigmoid(y), axis=-1), axis=0)
    shape: tuple[int, ...] = z.shape
    names: list[str] = [p.name for p in z.parameters]
    print(shape, names, w.value.sum(), x.dynamic_axes, z.output.uid, z.root_function.op_name)
    same = z.clone(C.CloneMethod.share, {x: C.input_variable((3, 4))})
    return C.combine(same, z.find_by_name('w'))


def classifier(classes: int) -> C.Function:
    with default_options(activation=C.relu, init=C.he_normal()):
        return Sequential(
            [
                Convolution2D((3, 3), 8, pad=True),
                MaxPooling((2, 2), strides=2),
                BatchNormalization(map_rank=1),
                Dropout(0.5),
                Dense(16),
                Dense(classes, activation=None, name='scores'),
            ]
        )


def tagger(words: int, tags: int) -> C.Function:
    return Sequential([Embedding(16), Recurrence(LSTM(32)), Dense(tags)])(C.sequence.input_variable(words))


@C.Function
def criterion(output: C.Variable, label: C.Variable) -> tuple[C.Function, C.Function]:
    return C.cross_entropy_with_softmax(output, label), C.classification_error(output, label)


class Halved(C.UserFunction):
    """x / 2, by NumPy."""

    def infer_outputs(self) -> list[C.Variable]:
        x = self.inputs[0]
        return [C.output_variable(x.shape, x.dtype, x.dynamic_axes)]


def training() -> float:
    x, label = C.input_variable((1, 8, 8)), C.input_variable(3, is_sparse=True)
    z = classifier(3)(x)
    loss, error = C.cross_entropy_with_softmax(z, label), C.classification_error(z, label)
    rate = learning_parameter_schedule([0.1, 0.01], minibatch_size=16, epoch_size=100)
    learner = momentum_sgd(z.parameters, rate, momentum_schedule(0.9), l2_regularization_weight=1e-4)
    printer = C.logging.ProgressPrinter(freq=10, tag='training')
    trainer = C.Trainer(z, (loss, error), [learner], [printer])
    images, labels = np.zeros((4, 1, 8, 8), np.float32), np.eye(3, dtype=np.float32)[[0, 1, 2, 0]]
    going: bool = trainer.train_minibatch({x: images, label: labels})
    trainer.save_checkpoint('model.checkpoint')
    tested: float = trainer.test_minibatch({x: images, label: labels})
    print(going, tested, trainer.previous_minibatch_sample_count, sgd(z.parameters, 0.1).learning_rate())
    return float(trainer.previous_minibatch_loss_average)


def sources() -> None:
    path = 'data.ctf'
    streams = C.io.StreamDefs(x=C.io.StreamDef('x', 2), y=C.io.StreamDef('y', 1, is_sparse=True))
    source = C.io.MinibatchSource(C.io.CTFDeserializer(path, streams), randomize=False, max_sweeps=1)
    batch = source.next_minibatch(32)
    for info, data in batch.items():
        print(info.name, data.num_samples, data.asarray())
    x, y = C.input_variable(2), C.input_variable(1)
    z = Dense(1)(x)
    config = C.CheckpointConfig('model.checkpoint', frequency=1000, restore=False)
    session = C.training_session(
        C.Trainer(z, C.squared_error(z, y), [adam(z.parameters, 0.1, 0.9)]),
        source,
        32,
        {x: source.streams.x, y: source.streams.y},
        checkpoint_config=config,
    )
    session.train()
    data = np.ones((4, 2), np.float32), np.ones((4, 1), np.float32)
    summary = C.squared_error(z, y).train(data, parameter_learners=[sgd(z.parameters, 0.1)], max_epochs=2)
    print(summary.updates, C.squared_error(z, y).test(data).metric)


def evaluation(path: str) -> np.ndarray:
    z = C.load_model(path)
    x = z.arguments[0]
    data = np.ones((1, *x.shape), np.float32)
    made = z.eval({x: data})
    gradient = z.grad({x: data}, wrt=[x])
    value = C.Value.one_hot([[3, 0], [1]], num_classes=4)
    print(gradient, value.shape, C.summary(z), C.logging.plot(z), C.NDArrayView.from_dense(data).asarray())
    z.save('again.model', format=C.ModelFormat.CNTKv2)
    with C.default_options(dtype=np.float64):
        print(C.sequence.last(C.sequence.input_variable(3)).dynamic_axes, tagger(10, 3).shape, graph().name)
    return np.asarray(made)


if __name__ == '__main__':
    sources()
    print(evaluation('model'), training(), criterion.name, Halved.__name__)
