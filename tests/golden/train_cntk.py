"""Logs and results of CNTK 2.7's training loops, for tests/unit/train/train_test.cc:  python train_cntk.py >
train_cntk.inc

200 samples of two classes, the logistic regression of the guided tour. The log of each case, times cut off,
then `train()`'s result and what the learner counted.
"""

import contextlib
import glob
import io
import os
import re
import tempfile

import cntk as C
import numpy as np
from cntk.logging import ProgressPrinter
from cntk.train import CheckpointConfig, CrossValidationConfig, DataUnit

rs = np.random.RandomState(0)
LABELS = rs.randint(0, 2, 200)
X = ((rs.randn(200, 2) + 3) * (LABELS[:, None] + 1)).astype(np.float32)
Y = np.eye(2, dtype=np.float32)[LABELS]
lr = C.learning_parameter_schedule


def called(*a):
    print("callback %d %.6f %d %d" % a)
    return True


def validate(f, **more):
    return [CrossValidationConfig((X[:70], Y[:70]), criterion=f, **more)]


def network():
    C.cntk_py.set_fixed_random_seed(1)
    x, y = C.input_variable(2), C.input_variable(2)
    z = C.times(x, C.parameter((2, 2), init=C.glorot_uniform())) + C.parameter((2,), init=0)
    return z, C.cross_entropy_with_softmax(z, y), C.classification_error(z, y)


def number(x):
    return "%d" % x if isinstance(x, int) else "%.6g" % x


EACH = dict(freq=1)


def run(name, printer=EACH, more=lambda f: [], rate=0.1, metric=True, **options):
    z, loss, error = network()
    f = C.combine([loss, error]) if metric else loss
    rates = lr(rate) if not isinstance(rate, tuple) else lr(rate[0], epoch_size=rate[1])
    learner = C.sgd(z.parameters, rates)
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        writers = [ProgressPrinter(**printer)] if printer is not None else []
        r = f.train((X, Y), parameter_learners=[learner], callbacks=writers + more(f), **options)
        for kind in ("updates", "epoch_summaries"):
            print(kind, " ".join("(%.6g %.6g %d)" % (u.loss, u.metric, u.samples) for u in r[kind]))
        print(
            "seen",
            learner.total_number_of_samples_seen(),
            learner.total_number_of_minibatches_seen(),
            learner.total_number_of_sweeps_seen(),
        )
    print("## " + name)
    print(re.sub(r" [0-9.]+s \( *[0-9.]+ samples/s\);", "", text.getvalue()), end="")


os.chdir(tempfile.mkdtemp())
print('R"TEXT(')
run("plain")
run("epochs", minibatch_size=64, max_epochs=2)
run("epoch_size", minibatch_size=64, epoch_size=100, max_epochs=3)
run("max_samples", minibatch_size=64, max_samples=150)
run("more_samples", minibatch_size=64, max_samples=450)
run("long_epochs", minibatch_size=64, epoch_size=300, max_epochs=2)
run("sizes", minibatch_size=C.minibatch_size_schedule([20, 50], epoch_size=60))
run("sizes_by_sample", minibatch_size=C.minibatch_size_schedule([(1, 50), (1, 100)]), max_epochs=3)
run("every_3", printer=dict(freq=3, num_epochs=2), max_epochs=2)
run("progress_frequency", printer=dict(freq=2), minibatch_size=64, max_epochs=2, progress_frequency=100)
run("table", printer=dict(freq=0), minibatch_size=16, max_epochs=2)
run("no_metric", printer=dict(freq=2), metric=False, minibatch_size=64)
run("summaries", printer={}, minibatch_size=64, max_epochs=2)
run("no_writer", printer=None, minibatch_size=64, max_epochs=2)
run("no_writer_16", printer=None, minibatch_size=16, progress_frequency=100)
run("no_writer_large", printer=None, minibatch_size=300, max_epochs=2)
run("no_writer_samples", printer=None, minibatch_size=16, max_samples=100)
run("rate_0", rate=([0.1, 0.0], 64), max_epochs=2)
run(
    "validate",
    more=lambda f: validate(f, frequency=100, minibatch_size=30, callback=called),
    minibatch_size=64,
    max_epochs=2,
)
run("validate_at_end", more=validate, minibatch_size=64, max_epochs=2)
run(
    "validate_some",
    printer=dict(freq=1, test_freq=1),
    more=lambda f: validate(f, max_samples=50),
    minibatch_size=64,
)
run(
    "validate_and_stop",
    more=lambda f: validate(f, frequency=100, callback=lambda *a: False),
    minibatch_size=64,
    max_epochs=2,
)
run(
    "validate_minibatches",
    more=lambda f: validate(f, frequency=(2, DataUnit.minibatch), callback=called),
    minibatch_size=64,
)
run(
    "validate_sweeps",
    more=lambda f: validate(f, frequency=(1, DataUnit.sweep), callback=called),
    minibatch_size=64,
    max_epochs=2,
)
run("callback_only", more=lambda f: [CrossValidationConfig(frequency=64, callback=called)], minibatch_size=64)
for name, options, config in (
    ("checkpoints", dict(max_epochs=2), dict(filename="m", frequency=100, preserve_all=True)),
    ("checkpoints_go_on", dict(max_epochs=3), dict(filename="m", frequency=100)),
    ("checkpoint_at_end", {}, dict(filename="n", restore=False)),
    (
        "checkpoints_by_minibatch",
        {},
        dict(filename="k", frequency=(2, DataUnit.minibatch), preserve_all=True),
    ),
):
    run(name, more=lambda f: [CheckpointConfig(**config)], minibatch_size=64, **options)
    print("files", " ".join(sorted(f for f in glob.glob("*") if not f.endswith(".ckp"))))
print(')TEXT"')
