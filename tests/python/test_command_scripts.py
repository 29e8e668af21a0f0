"""Scripts on the command line: `cantik run`, and the commands that take a script beside a file."""

import os
import signal
import subprocess
import sys
import time

import pytest

from shell import cantik, hears_of_ctrl_c


def test_train_runs_a_script(tmp_path):
    (tmp_path / 'script.py').write_text('import sys, cntk\nprint(cntk.__name__, sys.argv[1:])\n')
    done = cantik('train', 'script.py', '--output', 'x', '--help', cwd=tmp_path)
    assert done.stdout == "cantik ['--output', 'x', '--help']\n"


@pytest.mark.parametrize(
    'command, options',
    [
        ('train', ['--output', 'x']),
        ('train', ['--set', 'a=1']),
        ('train', ['--json']),
        ('profile', ['--runs', '3']),
        ('profile', ['--batch', '2']),
    ],
)
def test_options_of_files_before_a_script(command, options, tmp_path):
    (tmp_path / 'script.py').write_text('print("it ran")\n')
    done = cantik(command, *options, 'script.py', cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, '') and f'{options[0]} is for files' in done.stderr


def test_profile_of_a_script(tmp_path):
    (tmp_path / 'script.py').write_text(
        'import sys, cntk as C\nprint(sys.argv[1:])\nC.exp(C.constant([1.0])).eval()\nraise SystemExit(0)\n'
    )
    done = cantik('profile', '--trace', tmp_path / 't.json', tmp_path / 'script.py', '--runs', '3')
    assert done.stdout.startswith("['--runs', '3']\n"), done.stderr


def test_ctrl_c_in_a_script(tmp_path):
    (tmp_path / 'script.py').write_text('import time\nprint("ready", flush=True)\ntime.sleep(60)\n')
    process = subprocess.Popen(
        [sys.executable, '-m', 'cantik', 'run', tmp_path / 'script.py'],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=hears_of_ctrl_c,
    )
    process.stdout.readline()
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130


def test_a_script_keeps_its_traceback(tmp_path):
    (tmp_path / 'script.py').write_text('raise ValueError("mine")\n')
    for command in ('run', 'train', 'profile'):
        done = cantik(command, tmp_path / 'script.py')
        assert done.returncode == 1 and 'Traceback' in done.stderr and 'ValueError: mine' in done.stderr


@pytest.mark.parametrize('name', ['-', '/dev/stdin'])
def test_a_script_from_the_standard_input(name):
    done = cantik(
        'run', name, 'word', input='import sys, cntk\nprint(__name__, cntk.__name__, sys.argv[1:])\n'
    )
    assert done.stdout.split(maxsplit=2)[0] == '__main__' and "['word']" in done.stdout, done.stderr


def test_a_script_from_a_pipe(tmp_path):
    os.mkfifo(tmp_path / 'pipe')
    writer = subprocess.Popen(['sh', '-c', 'echo "print(7 * 6)" > pipe'], cwd=tmp_path)
    done = cantik('run', tmp_path / 'pipe', timeout=60)
    writer.wait(10)
    assert done.stdout == '42\n', done.stderr


@pytest.mark.parametrize(
    'arguments, text',
    [
        (['.'], "the folder '.' has no __main__.py"),
        (['-m', 'no_such_module'], "there is no module 'no_such_module'"),
        (['-m', 'no_such.module'], "there is no module 'no_such.module'"),
    ],
)
def test_scripts_that_are_not_there(arguments, text, tmp_path):
    done = cantik('run', *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, '') and text in done.stderr


def test_the_status_of_a_script(tmp_path):
    (tmp_path / 'script.py').write_text('import sys\nprint(sys.argv)\nsys.exit(7)\n')
    done = cantik('run', tmp_path / 'script.py', '--json', '-h', '--', '-m')
    assert done.returncode == 7 and done.stdout.endswith(", '--json', '-h', '--', '-m']\n")


def test_a_module(tmp_path):
    (tmp_path / 'some_module.py').write_text('import sys, mxnet\nprint(mxnet.__name__, sys.argv[1:])\n')
    done = cantik('run', '-m', 'some_module', '--n', '3', cwd=tmp_path)
    assert done.stdout == "cantik.mxnet ['--n', '3']\n", done.stderr
