"""The rules of the tree find what breaks them: each fault, put into a copy of the tree, fails its check."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
COPIED = (
    'include',
    'src',
    'python',
    'tools',
    'plugins',
    'benchmarks/kernels',
    'tests/unit',
    'tests/README.md',
    'pyproject.toml',
    '.clang-format',
    '.clang-tidy',
)
IGNORED = shutil.ignore_patterns('__pycache__', '*.so', '*.so.*', 'build')


@pytest.fixture(scope='module')
def tree(tmp_path_factory):
    """A copy of what the checks read, outside git."""
    copy = tmp_path_factory.mktemp('tree')
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, copy / name, ignore=IGNORED, symlinks=True)
        else:
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)
    return copy


def said(tree, *command):
    done = subprocess.run([sys.executable, *command], cwd=tree, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def check(tree, name):
    return said(tree, 'tools/check_tree.py', name)


def after_line(text, line, more):
    assert line in text, line
    return text.replace(line, line + more, 1)


# Which check finds it, in which file, what is changed, and what the check says beside the file's name.
FAULTS = {
    'a wide line': ('width', 'src/base/text.h', lambda s: s + '// ' + 'wide ' * 30 + '\n', 'wider than 110'),
    'a file of two ideas': ('sizes', 'src/base/text.h', lambda s: s + '// more\n' * 800, 'two ideas'),
    'an arrow up': (
        'layers',
        'src/base/text.h',
        lambda s: after_line(s, '#pragma once\n', '#include "compile/graph.h"\n'),
        'of the later layer compile',
    ),
    'an operator that reaches through the wall of a backend': (
        'backends',
        'src/ops/math/product.cc',
        lambda s: after_line(s, '#include <cantik/op.h>\n', '\n#include "backends/cpu/table.h"\n'),
        'includes a file of the backend cpu',
    ),
    'a plan that reaches through the wall of a backend': (
        'backends',
        'src/plan/program.cc',
        lambda s: after_line(s, '#include "plan/program.h"\n', '\n#include <backends/cpu/forms.h>\n'),
        'includes a file of the backend cpu',
    ),
    'a private header in a public one': (
        'layers',
        'include/cantik/shape.h',
        lambda s: after_line(s, '#pragma once\n', '#include "base/text.h"\n'),
        'includes a private one',
    ),
    'a private header in the binding': (
        'binding',
        'python/binding/profile.cc',
        lambda s: after_line(s, '#include <cantik/profile.h>\n', '\n#include "execute/profiler.h"\n'),
        'the binding includes execute/profiler.h, which is private',
    ),
    'a private header in the binding, by another way': (
        'binding',
        'python/binding/common.h',
        lambda s: after_line(s, '#pragma once\n', '#include <graph/node.h>\n'),
        'the binding includes graph/node.h, which is private',
    ),
    'a pass that knows an operator by its name': (
        'operator_names',
        'src/compile/share.cc',
        lambda s: s + 'bool is_relu(const Node& n) { return n.op->name == "relu"; }\n',
        'names the operator relu',
    ),
    'a pass that knows an operator whose signature a macro makes': (
        'operator_names',
        'src/compile/formats.cc',
        lambda s: s + 'bool is_pool(const Node& n) { return n.op->name == "pool_max"; }\n',
        'names the operator pool_max',
    ),
    'one more core form': (
        'operator_names',
        'src/compile/core.h',
        lambda s: after_line(s, 'namespace core {\n', 'inline constinit const CoreForm relu{"relu"};\n'),
        '11 core forms, at most 10',
    ),
    'a core form that no pass makes': (
        'operator_names',
        'src/compile/differentiate.cc',
        lambda s: s.replace('core::add_gradients.op()', 'Registry::global().get("cast")'),
        'no pass makes the form add_gradients',
    ),
    'a fact that is a text': (
        'operator_names',
        'src/compile/share.cc',
        lambda s: s + 'bool past(const Node& n) { return n.op->named("delay") == "past"; }\n',
        'reads the text delay',
    ),
    'a unit test of no file': (
        'unit_tests',
        'tests/README.md',
        lambda s: s.replace('| `unit/whole/memory_test.cc` |', '| `unit/whole/thrift_test.cc` |', 1),
        'there is no tests/unit/whole/thrift_test.cc',
    ),
    'a pass without a test': (
        'unit_tests',
        'src/compile/pipeline.cc',
        lambda s: after_line(s, 'constexpr Pass kPasses[] = {\n', '    {"polish", nullptr, true},\n'),
        'no test in tests/unit/compile has the text after the pass polish',
    ),
    'a missing include': (
        'includes',
        'src/tensor/steps.h',
        lambda s: s.replace('#include <vector>\n', '', 1),
        'uses <vector>',
    ),
    'a benchmark left behind by what it measures': (
        'benchmarks',
        'benchmarks/kernels/kernel_case.h',
        lambda s: s.replace('ir::NodeId node_;', 'ir::NodeId node_ = -1;', 1),
        'does not compile',
    ),
}
LAYOUT = {
    'C++ that is not laid out': ('src/base/text.h', lambda s: s + 'int   f( );\n'),
    'Python that is not laid out': ('python/cantik/axis.py', lambda s: s + 'x = [1,2 ,3]\n'),
}


@pytest.mark.parametrize('name', sorted({fault[0] for fault in FAULTS.values()}))
def test_the_tree_is_clean(tree, name):
    assert check(tree, name) == (0, '')


@pytest.mark.parametrize('fault', FAULTS)
def test_a_fault_is_found(tree, fault):
    name, file, change, text = FAULTS[fault]
    path = tree / file
    before = path.read_text()
    path.write_text(change(before))
    try:
        status, found = check(tree, name)
        assert status == 1 and file in found and text in found, found
    finally:
        path.write_text(before)


@pytest.mark.parametrize('fault', LAYOUT)
def test_layout_is_asked_for(tree, fault):
    file, change = LAYOUT[fault]
    path = tree / file
    before = path.read_text()
    path.write_text(change(before))
    try:
        assert said(tree, 'tools/layout.py', '--check', file) == (
            1,
            f'{file}: not laid out (tools/layout.py does it)\n',
        )
    finally:
        path.write_text(before)
    assert said(tree, 'tools/layout.py', '--check', file) == (0, '')
