"""The examples run, in a short form, and reach what they promise."""
import re
import runpy
import sys
from pathlib import Path

import cantik as C

EXAMPLES = Path(__file__).resolve().parents[2] / 'examples'


def run(name, capsys, monkeypatch, *arguments):
    monkeypatch.setattr(sys, 'argv', [name, *arguments])
    C.cntk_py.set_max_num_cputhreads(1)
    try:
        runpy.run_path(str(EXAMPLES / name), run_name='__main__')
    finally:
        C.cntk_py.set_max_num_cputhreads(0)
    return capsys.readouterr().out


def test_slots_of_atis(capsys, monkeypatch, tmp_path):
    said = run('atis_tagging.py', capsys, monkeypatch, '--sweeps', '1', '--model', str(tmp_path / 'atis.model'))
    learned, tested = (float(x) for x in re.findall(r'metric = ([\d.]+)%', said))
    assert learned < 10 and tested < 6
    assert re.search(r'boston\s+B-fromloc.city_name', said) and re.search(r'york\s+I-toloc.city_name', said)


def test_letters_of_the_documentation(capsys, monkeypatch):
    said = run('character_lm.py', capsys, monkeypatch, '--sweeps', '3', '--letters', '60000', '--hidden', '64', '--streams', '16', '--steps', '30', '--say', '80', '--beginning', 'The state')
    assert re.match(r'60000 letters, \d+ different ones, read in 16 streams\n', said)
    bits = [float(b) for b in re.findall(r'([\d.]+) bits a letter', said)]
    assert bits[0] > bits[1] > bits[2] and bits[2] < 4.2  # letters by themselves cost about 5
    written = said.split('bits a letter\n')[-1][:-1]
    assert written.startswith('The state') and len(written) == len('The state') + 80
