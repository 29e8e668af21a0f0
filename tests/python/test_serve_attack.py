"""All that clients do wrong at once, for a few seconds; `make attack` does it for longer."""

from pathlib import Path

import pytest

from serving import PROGRAM

pytestmark = pytest.mark.skipif(
    not PROGRAM.exists(), reason='the server is not built: its libraries are missing'
)


def test_a_server_stands_all_at_once(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[2] / 'benchmarks' / 'serving'))
    pytest.importorskip('grpc', reason='tools/requirements/test.txt')
    pytest.importorskip('tritonclient.grpc', reason='tools/requirements/test.txt')
    import attack

    monkeypatch.setattr(attack, 'SLOW', 50)
    monkeypatch.setattr(attack, 'GREEDY', 24)
    assert attack.run(3) == []
