"""The command line: what each command does to real models and data, and that a mistake is a line of text."""

import gzip
import json
import os
import re
import signal
import subprocess
import sys
import zipfile

import click
import numpy as np
import pytest

import cantik as C
from cantik.commands import _program, serve
from shell import cantik, hears_of_ctrl_c


@pytest.fixture
def run(capsys):
    """(status, output, errors) of a command line, in this process."""

    def call(*arguments):
        status = _program.main([str(word) for word in arguments])
        said = capsys.readouterr()
        return status, said.out, said.err

    return call


RECIPE = {
    'output': 'made.model',
    'model': {
        'layers': [{'layer': 'Dense', 'shape': 8, 'activation': 'relu'}, {'layer': 'Dense', 'shape': 3}]
    },
    'data': {'train': 'train.csv', 'labels': 'kind'},
    'training': {'loss': 'cross_entropy', 'metrics': ['accuracy'], 'epochs': 3, 'rate': 0.02, 'seed': 1},
}


def recipe(folder, changes=None, **tables):
    """A file with RECIPE, some of whose keys are others; None takes a key away."""
    made = json.loads(json.dumps(RECIPE))
    for name, keys in tables.items():
        made[name] = {k: v for k, v in {**made[name], **keys}.items() if v is not None}
    made.update(changes or {})
    (folder / 'recipe.json').write_text(json.dumps({k: v for k, v in made.items() if v is not None}))
    return folder / 'recipe.json'


