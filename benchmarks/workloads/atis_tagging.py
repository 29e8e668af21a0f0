"""atis_tagging: a slot for each word of a sentence, the sentences read from a text file in the timed loop;
words a second."""

import gzip
import shutil
import tempfile
import time
from pathlib import Path

from timing import EXAMPLES_DATA, arguments, cantik_with, emit, undisturbed, wanted

args = arguments()
C = cantik_with(args.threads)
PATIENCE = 2  # seconds of a repetition, so that each holds sentences of all lengths


def training(path, words):
    """One step: the next whole sentences of so many words, in random order, for ever."""
    streams = C.io.StreamDefs(
        query=C.io.StreamDef('S0', 943, True),
        intent=C.io.StreamDef('S1', 26, True),
        slots=C.io.StreamDef('S2', 129, True),
    )
    source = C.io.MinibatchSource(C.io.CTFDeserializer(path, streams), randomize=True)
    x, y = C.sequence.input_variable(943, is_sparse=True), C.sequence.input_variable(129, is_sparse=True)
    z = C.layers.Sequential(
        [C.layers.Embedding(150), C.layers.Recurrence(C.layers.LSTM(300)), C.layers.Dense(129)]
    )(x)
    trainer = C.Trainer(
        None,
        C.cross_entropy_with_softmax(z, y),
        [C.sgd(z.parameters, C.learning_parameter_schedule_per_sample(0.003))],
    )
    bind = {x: source.streams.query, y: source.streams.slots}

    def step():
        minibatch = source.next_minibatch(words, bind)
        trainer.train_minibatch(minibatch)
        return minibatch[x].num_samples

    return step, trainer


def words_per_second(step):
    count, begin = 0, time.perf_counter()
    while time.perf_counter() - begin < max(PATIENCE, args.seconds):
        count += step()
    return count / (time.perf_counter() - begin)


with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / 'atis.train.ctf'
    with gzip.open(EXAMPLES_DATA / 'atis' / 'atis.train.ctf.gz') as packed, open(path, 'wb') as plain:
        shutil.copyfileobj(packed, plain)
    for name, words in dict(mb70=70, mb1000=1000).items():
        if wanted(args, name):
            step, trainer = training(str(path), words)
            begin = time.perf_counter()
            step()
            first = time.perf_counter() - begin
            for _ in range(5):
                step()
            values, foreign = undisturbed(lambda: words_per_second(step), args.reps)
            emit(
                'atis_tagging',
                name,
                'words/s',
                values,
                args.threads,
                warm_s=first,
                foreign=foreign,
                loss=trainer.previous_minibatch_loss_average,
            )
