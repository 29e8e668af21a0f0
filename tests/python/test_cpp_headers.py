"""What the reference and the checks read of C++ headers: names, declarations, comments."""

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'tools'))

if importlib.util.find_spec('clang') is None:
    pytest.skip('libclang is not installed (tools/requirements/docs.txt)', allow_module_level=True)

import cpp_headers
import cpp_reference
from checks import public_names, words

HEADER = '''// A header: what it is about.
//
//   int x = twice(2);  // 4
#pragma once

namespace cantik {
class Later;

// A pair of
// numbers.
struct Pair {
  int a = 0;  // the first
  int b = 0;
};

class Undocumented {
 public:
  Undocumented() = default;
  Undocumented(const Undocumented&) = default;
  ~Undocumented() {}
  // ---- what it does
  int f() const { return 1; }  // one
  // Twice.
  template <class T>
  T twice(T x) const {
    // not a comment of twice
    return x + x;
  }
  int twice(int x, int y) const { return x + y; }
  int bare() const;
  friend bool operator==(const Undocumented&, const Undocumented&) { return true; }

 protected:
  int hidden();

 private:
  int secret_ = 0;
};

namespace detail {
void inside();
}

#define MAKE(name) inline int name() { return 0; }
// Made by a macro.
MAKE(first)
MAKE(second)
#undef MAKE

enum class Colour { red, green };
inline constexpr int kLimit = 3;  // the most
using Number = double;
}  // namespace cantik
'''


@pytest.fixture
def header(tmp_path, monkeypatch):
    (tmp_path / 'a.h').write_text(HEADER)
    monkeypatch.setattr(cpp_headers, 'INCLUDE', tmp_path)
    (header,) = cpp_headers.headers(['a.h'])
    return header


def test_names_and_comments(header):
    found = {n.full_name.removeprefix('cantik::'): n.comment for n in header.all_names()}
    assert found == {
        'Pair': 'A pair of\nnumbers.',
        'Pair::a': 'the first',
        'Pair::b': '',
        'Undocumented': '',
        'Undocumented::f': 'one',
        'Undocumented::twice': 'Twice.',
        'Undocumented::bare': '',
        'Undocumented::operator==': '',
        'first': 'Made by a macro.',
        'second': 'Made by a macro.',
        'Colour': '',
        'kLimit': 'the most',
        'Number': '',
    }


def test_what_lacks_a_comment(header):
    missing = [n.name for n in header.all_names() if cpp_headers.is_undocumented(n)]
    assert missing == ['b', 'Undocumented', 'bare', 'Colour', 'Number']


def test_declarations_stand_without_bodies(header):
    texts = {n.name: n.text for n in header.all_names()}
    assert texts['f'] == 'int f() const;'
    assert texts['Undocumented'] == 'class Undocumented;'
    assert texts['kLimit'] == 'inline constexpr int kLimit = 3;'
    assert texts['Colour'] == 'enum class Colour { red, green };'


def test_a_page(header):
    text = cpp_reference.page(header)
    assert text.startswith(
        '# \\<a.h\\>\n\nA header: what it is about.\n\n```cpp\nint x = twice(2);  // 4\n```'
    )
    assert '**What it does**\n\n### Undocumented::f\n\n```cpp\nint f() const;\n```\n\none' in text
    assert '```cpp\nint a = 0; // the first\n' in text or '// the first\nint a = 0;' in text


def test_words_that_the_glossary_rejects():
    patterns = {word: pattern for pattern, word, _ in words.forbidden()}
    assert patterns['mini-batch'].search('two Mini-batches'.replace('es', '')) and patterns[
        'mini batch'
    ].search('mini\nbatch')
    assert not patterns['whoever'].search('who ever')
    assert words.without_code('a `timestep`\n```\ntimestep\n```\nb') == 'a \n\n\n\nb'
    assert (
        words.comments('int timestep;  // a step\n/* one\n * two */ int x;') == 'a step\none\ntwo */ int x;'
    )


def test_a_type_of_two_layers_is_found(tmp_path, monkeypatch):
    texts = {
        'src/graph/a.h': 'namespace cantik { class CANTIK_API Twin {}; struct Forward; }',
        'src/io/b.cc': 'namespace cantik { namespace { template <int> struct Twin {}; } struct Forward {}; }',
        'src/io/c.cc': 'namespace cantik::inner { void f() { struct Local {}; } enum class Only { a }; }',
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(words, 'with_suffix', lambda *suffixes, under=(): [tmp_path / n for n in texts])
    monkeypatch.setattr(words, 'name', lambda path: str(path.relative_to(tmp_path)))
    found = words.types()
    assert found['Twin'] == {('graph', 'src/graph/a.h'), ('io', 'src/io/b.cc')}
    assert found['Forward'] == {('io', 'src/io/b.cc')}
    assert 'Local' not in found and 'Only' in found

    monkeypatch.setattr(words, 'texts', lambda: [])
    assert list(words.problems()) == [
        'the type Twin is defined in several layers: src/graph/a.h, src/io/b.cc',
    ]


def test_a_public_name_without_a_comment_is_found(header, monkeypatch):
    monkeypatch.setattr(public_names, 'ROOT', cpp_headers.INCLUDE.parent)
    monkeypatch.setattr(cpp_headers, 'headers', lambda: [header])
    lines = {
        'Pair::b': '  int b = 0;',
        'Undocumented': 'class Undocumented {',
        'Undocumented::bare': '  int bare() const;',
        'Colour': 'enum class Colour { red, green };',
        'Number': 'using Number = double;',
    }
    folder = cpp_headers.INCLUDE.name
    assert list(public_names.problems()) == [
        f'{folder}/a.h:{HEADER.splitlines().index(line) + 1}: cantik::{name} has no comment'
        for name, line in lines.items()
    ]