def write_table(path, rows, seed=0):
    random = np.random.RandomState(seed)
    lines = ['length,width,kind']
    for i in range(rows):
        k = i % 3
        x, y = random.randn(2) * 0.3 + (k, 2 - k)
        lines.append(f'{x:.3f},{y:.3f},{("rose", "tulip", "iris")[k]}')
    opened = gzip.open if path.suffix == '.gz' else open
    with opened(path, 'wt') as file:
        file.write('\n'.join(lines) + '\n')


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with a table and a trained model, and the current one."""
    monkeypatch.chdir(tmp_path)
    write_table(tmp_path / 'train.csv', 240)
    write_table(tmp_path / 'test.csv', 60, seed=1)
    return tmp_path


@pytest.fixture
def model(place):
    assert (
        _program.main(['train', str(recipe(place)), '--set', 'training.epochs=15', '--output', 'm.model'])
        == 0
    )
    return place / 'm.model'


# ---- all commands


def commands():
    context = click.Context(_program.program)
    return [
        (name, _program.program.get_command(context, name))
        for name in _program.program.list_commands(context)
    ]


def test_the_commands():
    names = 'bench completion config convert eval inspect launch operators profile run serve train'
    assert [name for name, _ in commands()] == names.split()


@pytest.mark.parametrize('name, command', commands())
def test_each_command_has_an_example(name, command):
    assert f'cantik {name}' in command.example or name == 'config'
    assert command.get_short_help_str() and command.help.strip().endswith('.')
    with click.Context(command, info_name=name, **command.context_settings) as context:
        shown = command.get_help(context)
    assert 'Example:\n  ' + command.example.split('\n')[0] in shown


def test_help_and_version(run):
    assert run('--version') == (0, C.cantik_version + '\n', '')
    status, out, _ = run('--help')
    assert status == 0 and all(f'\n  {name} ' in out for name, _ in commands())
    assert run()[1] == out
    status, out, err = run('train', '-h')
    assert out.startswith('Usage: cantik train'), (status, err)


def test_importing_cantik_does_not_import_the_command_line():
    code = "import sys, cantik; sys.exit('click' in sys.modules or 'cantik.commands' in sys.modules)"
    assert subprocess.run([sys.executable, '-c', code], check=False).returncode == 0


WRONG = [
    ['no_such_command'],
    ['--no-such-option'],
    ['run', 'no_such_script.py'],
    ['run', '-m'],
    ['run'],
    ['config'],
    ['train', 'nothing.toml'],
    ['train'],
    ['eval', 'nothing.model', 'nothing.csv'],
    ['inspect', 'nothing.model'],
    ['inspect', '.'],
    ['inspect', 'm.model', '--graph', 'svg'],
    ['inspect', 'm.model', '--output', 'x.txt'],
    ['inspect', 'm.model', '--graph', 'poem'],
    ['convert', 'm.model'],
    ['convert', 'm.model', 'x.cbf'],
    ['convert', 'm.model', 'x.model', '--stream', 'x=3'],
    ['convert', 'm.model', 'x.model', '--into', 'm.model'],
    ['bench', 'm.model', '--batch', '0'],
    ['bench', 'm.model', '--batch', 'many'],
    ['bench', 'm.model', '--seconds', '0'],
    ['profile', 'm.model', '--runs', '0'],
    ['profile', 'm.model', 'an argument'],
    ['launch'],
    ['launch', '-n', '0', 'm.model'],
    ['launch', '-n', '99999999999999999999', 'm.model'],
    ['launch', 'no_such_script.py'],
    ['completion', 'cmd'],
    ['operators', 'no_such_library.so'],
]


@pytest.mark.parametrize('arguments', WRONG, ids=' '.join)
def test_wrong_use_is_a_line(arguments, model, run):
    status, out, err = run(*arguments)
    assert status == 2 and out == ''
    first, *rest = err.splitlines()
    assert first.startswith('cantik') and ': ' in first
    assert all(line.startswith('  ') for line in rest) and 'Traceback' not in err


def test_a_process_ends_with_the_status(tmp_path):
    done = cantik('inspect', 'nothing.model', cwd=tmp_path)
    assert done.returncode == 2 and done.stdout == '' and done.stderr.startswith('cantik inspect: ')


# ---- train


@pytest.mark.parametrize('kind', ['csv', 'csv.gz', 'tsv', 'npz', 'parquet', 'feather'])
def test_train_on_tables(kind, place, run):
    path = place / f'data.{kind}'
    rows = [line.split(',') for line in (place / 'train.csv').read_text().splitlines()]
    columns = {name: list(column) for name, column in zip(rows[0], zip(*rows[1:]))}
    columns = {name: c if name == 'kind' else [float(x) for x in c] for name, c in columns.items()}
    if kind == 'csv.gz':
        write_table(path, 240)
    elif kind in ('csv', 'tsv'):
        path.write_text('\n'.join((',' if kind == 'csv' else '\t').join(row) for row in rows) + '\n')
    elif kind == 'npz':
        np.savez(path, **columns)
    else:
        import pyarrow.feather
        import pyarrow.parquet

        write = pyarrow.parquet.write_table if kind == 'parquet' else pyarrow.feather.write_feather
        write(pyarrow.table(columns), path)
    status, out, err = run('train', recipe(place, data={'train': path.name}), '--json')
    assert status == 0, err
    found = json.loads(out)
    assert found['classes'] == ['iris', 'rose', 'tulip'] and len(found['epochs']) == 3
    assert found['epochs'][-1]['accuracy'] > 0.5
    # the same numbers, whatever file they are in
    assert abs(found['epochs'][-1]['loss'] - expected_loss(place)) < 1e-5
    z = C.load_model('made.model')
    assert z.arguments[0].name == 'features' and z.arguments[0].shape == (2,)


def expected_loss(place):
    rows = [line.split(',') for line in (place / 'train.csv').read_text().splitlines()[1:]]
    x = np.array([[float(a), float(b)] for a, b, _ in rows], np.float32)
    C.set_seed(1)
    layers = [C.layers.Dense(8, activation=C.relu), C.layers.Dense(3)]
    z = C.layers.Sequential(layers, name='output')(C.input_variable(2, name='features'))
    history = C.fit(
        z, x, np.array([kind for *_, kind in rows]), loss='cross_entropy', epochs=3, rate=0.02, seed=1
    )
    return history['loss'][-1]


@pytest.mark.parametrize('ending', ['toml', 'yaml', 'json'])
def test_the_forms_of_a_description(ending, place, run):
    texts = {
        'json': json.dumps(RECIPE),
        'toml': 'output = "made.model"\nmodel.layers = [{layer = "Dense", shape = 8, activation = "relu"}, '
        '{layer = "Dense", shape = 3}]\ndata = {train = "train.csv", labels = "kind"}\n'
        'training = {loss = "cross_entropy", metrics = ["accuracy"], epochs = 3, rate = 0.02, seed = 1}\n',
        'yaml': 'output: made.model\nmodel:\n  layers:\n    - {layer: Dense, shape: 8, activation: relu}\n'
        '    - {layer: Dense, shape: 3}\ndata: {train: train.csv, labels: kind}\n'
        'training: {loss: cross_entropy, metrics: [accuracy], epochs: 3, rate: 0.02, seed: 1}\n',
    }
    if ending == 'yaml':
        pytest.importorskip('yaml')
    (place / f'recipe.{ending}').write_text(texts[ending])
    status, out, _ = run('train', f'recipe.{ending}')
    assert status == 0 and out.splitlines()[-1] == 'wrote made.model'
    assert re.match(r'epoch 3  loss [\d.]+', out.splitlines()[2])


def test_paths_are_relative_to_the_description(place, run, monkeypatch):
    path = recipe(place)
    (place / 'elsewhere').mkdir()
    monkeypatch.chdir(place / 'elsewhere')
    assert run('train', path)[0] == 0
    assert (place / 'made.model').exists() and not list((place / 'elsewhere').iterdir())


def test_a_training_goes_on_from_a_file(model, place, run):
    path = recipe(place, model={'layers': None, 'file': 'm.model'}, training={'rate': 0.0001})
    status, out, _ = run('train', path, '--json', '--output', 'more.onnx')
    assert status == 0
    assert json.loads(out)['epochs'][0]['accuracy'] > 0.9  # it begins where the other ended
    assert C.load_model('more.onnx').arguments[0].name == 'features'


def test_layers_in_layers(place, run):
    np.savez('pictures.npz', picture=np.random.RandomState(0).rand(40, 1, 8, 8), kind=np.arange(40) % 2)
    layers = [
        {
            'layer': 'Convolution2D',
            'filter_shape': [3, 3],
            'num_filters': 2,
            'activation': 'relu',
            'init': 'he_normal',
        },
        {'layer': 'For', 'what_range': [1], 'constructor': {'layer': 'Dense', 'shape': 3}},
        {'layer': 'Dense', 'shape': 2},
    ]
    status, _, err = run('train', recipe(place, data={'train': 'pictures.npz'}, model={'layers': layers}))
    assert status == 1 and err.startswith('cantik train: layers[1]')
    status, _, err = run(
        'train',
        recipe(place, data={'train': 'pictures.npz'}, model={'layers': [layers[0], 'tanh', layers[2]]}),
    )
    assert status == 0, err
    assert C.load_model('made.model').arguments[0].shape == (1, 8, 8)


MISTAKES = [
    ({'model': {'layers': []}}, 'has no layers'),
    ({'model': {'layers': [{'layer': 'Dense'}]}}, "layers[0], Dense"),
    ({'model': {'layers': [{'layer': 'Dens', 'shape': 3}]}}, "there is no layer 'Dens'"),
    ({'model': {'layers': [{'layer': 'Function', 'f': 3}]}}, "there is no layer 'Function'"),
    ({'model': {'layers': [{'layer': 'BlockFunction', 'op_name': 'x', 'name': 'y'}]}}, "there is no layer"),
    ({'model': {'layers': ['__import__']}}, '__import__'),
    ({'model': {'layers': ['plus']}}, 'no operator of one operand'),
    ({'model': {'layers': [{'layer': 'Dense', 'shape': 3, 'activation': 'os.system'}]}}, 'os.system'),
    (
        {'model': {'layers': [{'layer': 'Dense', 'shape': 3, 'init': 'eval'}]}},
        "there is no initializer 'eval'",
    ),
    ({'model': {'layers': [7]}}, 'layers[0] is no layer'),
    ({'model': {'file': 'm.model'}}, 'either layers or a file'),
    ({'model': {'layers': None}}, 'either layers or a file'),
    ({'model': {'layers': None, 'file': 'nothing.model'}}, 'nothing.model'),
    ({'model': {'weights': 'x'}}, "there is no 'weights'"),
    ({'data': {'train': 'nothing.csv'}}, 'nothing.csv'),
    ({'data': {'train': 'train.json'}}, "by the ending '.json'"),
    ({'data': {'labels': 'price'}}, "has no column 'price'"),
    ({'data': {'labels': None}}, 'say which column has the labels'),
    ({'data': {'features': ['kind']}}, 'has texts'),
    ({'data': {'streams': {'x': '3'}}}, 'streams are for text files'),
    ({'data': {'validation_split': 2}}, 'validation_split must be between 0 and 1'),
    ({'training': {'loss': 'perplexity'}}, "there is no loss 'perplexity'"),
    ({'training': {'loss': None}}, 'has no training.loss'),
    ({'training': {'learner': 'magic'}}, "there is no learner 'magic'"),
    ({'training': {'epochs': 'ten'}}, 'epochs must be a whole number'),
    ({'training': {'epochs': True}}, 'epochs must be a whole number'),
    ({'training': {'epochs': 0}}, 'epochs'),
]


@pytest.mark.parametrize('tables, text', MISTAKES, ids=lambda v: v if isinstance(v, str) else '')
def test_mistakes_in_a_description(tables, text, place, run):
    status, out, err = run('train', recipe(place, **tables))
    assert status == 1 and out == '' and not (place / 'made.model').exists()
    assert err.startswith('cantik train: ') and text in err and 'Traceback' not in err


@pytest.mark.parametrize(
    'name, content, text',
    [
        ('a.toml', 'x = = 3', 'a.toml: '),
        ('a.json', '{"output":', 'a.json: '),
        ('a.json', '[1, 2]', 'no table'),
        ('a.json', '[' * 100000, ''),
        ('a.yaml', 'x: [', 'a.yaml: '),
        ('a.yaml', '!!python/object/apply:os.system ["touch broken"]', 'a.yaml: '),
        ('a.toml', '', 'has no model'),
        ('a.toml', 'colour = 3', "there is no 'colour'"),
        ('a.model', '', 'a training is a script'),
    ],
)
def test_files_that_describe_no_training(name, content, text, place, run):
    if name.endswith('.yaml'):
        pytest.importorskip('yaml')
    (place / name).write_text(content)
    status, _, err = run('train', name)
    assert status == 1 and err.startswith('cantik train: ') and text in err
    assert not (place / 'broken').exists()


def test_an_output_that_cannot_be_written_is_told_before_the_training(place, run):
    status, out, err = run('train', recipe(place), '--output', 'train.csv/m.model')
    assert status == 1 and out == '' and err.startswith('cantik train: train.csv: ')
    status, _, err = run('train', recipe(place, {'output': None}))
    assert status == 1 and '--output' in err


def test_an_output_that_is_a_folder_is_told_before_the_training(place, run):
    (place / 'made.model').mkdir()
    status, out, err = run('train', recipe(place))
    assert (status, out) == (1, '') and 'made.model' in err and 'directory' in err
    status, out, err = run('train', recipe(place), '--output', 'n' * 400 + '.model')
    assert (status, out) == (1, '') and 'File name too long' in err


def test_a_loss_that_is_no_number_is_told(place, run):
    made = recipe(place, training={'rate': 1e30, 'loss': 'mse', 'metrics': None}, data={'labels': 'width'})
    content = json.loads(made.read_text())
    content['data']['features'] = ['length']
    content['model']['layers'] = [{'layer': 'Dense', 'shape': 1}]
    made.write_text(json.dumps(content))
    status, out, err = run('train', made)
    assert status == 0 and 'the loss is nan' in err and 'a smaller rate' in err, (out, err)


def test_ctrl_c(place):
    path = recipe(place, training={'epochs': 1000000, 'metrics': []})
    process = subprocess.Popen(
        [sys.executable, '-u', '-m', 'cantik', 'train', path],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hears_of_ctrl_c,
    )
    assert process.stdout.readline().startswith('epoch 1')
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130 and 'Traceback' not in err and 'cantik: interrupted' in err


# ---- eval


def test_eval_is_score(model, place, run):
    status, out, _ = run('eval', model, 'test.csv', '--metrics', 'accuracy,f1', '--json')
    rows = [line.split(',') for line in (place / 'test.csv').read_text().splitlines()[1:]]
    x = np.array([[float(a), float(b)] for a, b, _ in rows], np.float32)
    labels = np.array([kind for *_, kind in rows])
    expected = C.score(
        C.load_model(str(model)), x, labels, loss='cross_entropy', metrics=['accuracy', 'f1'],
        classes=['iris', 'rose', 'tulip'],
    )  # fmt: skip
    assert status == 0 and json.loads(out) == pytest.approx(dict(expected), abs=1e-6)
    assert expected['accuracy'] > 0.8


def test_eval_takes_columns_by_their_names(model, place, run):
    """Another order of columns, and further ones, are the same data."""
    rows = [line.split(',') for line in (place / 'test.csv').read_text().splitlines()]
    (place / 'turned.csv').write_text('\n'.join(f'{k},{w},{l},{len(k)}' for l, w, k in rows) + '\n')
    text = (place / 'turned.csv').read_text().splitlines()
    text[0] = 'kind,width,length,other'
    (place / 'turned.csv').write_text('\n'.join(text) + '\n')
    assert run('eval', model, 'test.csv') == run('eval', model, 'turned.csv')


def test_eval_knows_classes_that_the_data_lack(model, place, run):
    lines = (place / 'test.csv').read_text().splitlines()
    (place / 'tulips.csv').write_text(
        '\n'.join([lines[0], *(line for line in lines if 'tulip' in line)]) + '\n'
    )
    status, out, _ = run('eval', model, 'tulips.csv', '--json')
    assert status == 0 and json.loads(out)['accuracy'] > 0.5


def test_eval_refuses_what_would_change_the_figures(model, place, run):
    status, out, err = run('eval', model, 'test.csv', '--classes', 'rose,tulip,rose')
    assert (status, out) == (2, '') and 'a class twice' in err
    status, out, err = run('eval', model, 'test.csv', '--features', 'width,length')
    assert (status, out) == (2, '') and 'in the order length,width' in err


def test_eval_of_onnx(model, place, run):
    assert run('convert', model, 'm.onnx')[0] == 0
    expected = run('eval', model, 'test.csv')
    assert expected[0] == 0 and run('eval', 'm.onnx', 'test.csv') == expected  # what it was trained with
    rows = [line.split(',') for line in (place / 'test.csv').read_text().split()]
    (place / 'swapped.csv').write_text(''.join(f'{y},{x},{kind}\n' for x, y, kind in rows))
    assert run('eval', 'm.onnx', 'swapped.csv') == expected
    network = C.load_model('m.onnx')
    network.custom_attributes = {}
    network.save('m.onnx')
    status, _, err = run('eval', 'm.onnx', 'test.csv')
    assert status == 2 and '--loss' in err
    options = ['--loss', 'cross_entropy', '--metrics', 'accuracy', '--labels', 'kind']
    assert run('eval', 'm.onnx', 'test.csv', *options)[1] == run('eval', model, 'test.csv')[1]


@pytest.mark.parametrize(
    'content, text',
    [
        (b'', 'has no rows'),
        (b'length,width,kind\n', 'has no rows'),
        (b'length,width,kind\n1,2\n', 'line 2 has 2'),
        (b'length,width,kind\n1,2,rose\n1,2\n', ''),
        (b'length,width,kind\n1,2,rose\n1,two,rose\n', 'two'),
        (b'length,length,kind\n1,2,rose\n', "called 'length'"),
        (b'length,kind\n1,rose\n', "has no column 'width'"),
        (b'length,width,kind\n1,2,violet\n', 'violet'),
        (b'\xff\xfe\x00,\x00\n\x00\x01', ''),
        (b'length,width,kind\n1,2,"rose\n' * 3, ''),
    ],
)
def test_tables_that_are_wrong(content, text, model, place, run):
    (place / 'wrong.csv').write_bytes(content)
    status, out, err = run('eval', model, 'wrong.csv')
    assert status == 1 and out == '' and err.startswith('cantik eval: ') and text in err


@pytest.mark.parametrize('kind', ['npz', 'csv.gz', 'parquet', 'feather', 'cbf'])
@pytest.mark.parametrize(
    'content', [b'', b'nothing of the kind', b'PK\x03\x04' + bytes(60), b'PAR1' + bytes(20)]
)
def test_files_that_are_damaged(kind, content, model, place, run):
    (place / f'wrong.{kind}').write_bytes(content)
    status, _, err = run('eval', model, f'wrong.{kind}', '--labels', 'kind')
    assert status == 1 and err.startswith('cantik eval: ')


def test_arrays_that_would_run_code_are_refused(model, place, run):
    class Touch:
        def __reduce__(self):
            return os.mkdir, (str(place / 'broken'),)

    np.savez(place / 'hostile.npz', kind=np.array([Touch()], dtype=object))
    status, _, err = run('eval', model, 'hostile.npz')
    assert status == 1 and 'hostile.npz is no file of arrays' in err and not (place / 'broken').exists()


def test_arrays_larger_than_their_file_are_refused(model, place, run):
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904,), }"
    head = b'\x93NUMPY\x01\x00' + len(header).to_bytes(2, 'little') + header
    with zipfile.ZipFile(place / 'large.npz', 'w') as archive:
        archive.writestr('kind.npy', head)
    status, _, err = run('eval', model, 'large.npz')
    assert status == 1 and err.startswith('cantik eval: ')


@pytest.fixture
def words(place, run):
    lines = ''
    for i in range(120):
        lines += f'{i} |word {i % 5}:1 |even {i % 2}:1\n{i} |word {i % 2}:1\n'
    (place / 'words.ctf').write_text(lines)
    streams = {'word': '5:sparse:sequence', 'even': '2:sparse'}
    layers = [
        {'layer': 'Embedding', 'shape': 6},
        {'layer': 'Fold', 'folder_function': {'layer': 'GRU', 'shape': 6}},
        {'layer': 'Dense', 'shape': 2},
    ]
    path = recipe(
        place,
        {'output': 'words.model'},
        model={'layers': layers},
        data={'train': 'words.ctf', 'validation': 'words.ctf', 'labels': 'even', 'streams': streams},
    )
    status, out, err = run('train', path, '--set', 'training.epochs=8', '--json')
    assert status == 0, err
    return place, json.loads(out)['epochs'][-1]


def test_sequences(words, run):
    place, last = words
    streams = ['--stream', 'word=5:sparse', '--stream', 'even=2:sparse']
    status, out, err = run('eval', 'words.model', 'words.ctf', *streams, '--json')
    assert status == 0, err
    found = json.loads(out)
    assert found['accuracy'] == last['val_accuracy'] and found['loss'] == pytest.approx(
        last['val_loss'], rel=1e-5
    )
    # the binary format has its streams, and is the same data
    assert run('convert', 'words.ctf', 'words.cbf', *streams) == (0, '', '')
    assert json.loads(run('eval', 'words.model', 'words.cbf', '--json')[1]) == pytest.approx(found, rel=1e-6)
    assert run('convert', 'words.cbf', 'again.ctf')[0] == 0
    assert re.findall(r'word \S+', (place / 'again.ctf').read_text()) == re.findall(
        r'word \S+', (place / 'words.ctf').read_text()
    )


@pytest.mark.parametrize(
    'arguments, text',
    [
        (['eval', 'words.model', 'words.ctf'], '--stream'),
        (['eval', 'words.model', 'words.ctf', '--stream', 'word'], 'NAME=SIZE'),
        (['eval', 'words.model', 'words.ctf', '--stream', 'word=0'], 'NAME=SIZE'),
        (['eval', 'words.model', 'words.ctf', '--stream', 'word=5:spare'], 'NAME=SIZE'),
        (['eval', 'words.model', 'words.ctf', '--stream', 'word=5:sparse'], 'streams'),
        (['convert', 'words.ctf', 'words.cbf'], '--stream'),
        (['convert', 'words.ctf', 'words.ctf', '--stream', 'word=5:sparse'], 'itself'),
        (['convert', 'words.ctf', 'words.ctf/w.cbf', '--stream', 'word=5:sparse'], 'words.ctf'),
        (['convert', 'words.model', 'words.ctf/w.model'], 'words.ctf'),
    ],
)
def test_mistakes_with_sequences(arguments, text, words, run):
    status, _, err = run(*arguments)
    assert status == 1 and text in err


# ---- inspect


def test_inspect(model, run):
    status, out, _ = run('inspect', model)
    assert status == 0
    assert 'input features: [#, 2] float32' in out and 'output output' in out
    assert '51 parameters in 4 tensors' in out and 'trained with classes: iris, rose, tulip' in out


def test_inspect_as_json(model, run):
    found = json.loads(run('inspect', model, '--json')[1])
    # products [1, 2] [2, 8] and [1, 8] [8, 3], with 2 operations for each pair; sums; relu
    assert found['operations'] == 2 * (2 * 8 + 8 * 3) + 8 + 3 + 8
    assert found['parameters'] == 51 and found['parameter_bytes'] == 4 * 51
    assert found['inputs'] == [
        {'name': 'features', 'shape': [2], 'axes': ['defaultBatchAxis'], 'type': 'float32', 'sparse': False}
    ]
    assert found['outputs'][0]['shape'] == [3]
    assert {row['operator']: row['functions'] for row in found['operators']}['Times'] == 2
    assert found['training']['loss'] == 'cross_entropy'
    assert [row['name'] for row in json.loads(run('inspect', model, '--parameters', '--json')[1])] == [
        'Dense.W', 'Dense.b', 'Dense_2.W', 'Dense_2.b',
    ]  # fmt: skip


@pytest.mark.parametrize('graph', ['text', 'dot', 'mermaid', 'svg'])
def test_graphs(graph, model, place, run):
    begin = {'text': 'Plus(', 'dot': 'digraph', 'mermaid': 'flowchart TB', 'svg': '<?xml'}[graph]
    assert run('inspect', model, '--graph', graph, '--output', f'g.{graph}') == (0, '', '')
    text = (place / f'g.{graph}').read_text()
    assert begin in text or graph == 'text'
    if graph != 'svg':
        assert run('inspect', model, '--graph', graph)[1] == text


def test_operations_of_convolutions_and_sparse_rows(place, run):
    picture = C.input_variable((3, 10, 12))
    C.layers.Convolution2D((3, 5), 4, pad=True, bias=False)(picture).save('c.model')
    assert json.loads(run('inspect', 'c.model', '--json')[1])['operations'] == 2 * (4 * 10 * 12) * (3 * 3 * 5)
    C.layers.ConvolutionTranspose2D((2, 2), 4, strides=2, bias=False)(picture).save('t.model')
    assert json.loads(run('inspect', 't.model', '--json')[1])['operations'] == 2 * (3 * 10 * 12) * (4 * 2 * 2)
    C.layers.Embedding(7)(C.input_variable(1000, is_sparse=True)).save('e.model')
    assert json.loads(run('inspect', 'e.model', '--json')[1])['operations'] == 2 * 7
    C.reduce_sum(C.input_variable((4, 5)), axis=0).save('r.model')
    assert json.loads(run('inspect', 'r.model', '--json')[1])['operations'] == 20


@pytest.mark.parametrize('content', [b'', b'text', b'\x08\x01' * 100, b'PK\x03\x04' + bytes(50)])
@pytest.mark.parametrize('command', ['inspect', 'bench', 'profile', 'eval', 'convert'])
def test_files_that_are_no_models(command, content, place, run):
    (place / 'wrong.model').write_bytes(content)
    further = {'eval': ['test.csv'], 'convert': ['x.onnx']}.get(command, [])
    status, out, err = run(command, 'wrong.model', *further)
    assert status == 1 and out == '' and err.startswith(f'cantik {command}: ') and 'Traceback' not in err


# ---- convert, bench, profile


def test_weights(model, place, run):
    assert run('convert', model, 'w.safetensors')[0] == 0
    assert list(C.load_weights('w.safetensors')) == ['Dense.W', 'Dense.b', 'Dense_2.W', 'Dense_2.b']
    assert run('convert', 'w.safetensors', 'again.model', '--into', model)[0] == 0
    assert (place / 'again.model').read_bytes() == model.read_bytes()
    C.save_weights({'x': np.ones(3)}, 'other.safetensors')
    status, _, err = run('convert', 'other.safetensors', 'x.model', '--into', model)
    assert status == 1 and err.startswith('cantik convert: ') and not (place / 'x.model').exists()


@pytest.mark.parametrize('ending', ['csv', 'pt', 'h5', ''])
def test_a_model_is_not_written_over_what_no_model_is(ending, model, place, run):
    target = place / ('precious' + ('.' + ending if ending else ''))
    target.write_text('data')
    C.save_weights(C.load_model(model), 'w.safetensors')
    for words in (
        ['convert', model, target],
        ['convert', 'w.safetensors', target, '--into', model],
        ['train', recipe(place), '--output', target],
    ):
        status, _, err = run(*words)
        assert status != 0 and target.read_text() == 'data', words
        is_for_data = ending == 'csv' and words[1] == model
        assert is_for_data or '.model, .dnn, .cntk, .onnx' in err, err


def test_the_formats_of_models(model, run):
    for name in ('m.dnn', 'm.cntk', 'M.ONNX'):
        assert run('convert', model, name)[0] == 0
    assert b'Cantik' in open('M.ONNX', 'rb').read()[:20] and run('inspect', 'm.cntk')[0] == 0


@pytest.mark.parametrize('against', ['none', 'onnxruntime'])
def test_bench(against, model, run):
    if against == 'onnxruntime':
        pytest.importorskip('onnxruntime')
    options = ['--batch', '1,3', '--seconds', '0.01', '--threads', '1', '--against', against]
    before = C._cantik.thread_limit()
    try:
        status, out, err = run('bench', model, *options, '--json')
        assert status == 0, err
        assert 'median ms' in run('bench', model, *options)[1]
    finally:
        C._cantik.set_thread_limit(before)
    rows = json.loads(out)['rows']
    assert [row['batch'] for row in rows] == ([1, 3] if against == 'none' else [1, 1, 3, 3])
    assert all(0 < row['decile_1_ms'] <= row['median_ms'] <= row['decile_9_ms'] for row in rows)


def test_bench_of_whole_numbers(place, run):
    onnx = pytest.importorskip('onnx', reason='tools/requirements/test.txt')
    pytest.importorskip('onnxruntime', reason='tools/requirements/test.txt')
    make, kinds = onnx.helper, onnx.TensorProto
    table = onnx.numpy_helper.from_array(np.random.randn(7, 4).astype(np.float32), 'table')
    graph = make.make_graph(
        [
            make.make_node('Gather', ['table', 'tokens'], ['rows']),
            make.make_node('Cast', ['mask'], ['kept'], to=kinds.FLOAT),
            make.make_node('Mul', ['rows', 'kept'], ['y']),
        ],
        'tokens',
        [
            make.make_tensor_value_info('tokens', kinds.INT64, ['batch', 5]),
            make.make_tensor_value_info('mask', kinds.BOOL, ['batch', 5, 1]),
        ],
        [make.make_tensor_value_info('y', kinds.FLOAT, ['batch', 5, 4])],
        [table],
    )
    onnx.save(make.make_model(graph, opset_imports=[make.make_opsetid('', 17)], ir_version=8), 'tokens.onnx')
    options = ['--batch', '2', '--seconds', '0.01', '--json']
    status, out, err = run('bench', 'tokens.onnx', *options, '--against', 'onnxruntime')
    assert status == 0, err
    assert [row['toolkit'] for row in json.loads(out)['rows']] == ['Cantik', 'ONNX Runtime']


def test_what_the_peer_of_bench_refuses_is_a_line(model, run, monkeypatch):
    onnxruntime = pytest.importorskip('onnxruntime', reason='tools/requirements/test.txt')

    class Fails(onnxruntime.InferenceSession):
        def run(self, *arguments):
            raise OverflowError('too much\nof a trace')

    monkeypatch.setattr(onnxruntime, 'InferenceSession', Fails)
    status, out, err = run('bench', model, '--against', 'onnxruntime')
    assert (status, out) == (1, '') and err.count('\n') == 1 and err.endswith('too much\n')
    options = ['--batch', '1', '--seconds', '0.01']
    assert run('bench', model, *options)[1].endswith('too much\n')


def test_bench_of_sequences(words, run):
    status, out, _ = run(
        'bench', 'words.model', '--batch', '2', '--length', '3,5', '--seconds', '0.01', '--json'
    )
    assert status == 0 and {row['length'] for row in json.loads(out)['rows']} == {3, 5}


def test_profile(model, place, run):
    status, out, _ = run('profile', model, '--batch', '4', '--runs', '7', '--trace', 'trace.json', '--json')
    found = json.loads(out)
    assert status == 0 and all(row['calls'] % 7 == 0 for row in found['kernels']) and found['memory'] > 0
    assert len(json.loads((place / 'trace.json').read_text())['traceEvents']) >= 7
    assert 'ms' in run('profile', model, '--runs', '2')[1]
    status, _, err = run('profile', model, '--trace', 'no_folder/trace.json')
    assert status == 1 and 'no_folder' in err


# ---- operators, serve, completion


def test_operators_that_are_built_in(run):
    status, out, err = run('operators')
    assert status == 0 and 'relu(x' in out and not err
    assert {'relu', 'times'} <= {row['name'] for row in json.loads(run('operators', '--json')[1])}


@pytest.mark.parametrize(
    'content', [b'', b'not a library', b'\x7fELF' + bytes(60)], ids=['empty', 'text', 'cut off']
)
def test_a_library_that_is_none(content, tmp_path, run):
    path = tmp_path / 'operators.so'
    path.write_bytes(content)
    status, out, err = run('operators', path)
    assert status == 1 and not out
    assert err.startswith('cantik operators: ') and str(path) in err


def test_serve_without_the_server(run, monkeypatch):
    monkeypatch.setattr(serve, 'program_path', lambda: None)
    status, _, err = run('serve', '--models', 'x')
    assert status == 1 and 'cantik-serve is not installed' in err and 'remedy' in err


def test_serve_hands_its_arguments_on(tmp_path):
    """The first of that name on PATH, where the build has none."""
    program = tmp_path / 'cantik-serve'
    program.write_text('#!/bin/sh\necho "$@"\nexit 5\n')
    program.chmod(0o755)
    found = serve.program_path()
    if found is not None:
        assert found.endswith('cantik-serve') and os.access(found, os.X_OK)
        return
    done = cantik(
        'serve', '--models', 'x', '--help', env={**os.environ, 'PATH': f'{tmp_path}:{os.environ["PATH"]}'}
    )
    assert (done.returncode, done.stdout) == (5, '--models x --help\n')


@pytest.mark.parametrize('words, wanted', [('cantik in', 'inspect'), ('cantik inspect --gr', '--graph')])
def test_completion(words, wanted, run):
    for shell in ('bash', 'zsh', 'fish'):
        status, out, _ = run('completion', shell)
        assert status == 0 and '_CANTIK_COMPLETE' in out
    environment = {
        **os.environ,
        '_CANTIK_COMPLETE': 'bash_complete',
        'COMP_WORDS': words,
        'COMP_CWORD': str(len(words.split()) - 1),
    }
    done = cantik(env=environment)
    assert f'plain,{wanted}' in done.stdout.split('\n'), (done.stdout, done.stderr)


@pytest.mark.parametrize(
    'option, what',
    [('--cflags', 'headers'), ('--libs', 'libraries'), ('--include', 'headers'), ('--cmake', 'CMake')],
)
def test_config_of_a_copy_that_is_not_whole(run, monkeypatch, tmp_path, option, what):
    from cantik.commands import config

    folder = tmp_path / 'away'
    monkeypatch.setattr(config, 'folders', lambda: dict.fromkeys(('include', 'library', 'cmake'), folder))
    status, _, said = run('config', option)
    assert (
        status == 1
        and said.startswith('cantik config: there are no ')
        and what in said
        and str(folder) in said
    )
    assert '\n  remedy   run the cantik of the package that pip installed' in said
