"""new_length in CNTK 2.7, with its own layers."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'workloads'))
from timing import arguments, lengths_twice, one_hot

args = arguments(once=0)
import cntk as C

C.try_set_default_device(C.cpu())
C.cntk_py.set_max_num_cputhreads(args.threads)


def lstm():
    x, y = C.sequence.input_variable(32), C.input_variable(10)
    z = C.layers.Dense(10)(C.sequence.last(C.layers.Recurrence(C.layers.LSTM(64))(x)))
    trainer = C.Trainer(
        z, C.cross_entropy_with_softmax(z, y), [C.sgd(z.parameters, C.learning_parameter_schedule(0.01))]
    )

    def prepared(sequences, labels):
        feeds = {x: list(sequences), y: one_hot(labels, 10)}
        return lambda: trainer.train_minibatch(feeds)

    return prepared


lengths_twice(args, dict(lstm=lstm))
