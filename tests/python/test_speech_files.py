"""HTK's files of speech: agreement with CNTK 2.7, what CNTK refuses or reads wrongly, errors that say
where."""

import importlib.util
import json
import warnings
from pathlib import Path

import numpy as np
import pytest

import cantik as C

GOLDEN = Path(__file__).resolve().parents[1] / 'golden'


def cases():
    spec = importlib.util.spec_from_file_location('speech_cntk', GOLDEN / 'speech_cntk.py')
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def steps_of(data):
    counts = {}
    for part in (s.argmax(axis=1) for s in data.as_sequences()):
        for i, step in enumerate(part):
            counts[int(step)] = counts.get(int(step), 0) + len(part) - i
    return sorted([step, count] for step, count in counts.items())


@pytest.fixture(scope='module')
def both():
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')  # of sequences that another file lacks
        ours = cases().run(C, steps_of)
    return json.loads(json.dumps(ours)), json.loads((GOLDEN / 'speech_cntk.json').read_text())


# What CNTK refuses.
MORE = {'labels alone'}


def test_reads_what_cntk_reads(both):
    ours, theirs = both[0]['files'], both[1]['files']
    assert set(ours) == set(theirs) and len(ours) > 50
    assert {name for name in ours if ours[name] != theirs[name]} == MORE
    assert sum(v == 'error' for v in theirs.values()) == 13


@pytest.mark.parametrize('kind', ['shares', 'truncated'])
def test_minibatches_are_cntks(both, kind):
    ours, theirs = both[0][kind], both[1][kind]
    assert len(ours) == len(theirs) and 'error' not in theirs
    for i, (a, b) in enumerate(zip(ours, theirs)):
        assert a == b, i


@pytest.fixture
def files(tmp_path):
    return cases().Files(C, str(tmp_path))


def everything(given, **options):
    """The sequences of each stream."""
    source = C.io.MinibatchSource(given, **{**dict(randomize=False, max_sweeps=1), **options})
    found = {name: [] for name in source.streams}
    for batch in iter(lambda: source.next_minibatch(1000), {}):
        for name, stream in source.streams.items():
            sparse = stream.storage_format == 'sparse'
            rows = batch[stream].as_sequences(
                C.sequence.input_variable(stream.sample_shape, is_sparse=sparse)
            )
            found[name] += [(s.toarray() if sparse else s).tolist() for s in rows]
    return found


def error_of(make, kind=RuntimeError):
    with pytest.raises(kind) as e:
        everything(make())
    return str(e.value)


def test_whole_files_need_no_range(files):
    m = cases()
    m.write_archive(files.path('u1.mfc'), m.utterance(1, 3))
    m.write_archive(files.path('u2.mfc'), m.utterance(2, 1))
    scp = m.write_script(files.path('s.scp'), ['.../u1.mfc', '', 'second.mfc=.../u2.mfc', ''])
    assert everything(files.stream(scp))['x'] == [m.utterance(1, 3).tolist(), m.utterance(2, 1).tolist()]


def test_a_period_of_zero_is_read(files):
    assert len(everything(files.features(dict(period=0)))['x']) == len(cases().LENGTHS)


def test_utterances_that_come_twice_are_left_out(files):
    with pytest.warns(RuntimeWarning, match='1 utterances come twice and are left out, a among them'):
        given = files.script('a.mfc=@[0,2]', 'b.mfc=@[3,3]', 'a.mfc=@[4,4]')
        assert everything(given)['x'] == [[[1, 0, 0]]]
    twice = cases().UTTERANCES + cases().UTTERANCES[:1]
    with pytest.warns(RuntimeWarning, match='1 utterances come twice'):
        assert len(everything(files.labels(twice))['y']) == len(cases().LENGTHS) - 1


