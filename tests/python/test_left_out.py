"""Rows and pictures that cannot be read are left out, up to the user's limit, counted, and told once."""

import base64
import shutil
from pathlib import Path

import numpy as np
import pytest

import cantik as C
import cantik.io.transforms as T

PICTURES = Path(__file__).resolve().parents[1] / 'golden' / 'images'
GOOD = (PICTURES / 'square.png').read_bytes()


def csv(folder, bad):
    path = folder / 'data.csv'
    path.write_text('x,kind\n' + ''.join(f'{"oops" if i in bad else i},{i % 3}\n' for i in range(20)))
    return C.io.CSVDeserializer(path, {'x': 'x', 'kind': 'kind'}, one_hot={'kind': 3})


def streams():
    return C.io.StreamDefs(
        x=C.io.StreamDef(field='image', transforms=[T.scale(4, 4, 3)]),
        kind=C.io.StreamDef(field='label', shape=20),
    )


def listed(folder, bad):
    with open(folder / 'list.txt', 'w') as listing:
        for i in range(20):
            (folder / f'{i}.png').write_bytes(GOOD[:100] if i in bad else GOOD)
            listing.write(f'{folder}/{i}.png\t{i}\n')
    return C.io.ImageDeserializer(folder / 'list.txt', streams())


def gone(folder, bad):
    made = listed(folder, ())
    for i in bad:
        (folder / f'{i}.png').unlink()
    return made


def in_base64(folder, bad):
    with open(folder / 'data.txt', 'w') as file:
        for i in range(20):
            file.write(f'{i}\t{base64.b64encode(b"no picture" if i in bad else GOOD).decode()}\n')
    return C.io.Base64ImageDeserializer(folder / 'data.txt', streams())


KINDS = [csv, listed, gone, in_base64]


def numbers(batches, name='kind'):
    """The class of each sample, which is its number (of a table modulo 3)."""
    found = []
    for batch in batches:
        rows = batch[name]
        found += [int(i) for i in rows.indices]
        assert all(len(other) == rows.shape[0] for other in batch.values() if isinstance(other, np.ndarray))
    return found


@pytest.mark.parametrize('make', KINDS)
@pytest.mark.parametrize('bad', [(5,), (0, 7, 8), (17, 18, 19), tuple(range(10))])
@pytest.mark.parametrize('size', [1, 3, 20])
def test_left_out(tmp_path, make, bad, size):
    source = C.io.MinibatchSource(make(tmp_path, bad), randomize=False, max_errors=len(bad))
    expected = [i % 3 if make is csv else i for i in range(20) if i not in bad]
    with pytest.warns(RuntimeWarning) as said:
        for _ in range(2):
            assert numbers(source.batches(size)) == expected
    told = [str(w.message) for w in said if 'left out' in str(w.message)]
    assert len(told) == len(bad) and f'left out ({len(bad)} of at most {len(bad)})' in told[-1]
    # samples stay samples
    (batch,) = list(source.batches(1000))
    assert batch['x'].shape == ((20 - len(bad), 1) if make is csv else (20 - len(bad), 3, 4, 4))


@pytest.mark.parametrize('make', KINDS)
@pytest.mark.parametrize('most', [0, 2])
def test_one_too_many(tmp_path, make, most):
    source = C.io.MinibatchSource(make(tmp_path, (3, 9, 11)), randomize=False, max_errors=most)
    said = f'left out +{most} before' if most else 'no number|cannot be read|Base64|No such file'
    with pytest.raises(RuntimeError, match=said):
        for _ in source.batches(5):
            pass


@pytest.mark.filterwarnings('ignore:.*left out')
@pytest.mark.parametrize('make', KINDS)
def test_random_orders_and_checkpoints(tmp_path, make):
    bad = (2, 3, 11)
    source = C.io.MinibatchSource(make(tmp_path, bad), randomization_seed=1, max_errors=3)
    first = numbers(source.batches(4))
    assert sorted(first) == sorted(i % 3 if make is csv else i for i in range(20) if i not in bad)
    next(iter(source.batches(4)))
    state = source.get_checkpoint_state()
    rest = numbers(source.batches(4))
    source.restore_from_checkpoint(state)
    assert numbers(source.batches(4)) == rest


@pytest.mark.filterwarnings('ignore:.*left out')
@pytest.mark.parametrize('make', KINDS)
def test_joined_with_other_data(tmp_path, make):
    """A sequence that is left out in one part is left out in all."""
    (tmp_path / 'more.ctf').write_text(''.join(f'|number {i}\n' for i in range(20)))
    more = C.io.CTFDeserializer(tmp_path / 'more.ctf', C.io.StreamDefs(number=C.io.StreamDef('number', 1)))
    bad = (0, 4, 19)
    for parts in ([make(tmp_path, bad), more], [more, make(tmp_path, bad)]):
        source = C.io.MinibatchSource(parts, randomize=False, max_errors=3)
        found = np.concatenate([batch['number'].ravel() for batch in source.batches(4)])
        assert found.tolist() == [i for i in range(20) if i not in bad]


@pytest.mark.filterwarnings('ignore:.*left out')
def test_truncated_sequences(tmp_path):
    source = C.io.MinibatchSource(
        csv(tmp_path, (1, 19)), randomize=False, max_sweeps=3, truncation_length=5, max_errors=2
    )
    found = []  # slots hold sequences that are not read yet: those of two sweeps come side by side
    while batch := source.next_minibatch(10):
        found += [float(part[0, 0]) for part in batch[source.streams.x].asarray()]
    assert sorted(found) == sorted(3 * [float(i) for i in range(20) if i not in (1, 19)])


def test_a_network_trains_on_the_rest(tmp_path):
    source = C.io.MinibatchSource(listed(tmp_path, (4, 5)), max_errors=2)
    x, y = C.input_variable((3, 4, 4)), C.input_variable(20, is_sparse=True)
    z = C.layers.Dense(20)(x / 256)
    criterion = C.combine([C.cross_entropy_with_softmax(z, y), C.classification_error(z, y)])
    with pytest.warns(RuntimeWarning, match='left out'):
        progress = criterion.train(
            source,
            minibatch_size=4,
            max_epochs=2,
            epoch_size=20,
            parameter_learners=[C.sgd(z.parameters, 0.1)],
            model_inputs_to_streams={x: source.streams.x, y: source.streams.kind},
        )
    assert len(progress.epoch_summaries) == 2


def test_a_wrong_limit(tmp_path):
    with pytest.raises((ValueError, TypeError), match='max_errors'):
        C.io.MinibatchSource(csv(tmp_path, ()), max_errors=-1)
    shutil.rmtree(tmp_path)
