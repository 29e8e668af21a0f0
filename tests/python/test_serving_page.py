"""docs/serving.md: its programs and commands run one after another; the page at / stands alone; TLS."""

import os
import re
import shlex
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from serving import PROGRAM, Server

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / 'docs' / 'serving.md').read_text(encoding='utf-8')

pytestmark = pytest.mark.skipif(
    not PROGRAM.exists(), reason='the server is not built: its libraries are missing'
)


def free_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return str(s.getsockname()[1])


def test_its_programs_and_commands(tmp_path):
    blocks = re.findall(r'^```(python|sh)\n(.*?)^```', TEXT, re.M | re.S)
    assert [kind for kind, _ in blocks] == ['python', 'sh', 'sh', 'sh', 'sh']
    (tmp_path / 'make.py').write_text(blocks[0][1], encoding='utf-8')
    environment = {
        **os.environ,
        'PYTHONPATH': os.pathsep.join(sys.path),
        'PATH': f'{PROGRAM.parent}{os.pathsep}{os.environ["PATH"]}',
    }
    subprocess.run([sys.executable, 'make.py'], cwd=tmp_path, env=environment, check=True, timeout=120)
    # An error in between leaves no server behind.
    script = "trap 'kill %1 2>/dev/null || true' EXIT\nset -em\n" + 'echo\n'.join(
        text for _, text in blocks[1:]
    )
    done = subprocess.run(
        ['bash', '-c', script.replace('8000', free_port())],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    said = done.stdout
    assert '"shape":[1,3,3]' in said
    assert '"name":"y:lengths","datatype":"INT64","shape":[2],"data":[3,1]' in said
    assert 'cantik_infer_total{model="tagger",version="1",outcome="answered"} 2' in said
    assert said.rstrip().endswith('\n1')


def test_options_of_the_document_are_those_of_the_program():
    known = subprocess.run([str(PROGRAM), '--help'], capture_output=True, text=True, check=True).stdout
    for option in set(re.findall(r'--[a-z][a-z-]+', TEXT)):
        assert option in known, option


def test_the_page_stands_alone(tmp_path):
    with Server(tmp_path) as server:
        status, page = server.ask('GET', '/')
        assert (status, server.fields['Content-Type']) == (200, 'text/html; charset=utf-8')
        assert page.startswith(b'<!doctype html>')
        assert not re.search(rb'https?://|src=|href=|@import', page)
        status, page = server.ask('HEAD', '/')
        assert (status, page) == (200, b'')


def test_tls(tmp_path):
    if (
        'without TLS'
        in subprocess.run(
            [str(PROGRAM), '--models', str(tmp_path), '--certificate', 'a', '--private-key', 'b'],
            capture_output=True,
            text=True,
            check=False,
        ).stderr
    ):
        pytest.skip('the server is built without TLS')
    certificate, key = tmp_path / 'certificate.pem', tmp_path / 'key.pem'
    subprocess.run(
        shlex.split(
            'openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 '
            '-subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1 '
            f'-keyout {key} -out {certificate}'
        ),
        check=True,
        capture_output=True,
    )
    (tmp_path / 'models').mkdir()
    with Server(tmp_path / 'models', '--certificate', certificate, '--private-key', key) as server:
        command = ['curl', '-sS', '--cacert', str(certificate), f'https://localhost:{server.port}/v2']
        for more in ([], ['--http1.1'], ['--tls-max', '1.2']):
            done = subprocess.run([*command, *more], capture_output=True, text=True, check=True)
            assert '"name":"cantik"' in done.stdout
        # without TLS, and with a hand that is not shaken
        with pytest.raises(OSError):
            server.ask('GET', '/v2')
        with socket.create_connection(('127.0.0.1', server.port), timeout=20) as s:
            s.sendall(b'\x16\x03\x01')
        triton = pytest.importorskip('tritonclient.grpc', reason='tools/requirements/test.txt')
        client = triton.InferenceServerClient(
            f'localhost:{server.port}', ssl=True, root_certificates=str(certificate)
        )
        assert client.is_server_live()
        client.close()
    for a, b, text in [
        (key, key, 'certificate'),
        (certificate, certificate, 'private key'),
        (tmp_path / 'none', key, 'cannot be used'),
    ]:
        words = [
            str(PROGRAM),
            '--models',
            str(tmp_path / 'models'),
            '--certificate',
            str(a),
            '--private-key',
            str(b),
        ]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert text in done.stderr