def test_numbers_join_with_other_files(files, tmp_path):
    text = tmp_path / 'z.ctf'
    text.write_text('7 |z 70\n3 |z 30\n')
    given = [
        files.script('7.mfc=@[0,2]', '3.mfc=@[3,3]'),
        C.io.CTFDeserializer(str(text), C.io.StreamDefs(z=C.io.StreamDef('z', 1))),
        C.io.HTKMLFBinaryDeserializer(
            C.io.StreamDefs(
                y=C.io.StreamDef(
                    shape=4,
                    mlf=cases().write_binary_mlf(
                        files.path('n.mlf'), [(3, [(2, 1)]), (7, [(0, 1), (1, 2)])], 1
                    ),
                )
            )
        ),
    ]
    found = everything(given)
    assert found['z'] == [[[70]], [[30]]]
    assert [np.argmax(s, 1).tolist() for s in found['y']] == [[0, 1, 1], [2]]


def test_streams_of_one_description(files):
    a, b = files.features(), files.features(context=(0, 1))
    both = C.io.HTKFeatureDeserializer(
        C.io.StreamDefs(
            x=C.io.StreamDef(shape=3, scp=a['input']['x']['scpFile']),
            z=C.io.StreamDef(shape=3, scp=b['input']['x']['scpFile'], context=(0, 1)),
        )
    )
    found = everything(both)
    assert [np.shape(s)[1] for s in found['x'][:2] + found['z'][:2]] == [3, 3, 6, 6]


def test_an_error_says_where(files, tmp_path):
    text = error_of(lambda: files.script('a.mfc=@[0,2]', 'b.mfc=@[20,23]'))
    assert text.splitlines() == [
        'the last frame is 23, and the archive has 23 frames',
        f'  file     {tmp_path}/own.scp, line 2',
        '  utterance b',
        f'  archive  {tmp_path}/all.arc',
    ]
    assert 'line 1' in error_of(lambda: files.script('a.mfc=@[2,1]'))
    assert 'a name or an archive is missing' in error_of(lambda: files.script('=@[2,3]'))
    assert 'No utterances' in error_of(lambda: files.script())
    text = error_of(lambda: files.features(shape=2))
    assert 'the archive has frames of 3 numbers, the stream x asks for 2' in text
    assert 'no kind of floats' in error_of(lambda: files.features(dict(kind=33)))


def test_labels_say_where(files, tmp_path):
    m = cases()

    def text_of(old, new):
        path = Path(m.write_mlf(files.path('bad.mlf'), [('a0', [(0, 2), (1, 1)]), ('a1', [(2, 1)])]))
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))
        return files.labels_of(str(path))

    text = error_of(lambda: text_of('200000 300000 A', '250000 350000 A'))
    assert text.splitlines() == [
        'an utterance of a master label file is damaged: labels follow one another without gaps: frame 2 is '
        'next, and 3 to 4 come',
        f'  file     {tmp_path}/bad.mlf, line 4',
        '  utterance a0',
        '  stream   y',
        '  remedy   mend it, or let max_errors of them be left out',
    ]
    for old, new, said in (
        ('300000 A', '300000 Q', 'the label Q is not among the names of labels'),
        ('0 200000 sil', '200000 sil', 'a line begins with two times'),
        ('0 200000 sil', '100000 200000 sil', 'frame 0 is next, and 1 to 2 come'),
        ('0 100000 B\n.\n', '0 100000 B\n', 'the file ends within the utterance'),
        ('0 100000 B\n', '', 'the utterance has no frames'),
        ('"a1.lab"', 'a1.lab', 'a name in quotation marks is expected'),
        ('"a1.lab"', '""', 'a name in quotation marks is expected'),
        ('"a1.lab"', '"*/.lab"', 'the utterance has no name'),
        ('#!MLF!#', 'MLF', 'Expected MLF header was not found'),
    ):
        assert said in error_of(lambda: text_of(old, new)), old
    with pytest.warns(RuntimeWarning, match=r'line 4: .* the utterance a0 is left out \(1 of at most 1\)'):
        given = text_of('300000 A', '300000 Q')
        assert len(everything(given, max_errors=1)['y']) == 1


