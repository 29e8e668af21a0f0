"""Distributed learners in one process: data parallel, quantized, block momentum; communicators, sessions,
metrics."""

import numpy as np
import cntk as C
from cntk.train.distributed import (
    data_parallel_distributed_learner,
    block_momentum_distributed_learner,
    Communicator,
    mpi_communicator,
)

C.cntk_py.set_fixed_random_seed(1)
rng = np.random.RandomState(0)
print(Communicator.num_workers(), Communicator.rank())
X = rng.randn(120, 4).astype('f')
Y = np.eye(2, dtype='f')[(X[:, 0] > 0).astype(int)]


def run(wrap):
    C.cntk_py.set_fixed_random_seed(1)
    x, y = (C.input_variable(4), C.input_variable(2))
    z = C.layers.Sequential([C.layers.Dense(5, C.tanh), C.layers.Dense(2)])(x)
    loss, err = (C.cross_entropy_with_softmax(z, y), C.classification_error(z, y))
    l = wrap(
        C.momentum_sgd(
            z.parameters,
            C.learning_parameter_schedule_per_sample(0.02),
            C.momentum_as_time_constant_schedule(60),
        )
    )
    t = C.Trainer(
        z,
        (loss, err),
        [l],
        [C.logging.ProgressPrinter(freq=3, tag='D', rank=Communicator.rank(), num_epochs=2)],
    )
    src = C.io.MinibatchSourceFromData(dict(x=X, y=Y), max_samples=240)
    C.training_session(
        trainer=t,
        mb_source=src,
        mb_size=20,
        model_inputs_to_streams={x: src.streams['x'], y: src.streams['y']},
        progress_frequency=120,
    ).train()
    print('%.5f' % np.abs(z.parameters[0].value).sum(), t.total_number_of_samples_seen, type(l).__name__)


run(lambda l: l)
run(lambda l: data_parallel_distributed_learner(l))
run(lambda l: data_parallel_distributed_learner(l, num_quantization_bits=32, distributed_after=0))
for f in (
    lambda: block_momentum_distributed_learner(C.sgd([C.parameter(2)], 0.1), block_size=20),
    lambda: data_parallel_distributed_learner(C.sgd([C.parameter(2)], 0.1), num_quantization_bits=1),
):
    try:
        print(type(f()).__name__)
    except Exception as e:
        print(type(e).__name__)

try:
    run(lambda l: block_momentum_distributed_learner(l, block_size=40))
except Exception as e:
    print(type(e).__name__)

Communicator.finalize()
