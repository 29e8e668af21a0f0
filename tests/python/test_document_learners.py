"""The learners and the source of CNTK's page about extending it."""

import textwrap

import numpy as np
import pytest

import cantik as C
from documents import between, document, mended, run

NAME = 'extending_cntk.txt'

# Lines that the page has lost, and the module that CNTK 2 has moved.
MODULE = ('from cntk.learner import UserLearner', 'from cntk.learners import UserLearner')
NAIVE = (
    '            new_p = p - eta * C.constant(g)\n',
    '            new_p = p - eta * C.constant(g)\n            p.set_value(new_p.eval(as_numpy=False).data)\n',
)
FAST = [
    ('                    grad_input: g\n', '                    grad_input: g\n            }\n'),
    (
        'slice_view([0]*len(shape),\n',
        'slice_view([0]*len(shape),\n                                                   '
        'shape[1:])\n            p.set_value(static_tensor)\n',
    ),
]
SOURCE = [
    ('1   |x 424:1\n\n', "1   |x 424:1\n'''\n\n"),
    ('            if not line:\n', '            if not line:\n                continue\n'),
    (
        '''            vocab_idx = int(features[1].split(":")[0])
''',
        '''            vocab_idx = int(features[1].split(":")[0])
            self.data[seq_id]['features'].append(vocab_idx)
''',
    ),
    ('> num_samples:\n', '> num_samples:\n                break\n'),
    (
        '            f_sample_count += len(f_data)\n',
        '            f_sample_count += len(f_data)\n            features.append(f_data)\n',
    ),
    (
        '            l_sample_count += len(l_data)\n',
        '            l_sample_count += len(l_data)\n            labels.append(l_data)\n',
    ),
    (
        '                self.lsi: MinibatchData(l_data, num_seq, l_sample_count, sweep_end)\n',
        '                self.lsi: MinibatchData(l_data, num_seq, l_sample_count, '
        'sweep_end)\n                }\n',
    ),
]
SESSION = [
    ('    label: mbs.lsi\n', '    label: mbs.lsi\n}\n'),
    (
        'mb_size=4, max_samples=20\n',
        'model_inputs_to_streams=input_map, mb_size=4, max_samples=20\n)\nsession.train()\n',
    ),
    (
        '# setting up the model\n# ...\n',
        '''z = C.layers.Dense(num_output_classes)(sequence.last(C.layers.Recurrence(C.layers.LSTM(20))(feature)))
ce, errs = C.cross_entropy_with_softmax(z, label), C.classification_error(z, label)
learner = C.sgd(z.parameters, C.learning_parameter_schedule_per_sample(0.5))
''',
    ),
]


def learner(name):
    text = document(NAME)
    names = {'C': C, 'cntk': C, 'np': np, 'UserLearner': C.learners.UserLearner, 'Trainer': C.Trainer}
    if name == 'MySgd':
        return run(
            mended(between(text, 'from cntk.learner import', 'The class MySgd'), MODULE, NAIVE), names
        )[name]
    return run(mended(between(text, 'class MySgdFast', 'With this implementation'), *FAST), names)[name]


def trained(make, rate, dtype=np.float32, minibatches=20):
    rs = np.random.RandomState(0)
    C.cntk_py.reset_random_seed(1)
    with C.default_options(dtype=dtype):
        x, y = C.input_variable(7, dtype), C.input_variable(3, dtype)
        z = C.layers.Sequential([C.layers.Dense(21, activation=C.sigmoid), C.layers.Dense(3)])(x)
        ce, pe = C.cross_entropy_with_softmax(z, y), C.classification_error(z, y)
    trainer = C.Trainer(z, (ce, pe), make(z.parameters, rate))
    for i in range(minibatches):
        n = 5 + i % 4
        assert trainer.train_minibatch(
            {x: rs.randn(n, 7).astype(dtype), y: np.eye(3, dtype=dtype)[rs.randint(0, 3, n)]},
            is_sweep_end=i % 5 == 4,
        )
    assert trainer.total_number_of_samples_seen == sum(5 + i % 4 for i in range(minibatches))
    return [p.value for p in z.parameters]


@pytest.mark.parametrize('dtype', [np.float32, np.float64])
@pytest.mark.parametrize('schedule', [0.125, [0.25, 0.125, 0.0625]])
def test_the_documents_sgd_is_the_built_in_one_bit_for_bit(schedule, dtype):
    rate = lambda: C.learning_parameter_schedule(schedule, epoch_size=None if np.isscalar(schedule) else 30)
    ours, theirs = trained(C.sgd, rate(), dtype), trained(learner('MySgd'), rate(), dtype)
    for a, b in zip(ours, theirs):
        np.testing.assert_array_equal(a, b)


def test_the_documents_fast_sgd():
    # It divides the rate by the number of samples in float32, and in the graph: its last bits differ, CNTK's
    # do, too.
    ours, theirs = (
        trained(C.sgd, C.learning_parameter_schedule(0.125)),
        trained(learner('MySgdFast'), C.learning_parameter_schedule(0.125)),
    )
    for a, b in zip(ours, theirs):
        np.testing.assert_allclose(a, b, rtol=2e-6, atol=2e-7)


def test_the_documents_source():
    text = document(NAME)
    names = {
        'cntk': C,
        'C': C,
        'Value': C.Value,
        'sequence': C.sequence,
        'Trainer': C.Trainer,
        'training_session': C.training_session,
    }
    source = textwrap.dedent(
        between(text, 'import numpy as np\nfrom cntk.io'.split('\n')[1], 'This can then be used wherever')
    )
    run('import numpy as np\n' + mended(source, *SOURCE), names)
    run(mended(between(text, 'input_dim = 1000', 'As we have noted above'), *SESSION), names)
    assert names['trainer'].total_number_of_samples_seen == 20