def test_names_of_labels(files):
    names = Path(files.path('other'))
    mlf = cases().write_mlf(files.path('l.mlf'), [('a', [(1, 2)])])

    def given(text):
        names.write_text(text)
        return C.io.HTKMLFDeserializer(str(names), C.io.StreamDefs(y=C.io.StreamDef(shape=4, mlf=mlf)))

    assert everything(given('x\r\n\r\n A \r\n'))['y'] == [[[0, 0, 1, 0]] * 2]
    assert 'the label A comes twice' in error_of(lambda: given('A\nA\n'))
    without = C.io.HTKMLFDeserializer('', C.io.StreamDefs(y=C.io.StreamDef(shape=4, mlf=mlf)))
    assert 'no file says which labels there are' in error_of(lambda: without, ValueError)


def test_binary_labels_say_where(files):
    def given(data):
        Path(files.path('b.mlf')).write_bytes(data)
        return C.io.HTKMLFBinaryDeserializer(
            C.io.StreamDefs(y=C.io.StreamDef(shape=4, mlf=files.path('b.mlf')))
        )

    cases().write_binary_mlf(files.path('a.mlf'), [('a', [(1, 2), (3, 1)])])
    good = Path(files.path('a.mlf')).read_bytes()
    assert everything(given(good))['y'][0] == [[0, 1, 0, 0]] * 2 + [[0, 0, 0, 1]]
    for data, said in (
        (b'', 'it is too short'),
        (b'MLX' + good[3:], 'does not begin with the letters MLF'),
        (b'MLF\3' + good[4:], 'it has version 3'),
        (good[:-1], 'it ends within an utterance'),
        (good[:-4] + b'\4\0\1\0', "the label 4, and the stream's dimension is 4"),
        (good[:-2] + b'\2\0', 'its labels have 4 frames, and 3 are announced'),
        (good[:5], 'have no utterances'),
    ):
        assert said in error_of(lambda: given(data)), said


def test_broadcast_is_of_one_frame(files):
    text = error_of(lambda: [files.features(), files.voices(frames=2)])
    assert 'Expanded stream should only contain sequences of length 1' in text
    assert 'Cannot expand utterances of the primary stream v' in error_of(files.voices, ValueError)


def test_frames_of_unequal_streams_are_an_error(files):
    given = [files.features(), files.labels(cases().TWO_DIFFER)]
    with pytest.raises(RuntimeError, match='x has 3 frames, y has 2, in sequence 0'):
        everything(given, frame_mode=True)


def test_an_archive_that_changes_is_an_error(files):
    source = C.io.MinibatchSource(files.features(), randomize=False)
    files.features(dict(compressed=True))
    Path(files.path('all.arc')).write_bytes(b'')
    with pytest.raises(RuntimeError, match='is not a parameter file'):
        source.next_minibatch(3)
    source = C.io.MinibatchSource(files.features(), randomize=False)
    cases().write_archive(files.path('all.arc'), cases().utterance(1, 3))
    with pytest.raises(RuntimeError, match='the archive has changed since the script was read'):
        source.next_minibatch(3)
    source = C.io.MinibatchSource(files.labels(), randomize=False)
    with open(files.path('all.mlf'), 'a') as f:
        f.write('.')
    with pytest.raises(RuntimeError, match='has changed since it was opened'):
        source.next_minibatch(3)


def test_checkpoints_go_on_within_frames(files):
    given = [files.features(), files.labels()]
    first, second = [C.io.MinibatchSource(given, frame_mode=True) for _ in range(2)]
    for _ in range(5):
        first.next_minibatch(7)
    second.restore_from_checkpoint(first.get_checkpoint_state())
    for _ in range(5):
        a, b = first.next_minibatch(7), second.next_minibatch(7)
        x = [batch[s.streams.x].as_sequences() for s, batch in ((first, a), (second, b))]
        assert np.array_equal(x[0], x[1])


