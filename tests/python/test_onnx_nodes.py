"""ONNX's own tests of its operators: those that golden/onnx_nodes.txt does not list pass, and those that it
lists, each with its reason, do not."""

import pathlib
import sys

import pytest

pytest.importorskip('onnx', reason='tools/requirements/test.txt')
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import onnx_nodes


def test_the_list_of_those_that_do_not_pass_is_true():
    listed = {line.split(': ', 1)[0] for line in onnx_nodes.LIST.read_text().splitlines()}
    passed, failed = onnx_nodes.run_all()
    assert len(passed) > 900
    broken = {name: failed[name] for name in failed if name not in listed}
    assert not broken
    assert not [name for name in passed if name in listed]
