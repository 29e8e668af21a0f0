"""The pages of the command line work as they are printed."""

import json
import re
import socket

import pytest

from cantik.commands.serve import program_path

from command_pages import blocks, shell


def test_the_page_of_the_command_line(tmp_path):
    done = shell('\n'.join(blocks('command_line.md')), tmp_path)
    assert done.returncode == 0, done.stderr
    assert 'epoch 10 ' in done.stdout and 'wrote flowers.model' in done.stdout
    assert len(json.loads((tmp_path / 'history.json').read_text())['epochs']) == 20
    assert json.loads((tmp_path / 'flowers.json').read_text())['parameters'] == 99
    assert (tmp_path / 'flowers.mmd').read_text().startswith('flowchart TB\n')
    # models that went to another format and back are what they were
    assert (tmp_path / 'restored.model').read_bytes() == (tmp_path / 'flowers.model').read_bytes()
    texts = [(tmp_path / name).read_text() for name in ('words.ctf', 'words_again.ctf')]
    for stream in ('word', 'even'):
        numbers = [re.findall(rf'{stream} (\S+)', text) for text in texts]
        assert numbers[0] == numbers[1] and len(numbers[0]) >= 200
    assert json.loads((tmp_path / 'trace.json').read_text())['traceEvents']


def test_the_page_of_deployment(tmp_path):
    """The last block needs the server, which a build may be without."""
    first, last = blocks('deploy.md')[:-1], blocks('deploy.md')[-1]
    assert 'cantik serve' in last and not any('cantik serve' in block for block in first)
    done = shell('\n'.join(first), tmp_path)
    assert done.returncode == 0, done.stderr
    found = dict(line.split() for line in done.stdout.splitlines()[-3:])
    assert float(found['accuracy']) > 0.8 and float(found['f1']) > 0.8


@pytest.mark.skipif(program_path() is None, reason='cantik-serve is not built')
def test_the_server_of_the_page(tmp_path):
    with socket.socket() as door:
        door.bind(('127.0.0.1', 0))
        port = str(door.getsockname()[1])
    script = '\n'.join(blocks('deploy.md')).replace('8000', port)
    done = shell(script, tmp_path)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout[done.stdout.index('{"') :])
    assert answer['model_name'] == 'flowers'
    assert answer['outputs'][0]['shape'] == [2, 3]