def test_a_size_is_not_defined_by_a_stream(files):
    with pytest.warns(RuntimeWarning, match='defines_mb_size of v is not used'):
        files.voices(defines=True)


def test_descriptions_have_cntks_keys():
    S, D = C.io.StreamDefs, C.io.StreamDef
    features = C.io.HTKFeatureDeserializer(S(x=D(shape=2, scp='a', context=(1, 2), broadcast=True)))
    assert features['input']['x'] == {
        'scpFile': 'a',
        'dim': 2,
        'contextWindow': [1, 2],
        'expandToUtterance': True,
        'maxSequenceLength': 65535,
        'definesMBSize': False,
    }
    same = C.io.HTKFeatureDeserializer(S(x=D(shape=2, scp='a', context=3)))
    assert same['input']['x']['contextWindow'] == [3, 3]
    with pytest.raises(TypeError, match='context must be a number or a pair of them'):
        D(context=(1, 2, 3))
    labels = C.io.HTKMLFDeserializer('m', S(x=D(shape=2, mlf=['a', 'b'])), True)
    assert labels['input']['x'] == {
        'labelMappingFile': 'm',
        'dim': 2,
        'phoneBoundaries': 'true',
        'mlfFileList': ['a', 'b'],
    }
    assert C.io.HTKMLFBinaryDeserializer(S(x=D(shape=2, mlf='a')))['input']['x'] == {'dim': 2, 'mlfFile': 'a'}
    for make in (
        lambda: C.io.HTKFeatureDeserializer(S(x=D(shape=2))),
        lambda: C.io.HTKFeatureDeserializer(S(x=D(scp='a'))),
        lambda: C.io.HTKFeatureDeserializer(S()),
        lambda: C.io.HTKMLFDeserializer('m', S(x=D(shape=2))),
        lambda: C.io.HTKMLFDeserializer('m', S(x=D(shape=2, mlf='a'), y=D(shape=2, mlf='a'))),
        lambda: C.io.HTKMLFBinaryDeserializer(S(x=D(mlf='a'))),
    ):
        with pytest.raises(ValueError):
            make()


# ---- lattices ----


class Lattices:
    """Utterances of 3 and 2 frames with lattices, as CNTK 2.7 was given them for the figures below."""

    def __init__(self, folder):
        self.folder = folder
        first, second = bytes(range(24)), bytes(range(100, 150))
        (folder / 'l.lat').write_bytes(b'HEAD' + first + second)
        m = cases()
        m.write_archive(str(folder / 'a.mfc'), np.zeros((5, 3)))
        m.write_script(str(folder / 's.scp'), ['first.mfc=.../a.mfc[0,2]', 'second.mfc=.../a.mfc[3,4]'])

    def __call__(self, contents, tables=('toc',)):
        (self.folder / 'toc').write_text(contents.replace('@', str(self.folder / 'l.lat')))
        (self.folder / 'index').write_text(''.join(f'{self.folder / t}\n' for t in tables))
        features = C.io.StreamDefs(x=C.io.StreamDef(scp=str(self.folder / 's.scp'), shape=3))
        lattice = C.io.StreamDefs(lattice=C.io.StreamDef())
        return [
            C.io.HTKFeatureDeserializer(features),
            C.io.LatticeDeserializer(str(self.folder / 'index'), lattice),
        ]


def bytes_of(given, **options):
    options = {**dict(randomize=False, max_sweeps=1), **options}
    source, found = C.io.MinibatchSource(given, **options), []
    assert source.streams.lattice.sample_shape == (1,)
    for batch in iter(lambda: source.next_minibatch(8), {}):
        rows = batch[source.streams.lattice].as_sequences(C.sequence.input_variable(1))
        found.append([np.ascontiguousarray(s).tobytes() for s in rows])
    return found


