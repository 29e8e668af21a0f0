"""The programs of CNTK's page about minibatch sources, with what CNTK 2.7 makes of them
(tests/golden/document_sources_cntk.py), saved, restored, and as the shares of several workers."""

import io
import re

import numpy as np
import pytest

import cantik as C
from documents import between, document, mended, run

NAME = 'user_minibatch_sources.txt'

# (printed, meant): the last minibatch of a session may be smaller than the first sequence, which then has to
# come all the same; a worker's share stands in a comment, which would leave out the beginning of the sequence
# that follows.
AT_LEAST_ONE = (
    'if (feature_data or label_data) and max(f_sample_count+len(feature_data)',
    'if (features or labels) and max(f_sample_count+len(feature_data)',
)
OWN_SHARE = [
    (
        'f_sample_count += len(feature_data)\n',
        'own = seq_id % number_of_workers == worker_rank\n                    f_sample_count += own * '
        'len(feature_data)\n',
    ),
    ('features.append(feature_data)', 'features += own * [feature_data]'),
    ('l_sample_count += len(label_data)\n', 'l_sample_count += own * len(label_data)\n'),
    ('labels.append(label_data)', 'labels += own * [label_data]'),
]


def program(text, cell, end):
    """A cell of the page: from its number to the text that follows it."""
    code = between(text, cell, end).split('\n', 1)
    return code[0].split(':', 1)[1] + '\n' + code[1]


def one_worker():
    text = document(NAME)
    names = run(program(text, 'In [1]:', 'In [3]:'))
    run(program(text, 'In [3]:', '### Using the user minibatch'), names)
    return names, program(text, 'In [38]:', 'Learning rate per sample')


def several_workers(*mends):
    text = document(NAME)
    names = run(program(text, 'In [1]:', 'In [3]:'))
    run(mended(program(text, 'In [73]:', 'In [74]:'), *mends), names)
    return names, program(text, 'In [74]:', 'io pos:  58')


def epochs(said):
    return re.findall(
        r'Finished Epoch\[(\d+) of 10\]: \[Training\] loss = ([\d.]+) \* (\d+), metric = ([\d.]+)% \* \d+ ',
        said,
    )


def test_the_session_trains_as_cntks_does(capsys):
    C.cntk_py.set_fixed_random_seed(1)
    names, session = one_worker()
    run(session, names)
    said = capsys.readouterr().out
    assert said.startswith('Learning rate per 1 samples: 0.5\n')
    assert epochs(said) == [
        ('1', '1.083898', '20', '100.00'),
        ('2', '0.428241', '20', '0.00'),
        ('3', '0.070048', '20', '0.00'),
        ('4', '0.025981', '20', '0.00'),
    ]
    assert names['trainer'].total_number_of_samples_seen == 80


def test_the_source_of_several_workers_as_it_is_printed(capsys):
    # CNTK trains three epochs, then the source asks for the first of no sequences: an error there, and one
    # here.
    C.cntk_py.set_fixed_random_seed(1)
    names, session = several_workers()
    with pytest.raises((RuntimeError, ValueError)):
        run(session, names)
    said = capsys.readouterr().out
    assert [e[1:3] for e in epochs(said)[:3]] == [('1.299049', '20'), ('0.659090', '20'), ('0.199930', '20')]
    asked = re.findall(r'features to training:  (.*)', said)
    assert asked[:4] == [
        '[[560, 0, 0], [560, 0, 0, 424]]',
        '[[160, 5, 6], [560, 0, 0]]',
        '[[560, 0, 0, 424], [160, 5, 6]]',
        '[[560, 0, 0], [560, 0, 0, 424]]',
    ]
    assert asked[-1] == '[]'


def test_the_session_of_several_workers(capsys):
    names, session = several_workers(AT_LEAST_ONE)
    run(session, names)
    assert names['trainer'].total_number_of_samples_seen == 80
    assert len(epochs(capsys.readouterr().out)) == 4


@pytest.mark.parametrize('workers', [2, 3])
def test_each_worker_gets_its_share(workers, capsys):
    names, _ = several_workers(AT_LEAST_ONE, *OWN_SHARE)
    sources = [
        names['MyMultiWorkerDataSource'](io.StringIO(names['sample_data']), 1000, 5) for _ in range(workers)
    ]
    for rank, source in enumerate(sources):
        batch = source.next_minibatch(6, workers, rank)
        digits = np.argmax(batch[source.lsi].asarray(), axis=-1).ravel()
        assert len(digits) and all(d % workers == rank for d in digits)


# ---- checkpoints ----


def with_state(source, *fields):
    """The document's class with a state: its own fields."""
    return type(
        source.__name__,
        (source,),
        dict(
            get_checkpoint_state=lambda self: {f: getattr(self, f) for f in fields},
            restore_from_checkpoint=lambda self, state: [setattr(self, f, state[f]) for f in fields],
        ),
    )


def trained(make, size, folder, read_ahead=False):
    """Weights after 30 samples of a session over the document's network, with checkpoints on the way."""
    C.cntk_py.reset_random_seed(1)
    source = make()
    source.read_ahead = read_ahead
    feature, label = C.sequence.input_variable(shape=(1000,)), C.input_variable(shape=(5,))
    z = C.layers.Dense(5)(C.sequence.last(C.layers.Recurrence(C.layers.LSTM(20))(feature)))
    learner = C.momentum_sgd(
        z.parameters, C.learning_parameter_schedule_per_sample(0.1), C.momentum_schedule(0.9)
    )
    trainer = C.Trainer(
        z, (C.cross_entropy_with_softmax(z, label), C.classification_error(z, label)), [learner]
    )
    C.training_session(
        trainer,
        source,
        size,
        {feature: source.fsi, label: source.lsi},
        max_samples=30,
        checkpoint_config=C.CheckpointConfig(str(folder / 'm'), frequency=10, preserve_all=True),
    ).train()
    assert trainer.total_number_of_samples_seen >= 30
    return [p.value for p in z.parameters]


@pytest.mark.parametrize('read_ahead', [False, True])
@pytest.mark.parametrize('which', ['one worker', 'several workers'])
def test_a_restored_session_goes_on_bit_for_bit(which, read_ahead, tmp_path, capsys):
    if which == 'one worker':
        names, _ = one_worker()
        cls, size = with_state(names['MyDataSource'], 'next_seq_idx'), 4
        make = lambda: cls(1000, 5)
    else:
        names, _ = several_workers(AT_LEAST_ONE)
        cls, size = with_state(names['MyMultiWorkerDataSource'], 'io_pos'), 7
        make = lambda: cls(io.StringIO(names['sample_data']), 1000, 5)
    whole = trained(make, size, tmp_path, read_ahead)
    asked = capsys.readouterr().out.count('features to training')
    for path in tmp_path.iterdir():
        if path.name not in ('m0', 'm0.ckp'):
            path.unlink()
    again = trained(make, size, tmp_path, read_ahead)
    assert capsys.readouterr().out.count('features to training') < asked or which == 'one worker'
    assert all(np.array_equal(a, b) for a, b in zip(whole, again))
