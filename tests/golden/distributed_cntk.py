"""Trainings of several workers, which CNTK 2.7 runs under its mpiexec and the tests under Cantik's launchers.

python distributed_cntk.py MPIRUN PYTHON > distributed_cntk.json     writes what CNTK 2.7 finds
MPIRUN -np 2 PYTHON distributed_cntk.py CASE FOLDER                  one case; each worker writes a file
"""

import json
import os
import subprocess
import sys
import tempfile

# name: (workers, function of the program, its arguments)
CASES = {
    "one": (1, "steps", dict(kind="data_parallel")),
    "two": (2, "steps", dict(kind="data_parallel")),
    "four": (4, "steps", dict(kind="data_parallel")),
    "momentum": (2, "steps", dict(kind="data_parallel", momentum=0.9)),
    "one_bit": (2, "steps", dict(kind="data_parallel", num_quantization_bits=1)),
    "one_bit_four": (4, "steps", dict(kind="data_parallel", num_quantization_bits=1)),
    "uneven": (2, "uneven", {}),
    "blocks": (2, "steps", dict(kind="block_momentum", block_size=16)),
    "blocks_four": (4, "steps", dict(kind="block_momentum", block_size=16)),
    "blocks_plain": (2, "steps", dict(kind="block_momentum", block_size=16, use_nestrov_momentum=False)),
    "blocks_constant": (
        2,
        "steps",
        dict(kind="block_momentum", block_size=16, block_momentum_as_time_constant=20),
    ),
    "blocks_rate": (2, "steps", dict(kind="block_momentum", block_size=12, block_learning_rate=0.5)),
    "blocks_forget": (2, "steps", dict(kind="block_momentum", block_size=16, momentum=0.5)),
    "blocks_remember": (
        2,
        "steps",
        dict(kind="block_momentum", block_size=16, momentum=0.5, reset_sgd_momentum_after_aggregation=False),
    ),
    "blocks_one": (1, "steps", dict(kind="block_momentum", block_size=12, momentum=0.5)),
    "blocks_one_constant": (
        1,
        "steps",
        dict(kind="block_momentum", block_size=12, momentum=0.5, block_momentum_as_time_constant=20),
    ),
    "blocks_one_rate": (
        1,
        "steps",
        dict(
            kind="block_momentum",
            block_size=12,
            block_learning_rate=0.5,
            block_momentum_as_time_constant=20,
            use_nestrov_momentum=False,
            distributed_after=16,
        ),
    ),
    "two_learners": (2, "two_learners", {}),
    "session_one": (1, "session", {}),
    "session": (2, "session", {}),
    "session_four": (4, "session", {}),
    "arrays": (2, "arrays", {}),
    "arrays_blocks": (2, "arrays", dict(kind="block_momentum", block_size=12)),
    "dropout": (2, "dropout", {}),
    "dropout_four": (4, "dropout", {}),
    "dropout_blocks": (2, "dropout", dict(kind="block_momentum", block_size=16)),
    "convolution_one_bit": (2, "convolution", dict(num_quantization_bits=1)),
    "convolution_four": (4, "convolution", {}),
    "two_learners_blocks": (
        2,
        "two_learners",
        dict(kind="block_momentum", block_size=16, block_learning_rate=0.9),
    ),
    "from_data": (2, "from_data", {}),
    "from_data_four": (4, "from_data", {}),
    "validated": (2, "validated", {}),
    "validated_four": (4, "validated", {}),
    "restored": (2, "restored", {}),
    "restored_four": (4, "restored", {}),
    "restored_one_bit": (2, "restored", dict(num_quantization_bits=1)),
    "measured": (2, "measured", {}),
}