@pytest.fixture
def lattices(tmp_path):
    return Lattices(tmp_path)


FIRST, SECOND = bytes(range(24)), bytes(range(100, 150)) + bytes(2)


@pytest.mark.parametrize(
    'contents, expected',
    [
        ('first=@[4]\nsecond=[28]\n', [[FIRST], [SECOND]]),
        ('first=@[4]\r\n\n second=@[28] \n', [[FIRST], [SECOND]]),
        ('head=@[0]\nfirst=[4]\nsecond=[28]', [[FIRST], [SECOND]]),
        ('second=@[28]\nfirst=[4]\n', [[FIRST], [SECOND]]),
        ('first=@[4]\n', [[FIRST + SECOND]]),  # to the end of the archive
    ],
)
def test_lattices_are_the_bytes_that_lie_there(lattices, contents, expected):
    found = bytes_of(lattices(contents))
    assert [[s[: len(e)] for s, e in zip(a, b)] for a, b in zip(found, expected)] == expected
    assert bytes_of(lattices(contents), max_sweeps=3) == 3 * found
    assert len(bytes_of(lattices(contents), randomize=True)) == len(found)


def test_lattices_that_come_twice_are_left_out(lattices):
    with pytest.warns(RuntimeWarning, match='1 utterances come twice and are left out, first among them'):
        assert bytes_of(lattices('first=@[4]\nfirst=[6]\nsecond=[28]\n')) == [[SECOND]]


@pytest.mark.parametrize(
    'contents, said',
    [
        ('hello\n', 'toc, line 1'),
        ('\nfirst=@4\n', 'toc, line 2'),
        ('=@[4]\n', 'not an entry'),
        ('first=@[x]\n', 'not a number'),
        ('first=@[-4]\n', 'not a number'),
        ('first=@[4x]\n', 'not a number'),
        ('first=[4]\n', 'no archive is named'),
        ('first=@[4]\nsecond=[900]\n', 'has 78 bytes'),
        ('first=@[4]\nsecond=[4]\n', 'begin at one byte'),
        ('first=@.no[4]\n', 'No such file'),
        ('', 'list no lattices'),
        ('other=@[4]\n', 'Could not reconcile'),
    ],
)
def test_tables_of_contents_that_cannot_be(lattices, contents, said):
    with pytest.raises(RuntimeError, match=said):
        C.io.MinibatchSource(lattices(contents))


def test_indexes_and_archives_that_cannot_be(lattices):
    with pytest.raises(RuntimeError, match='No such file'):
        C.io.MinibatchSource(lattices('', tables=['nothere']))
    with pytest.raises(RuntimeError, match='list no lattices'):
        C.io.MinibatchSource(lattices('', tables=[]))
    with pytest.raises(RuntimeError, match='the lattice index file parameter is empty'):
        C.io.LatticeDeserializer('', C.io.StreamDefs(lattice=C.io.StreamDef()))
    source = C.io.MinibatchSource(lattices('first=@[4]\nsecond=[28]\n'), max_sweeps=1)
    (lattices.folder / 'l.lat').write_bytes(b'HEAD')
    with pytest.raises(RuntimeError, match='has become shorter'):
        source.next_minibatch(100)
    (lattices.folder / 'l.lat').write_bytes(bytes((50 << 20) + 5))
    with pytest.raises(RuntimeError, match='at most 52428800 are read'):
        C.io.MinibatchSource(lattices('first=@[4]\n'))


def test_files_of_mnist_are_no_features(tmp_path):
    (tmp_path / 'd-ubyte').write_bytes(bytes(100))
    scp = cases().write_script(str(tmp_path / 's.scp'), ['a=.../d-ubyte[0,0]'])
    given = C.io.HTKFeatureDeserializer(C.io.StreamDefs(x=C.io.StreamDef(scp=scp, shape=12)))
    with pytest.raises(RuntimeError, match='unsupported feature kind'):
        C.io.MinibatchSource(given)
