"""The documents as a site: no link leads nowhere, all public names are in the references, nothing is fetched
from elsewhere."""

import importlib.util
import sys
from pathlib import Path

import pytest

import cantik

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'tools'))

if importlib.util.find_spec('sphinx') is None:
    pytest.skip('Sphinx needs Python 3.11 (tools/requirements/docs.txt)', allow_module_level=True)

import build_site
import python_reference


@pytest.fixture(scope='module')
def texts():
    return build_site.all_pages()


def test_every_link_leads_somewhere(texts, tmp_path):
    build_site.write_pages(texts, tmp_path / 'pages')
    assert build_site.sphinx(tmp_path / 'pages', tmp_path / 'out', 'dummy')


@pytest.mark.parametrize('link', ['other.md#nothing', 'nothing.md', 'other.md'])
def test_a_broken_link_fails_the_build(link, tmp_path, capfd):
    pages = {
        'index.md': f'# One\n\n[a link]({link})\n',
        'other.md': '---\norphan: true\n---\n\n# Other\n\n## Some\n',
    }
    build_site.write_pages(pages, tmp_path / 'pages')
    assert build_site.sphinx(tmp_path / 'pages', tmp_path / 'out', 'dummy') == (link == 'other.md')
    capfd.readouterr()


def test_a_link_to_a_file_that_the_tree_has_not():
    pages = build_site.Pages()
    pages.add('a.md', '[gone](../src/gone.cc)', 'docs/a.md')
    with pytest.raises(SystemExit, match='docs/a.md: there is no ../src/gone.cc in the tree'):
        pages.follow_links()


def test_links_into_the_tree():
    pages = build_site.Pages()
    text = (
        '[h](../../include/cantik/op/real.h) [e](../../examples/tour.py) [c](../../CONTRIBUTING.md) `[x](y)`'
    )
    pages.add('dev/a.md', text, 'docs/dev/a.md')
    pages.follow_links()
    expected = (
        '[h](../reference/cpp/op_real.md) [e](../tree/examples/tour.py.md) [c](../contributing.md) `[x](y)`'
    )
    assert pages.texts['dev/a.md'] == expected
    assert 'SWEEPS' in pages.texts['tree/examples/tour.py.md']


def test_finished_pages(tmp_path):
    (tmp_path / 'a.html').write_text('<h1 id="top"></h1><a href="#top"></a><a href="b.html#no"></a>')
    (tmp_path / 'b.html').write_text('<script src="https://cdn.example/x.js"></script><a href="c.html"></a>')
    assert list(build_site.broken_links(tmp_path)) == [
        'a.html: there is no anchor b.html#no',
        'b.html: there is no c.html',
        'b.html: fetches https://cdn.example/x.js',
    ]


def test_every_public_name_has_its_place(texts):
    python = '\n'.join(text for page, text in texts.items() if page.startswith('reference/python/'))
    missing = [name for name in cantik.__all__ if python_reference.is_ours(getattr(cantik, name, None))]
    missing = [
        name
        for name in missing
        if f'[`{name}`](' not in python and f'\n## {name}\n' not in python.replace('\\_', '_')
    ]
    assert not missing
    cpp = texts['reference/cpp/function.md']
    assert '### Function::eval' in cpp and 'std::vector<Value> backward(' in cpp
    assert '## softmax' in texts['reference/operators/nn.md']