class Program:
    """A small network, in every process the same; what is asked of it is kept as plain numbers."""

    def __init__(self, C, np):
        self.C, self.np = C, np
        draw = np.random.RandomState(3)
        self.X, self.Y = draw.randn(96, 5).astype("f"), draw.randn(96, 3).astype("f")
        self.x, self.y = C.input_variable(5), C.input_variable(3)
        self.w = C.parameter((5, 3), init=draw.randn(5, 3).astype("f"))
        self.b = C.parameter(3, init=np.zeros(3, "f"))
        self.z = C.times(self.x, self.w) + self.b
        self.loss, self.metric = C.squared_error(self.z, self.y), C.reduce_max(C.abs(self.z - self.y))
        self.workers = C.train.distributed.Communicator
        self.rank, self.size = self.workers.rank(), self.workers.num_workers()

    def learner(self, parameters=None, kind="data_parallel", momentum=0, **options):
        C, rate = self.C, self.C.learning_parameter_schedule(0.1, minibatch_size=8)
        parameters = parameters or [self.w, self.b]
        local = (
            C.momentum_sgd(parameters, rate, C.momentum_schedule(momentum), unit_gain=False)
            if momentum
            else C.sgd(parameters, rate)
        )
        return getattr(C.train.distributed, kind + "_distributed_learner")(local, **options)

    def weights(self):
        return [float(v) for v in self.w.value.ravel()] + [float(v) for v in self.b.value.ravel()]

    def step(self, trainer, begin, end):
        feed = {self.x: self.X[begin:end], self.y: self.Y[begin:end]} if end > begin else {}
        trained = trainer.train_minibatch(feed)
        n = trainer.previous_minibatch_sample_count
        return [
            trained,
            n,
            float(trainer.previous_minibatch_loss_average) if n else 0.0,
            float(trainer.previous_minibatch_evaluation_average) if n else 0.0,
            trainer.total_number_of_samples_seen,
        ] + self.weights()

    def own(self, begin, count):
        share = count // self.size
        return begin + self.rank * share, begin + (self.rank + 1) * share

    def steps(self, **options):
        trainer = self.C.Trainer(self.z, (self.loss, self.metric), [self.learner(**options)])
        return [self.step(trainer, *self.own(begin, 8)) for begin in range(0, 48, 8)]

    def uneven(self):
        trainer = self.C.Trainer(self.z, (self.loss, self.metric), [self.learner()])
        rows = [self.step(trainer, *self.own(begin, 8)) for begin in (0, 8)]
        rows.append(self.step(trainer, *((16, 21) if self.rank == 0 else (0, 0))))
        rows.append(self.step(trainer, *((0, 0) if self.rank == 0 else (21, 24))))
        rows.append(self.step(trainer, 0, 0))
        return rows

    def dropout(self, **options):
        """Seeds of functions differ from worker to worker, those of first values do not."""
        C = self.C
        hidden = C.dropout(C.times(self.x, self.w) + self.b, 0.5)
        v = C.parameter((3, 3), init=C.glorot_uniform())
        z = C.dropout(C.times(hidden, v), 0.25)
        loss = C.squared_error(z, self.y)
        trainer = C.Trainer(z, (loss, loss), [self.learner([self.w, self.b, v], **options)])
        return [self.step(trainer, *self.own(begin, 8)) for begin in range(0, 48, 8)]

    def convolution(self, **options):
        C, np, rows = self.C, self.np, []
        draw = np.random.RandomState(5)
        images, labels = draw.randn(48, 1, 6, 6).astype("f"), np.eye(3, dtype="f")[draw.randint(0, 3, 48)]
        x, y = C.input_variable((1, 6, 6)), C.input_variable(3)
        kernel = C.parameter(init=draw.randn(4, 1, 3, 3).astype("f") * 0.5)
        dense = C.parameter(init=draw.randn(4, 2, 2, 3).astype("f") * 0.5)
        z = C.times(
            C.pooling(
                C.relu(C.convolution(kernel, x, auto_padding=[False, True, True])),
                C.MAX_POOLING,
                (3, 3),
                (3, 3),
            ),
            dense,
            output_rank=1,
        )
        loss, metric = C.cross_entropy_with_softmax(z, y), C.classification_error(z, y)
        trainer = C.Trainer(z, (loss, metric), [self.learner([kernel, dense], **options)])
        for begin in range(0, 48, 8):
            own = slice(*self.own(begin, 8))
            trainer.train_minibatch({x: images[own], y: labels[own]})
            rows.append(
                [
                    trainer.previous_minibatch_sample_count,
                    float(trainer.previous_minibatch_loss_average),
                    float(trainer.previous_minibatch_evaluation_average),
                ]
                + [float(v) for v in kernel.value.ravel()[:9]]
                + [float(v) for v in dense.value.ravel()[:9]]
            )
        return rows

    def two_learners(self, **options):
        learners = [self.learner([self.w], **options), self.learner([self.b], momentum=0.5, **options)]
        learners[0].set_as_metric_aggregator()
        trainer = self.C.Trainer(self.z, (self.loss, self.metric), learners)
        return [self.step(trainer, *self.own(begin, 8)) for begin in range(0, 48, 8)]

    def writer(self, rows):
        class Writer(
            self.C.logging.ProgressWriter
            if hasattr(self.C.logging, "ProgressWriter")
            else self.C.cntk_py.ProgressWriter
        ):
            def __init__(self):
                never = sys.maxsize
                super(Writer, self).__init__(1, 0, never, 0, never, 0)
                self.freq = 1

            def on_write_training_update(self, samples, updates, loss, metric):
                rows.append(["update", samples[1], loss[1] - loss[0], metric[1] - metric[0]])

            def on_write_training_summary(self, samples, updates, summaries, loss, metric, milliseconds):
                rows.append(["summary", samples, loss, metric])

            def on_write_test_summary(self, samples, updates, summaries, metric, milliseconds):
                rows.append(["test", samples, metric])

        self.kept = Writer()
        return self.kept

    def source(self, samples=45, **options):
        """A file of sequences of one sample, in their order."""
        C = self.C
        path = os.path.join(self.folder, "data%d_%d.ctf" % (samples, self.rank))
        if not os.path.exists(path):
            with open(path, "w") as f:
                for row, (a, b) in enumerate(zip(self.X[:samples], self.Y[:samples])):
                    f.write(
                        "%d |x %s |y %s\n"
                        % (row, " ".join(map(repr, a.tolist())), " ".join(map(repr, b.tolist())))
                    )
        streams = C.io.StreamDefs(x=C.io.StreamDef(field="x", shape=5), y=C.io.StreamDef(field="y", shape=3))
        return C.io.MinibatchSource(C.io.CTFDeserializer(path, streams), randomize=False, **options)

    def session(self):
        C, rows = self.C, []
        source, test = self.source(max_sweeps=2), self.source(max_sweeps=1)
        trainer = C.Trainer(self.z, (self.loss, self.metric), [self.learner()], [self.writer(rows)])
        streams = {self.x: source.streams.x, self.y: source.streams.y}
        C.training_session(
            trainer=trainer,
            mb_source=source,
            mb_size=8,
            model_inputs_to_streams=streams,
            progress_frequency=40,
            test_config=C.TestConfig(
                test,
                minibatch_size=16,
                model_inputs_to_streams={self.x: test.streams.x, self.y: test.streams.y},
            ),
        ).train()
        return rows + [["end", trainer.total_number_of_samples_seen] + self.weights()]

    def from_data(self):
        """Arrays in memory, in their order."""
        C, rows = self.C, []
        source = C.io.MinibatchSourceFromData(dict(x=self.X[:48], y=self.Y[:48]), max_samples=80)
        trainer = C.Trainer(self.z, (self.loss, self.metric), [self.learner()], [self.writer(rows)])
        streams = {self.x: source.streams["x"], self.y: source.streams["y"]}
        C.training_session(
            trainer=trainer,
            mb_source=source,
            mb_size=8,
            model_inputs_to_streams=streams,
            progress_frequency=40,
        ).train()
        return rows + [["end", trainer.total_number_of_samples_seen] + self.weights()]

    def trained(self, rows, restore=False, samples=None, frequency=None, **options):
        """A session with validation; its checkpoint is all workers'."""
        C = self.C
        source, validation = self.source(48, max_sweeps=2), self.source(max_sweeps=1)
        trainer = C.Trainer(self.z, (self.loss, self.metric), [self.learner(momentum=0.5, **options)])
        more = dict(max_samples=samples) if samples else {}

        def validated(index, average, count, minibatches):
            rows.append(["validated", index, float(average), count, minibatches])
            return True

        C.training_session(
            trainer=trainer,
            mb_source=source,
            mb_size=8,
            model_inputs_to_streams={self.x: source.streams.x, self.y: source.streams.y},
            progress_frequency=40,
            checkpoint_config=C.CheckpointConfig(
                filename=os.path.join(self.folder, "session"), frequency=frequency, restore=restore
            )
            if frequency
            else None,
            cv_config=C.CrossValidationConfig(
                validation,
                frequency=24,
                minibatch_size=16,
                callback=validated,
                model_inputs_to_streams={self.x: validation.streams.x, self.y: validation.streams.y},
            ),
            **more,
        ).train()
        rows.append(["end", trainer.total_number_of_samples_seen] + self.weights())

    def validated(self):
        rows = []
        self.trained(rows)
        return rows

    def restored(self, **options):
        """Half of a session, and the other half from its checkpoint, with a network that begins anew."""
        rows = []
        self.trained(rows, frequency=16, samples=56, **options)
        C, np = self.C, self.np
        C.train.distributed.mpi_communicator().barrier()
        self.w.value, self.b.value = np.zeros((5, 3), "f"), np.zeros(3, "f")
        self.trained(rows, frequency=16, restore=True, **options)
        return rows

    def measured(self):
        """A test by all workers after a training: Function.test and Evaluator."""
        C, rows = self.C, []
        trainer = C.Trainer(self.z, (self.loss, self.metric), [self.learner()])
        for begin in range(0, 24, 8):
            self.step(trainer, *self.own(begin, 8))
        own = slice(*self.own(24, 8))
        rows.append(["trainer", float(trainer.test_minibatch({self.x: self.X[own], self.y: self.Y[own]}))])
        evaluator = C.Evaluator(self.metric)
        rows.append(
            ["evaluator", float(evaluator.test_minibatch({self.x: self.X[own], self.y: self.Y[own]}))]
        )
        source = self.source(max_sweeps=1)
        criterion = C.combine([self.loss, self.metric])
        streams = [source.streams.x, source.streams.y]
        order = streams if criterion.arguments[0] == self.x else streams[::-1]
        summary = criterion.test(
            source, minibatch_size=16, model_inputs_to_streams=dict(zip(criterion.arguments, order))
        )
        rows.append(["test", float(summary.metric)])
        return rows

    def arrays(self, **options):
        C, rows = self.C, []
        criterion = C.combine([self.loss, self.metric])
        data = self.X[:44], self.Y[:44]
        order = [self.x, self.y] if criterion.arguments[0] == self.x else [self.y, self.x]
        criterion.train(
            tuple(data[0] if v == self.x else data[1] for v in order),
            minibatch_size=8,
            max_epochs=2,
            parameter_learners=[self.learner(**options)],
            callbacks=[self.writer(rows)],
        )
        # CNTK's last exchange, a block without samples, moves the model once more by its last momentum.
        return rows if options else rows + [["end"] + self.weights()]


def run(case, folder):
    import numpy as np

    import cntk as C

    _, function, options = CASES[case]
    program = Program(C, np)
    program.folder = folder
    rows = getattr(program, function)(**options)
    with open(os.path.join(folder, "%d.json" % program.rank), "w") as f:
        json.dump(rows, f)
    program.workers.finalize()


def found(case, folder):
    rows = []
    for rank in range(CASES[case][0]):
        with open(os.path.join(folder, "%d.json" % rank)) as f:
            rows.append(json.load(f))
    return rows


def rounded(value):
    return (
        [rounded(v) for v in value]
        if isinstance(value, list)
        else round(value, 6)
        if isinstance(value, float)
        else value
    )


if __name__ == "__main__":
    first, second = sys.argv[1:3]
    if first in CASES:
        run(first, second)
    else:
        golden = {}
        for case, (workers, _, _) in CASES.items():
            folder = tempfile.mkdtemp()
            subprocess.check_call(
                [first, "-np", str(workers), second, __file__, case, folder], stdout=sys.stderr
            )
            golden[case] = rounded(found(case, folder))
        lines = ['"%s": %s' % (case, json.dumps(golden[case])) for case in sorted(golden)]
        print("{\n" + ",\n".join(lines) + "\n}")
