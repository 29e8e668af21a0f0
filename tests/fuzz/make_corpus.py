# Writes the models and dictionaries of CNTK 2.7 from which the fuzzers start, and which the unit tests
# damage:
#   python make_corpus.py       run by a Python that has CNTK 2.7
import os
import shutil
import tempfile

import cntk as C
import numpy as np
from cntk.internal import utils
from cntk.layers import (
    Convolution2D,
    BatchNormalization,
    Dense,
    Dropout,
    LSTM,
    MaxPooling,
    Recurrence,
    Sequential,
    Stabilizer,
)
from cntk.ops.functions import UserFunction

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus")
C.cntk_py.set_fixed_random_seed(1)


def model(name, f):
    f.save(os.path.join(HERE, "model", name))


def dictionary(name, d):
    d.save(os.path.join(HERE, "dictionary", name))


class Twice(UserFunction):
    def __init__(self, x, factor=2.0, name="Twice"):
        super().__init__([x], name=name)
        self.factor = factor

    def infer_outputs(self):
        x = self.inputs[0]
        return [C.output_variable(x.shape, x.dtype, x.dynamic_axes)]

    def serialize(self):
        return {"factor": self.factor}

    @staticmethod
    def deserialize(inputs, name, state):
        return Twice(inputs[0], state["factor"], name)

    def forward(self, argument, device=None, outputs_to_retain=None):
        return None, argument * self.factor


x, y = C.input_variable(3, name="x"), C.input_variable(4, is_sparse=True, name="y")
z = Sequential([Dense(6, activation=C.relu, name="d1"), Dense(4, name="d2")])(x)
model("criterion", C.combine([z, C.cross_entropy_with_softmax(z, y), C.classification_error(z, y)]))
q = C.input_variable((1, 6, 6), dtype=np.float64)
with C.layers.default_options(dtype=np.float64):
    model(
        "convolution",
        Sequential(
            [
                Convolution2D((3, 3), 2, pad=True, activation=C.relu),
                MaxPooling((2, 2), strides=2),
                BatchNormalization(map_rank=1),
                Dropout(0.3),
                Dense(2),
            ]
        )(q),
    )
s = C.sequence.input_variable(2, name="s")
model("recurrence", Recurrence(LSTM(2))(s))
v = C.input_variable(2, name="v")
model("batch_and_steps", C.combine([s + v, v - s, C.greater(s, v), C.times_transpose(v, s)]))
p = C.placeholder(name="p")
model("placeholder", C.combine([C.relu(p), p + 1]))
model("free", C.relu(C.input_variable((2, C.FreeDimension), name="free")))
model("half", C.plus(C.input_variable(3, dtype=np.float16), C.parameter(3, dtype=np.float16, init=1.5)))
model("blocks", Stabilizer()(C.input_variable((2, 3))))
model(
    "random",
    C.combine(
        [C.random.uniform_like(C.input_variable(2), seed=3), C.random.normal((2,), np.float32, seed=4)]
    ),
)
f = C.relu(C.input_variable(2), name="annotated")
f.custom_attributes = {"a": 1, "b": "text", "c": [1, 2.5]}
model("annotated", f)
model("user", C.user_function(Twice(C.input_variable(2, name="u"))) + 1)
model(
    "reduce", C.combine([C.reduce_sum(x), C.softmax(C.input_variable((2, 3)), axis=0), C.slice(x, 0, 0, 2)])
)
dictionary(
    "mixed",
    utils._py_dict_to_cntk_dict(
        {
            "a": 1,
            "b": 2.5,
            "c": "text",
            "d": True,
            "f": [1, "x", [2]],
            "z": {"k": -3},
            "t": np.ones((2, 3), np.float32),
        }
    ),
)
dictionary(
    "arrays",
    utils._py_dict_to_cntk_dict({"i8": np.ones(3, np.int8), "i16": np.ones(3, np.int16), "f8": np.ones(3)}),
)
m = C.parameter(2)
learner = C.adam([m], C.learning_parameter_schedule([0.1, 0.2], epoch_size=10), C.momentum_schedule(0.9))
learner.update({m: C.NDArrayView.from_data(np.ones(2, np.float32))}, 1)
dictionary("learner", learner.create_checkpoint())


def training(name, make):
    x, w = C.input_variable(2), C.parameter((2, 3), init=0.5)
    z = C.times(x, w)
    trainer = C.Trainer(z, (C.reduce_sum(z), None), [make([w])])
    for _i in range(2):
        trainer.train_minibatch({x: np.ones((2, 2), np.float32)})
    with tempfile.TemporaryDirectory() as folder:
        trainer.save_checkpoint(os.path.join(folder, "c"), {"position": 4})
        shutil.copy(os.path.join(folder, "c.ckp"), os.path.join(HERE, "training", name))


rate, momentum = C.learning_parameter_schedule([0.1, 0.2], epoch_size=10), C.momentum_schedule(0.9)
training("sgd", lambda p: C.sgd(p, rate))
training("momentum_sgd", lambda p: C.momentum_sgd(p, rate, momentum))
training("adagrad", lambda p: C.adagrad(p, rate))
training("adadelta", lambda p: C.adadelta(p, rate))
training("rmsprop", lambda p: C.rmsprop(p, rate, 0.9, 1.2, 0.8, 10, 0.1))
training("adam", lambda p: C.adam(p, rate, momentum))
training("fsadagrad", lambda p: C.fsadagrad(p, rate, momentum))
