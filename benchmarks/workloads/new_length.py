"""new_length: an LSTM whose sequences are of another length at every training step; what a length costs the
first time over the second."""

from timing import arguments, cantik_with, lengths_twice, one_hot

args = arguments(once=0)
C = cantik_with(args.threads)


def lstm():
    x, y = C.sequence.input_variable(32), C.input_variable(10)
    z = C.layers.Dense(10)(C.sequence.last(C.layers.Recurrence(C.layers.LSTM(64))(x)))
    trainer = C.Trainer(
        z, C.cross_entropy_with_softmax(z, y), [C.sgd(z.parameters, C.learning_parameter_schedule(0.01))]
    )

    def prepared(sequences, labels):  # [8, steps, 32], [8]
        feeds = {x: list(sequences), y: one_hot(labels, 10)}
        return lambda: trainer.train_minibatch(feeds)

    return prepared


lengths_twice(args, dict(lstm=lstm))
