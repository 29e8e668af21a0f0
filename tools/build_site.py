#!/usr/bin/env python3
"""Builds the documents as a site in build/site.

    tools/build_site.py [--build build/release] [--check]

The pages are those of docs/, with the references of the headers (tools/cpp_reference.py) and of the Python
package (tools/python_reference.py). The documents are written for a reader of the tree: they lead to
headers, examples and folders. On the site such a link leads to the reference of the header, or to a page
that shows the file. A link or an anchor that leads nowhere fails the build, and so does a page that fetches
from elsewhere.
"""

import argparse
import os
import posixpath
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

from checks.tree import tracked

ROOT = Path(__file__).resolve().parent.parent

# The site's contents: captions, and below them pages; a folder stands for all its pages.
CONTENTS = {
    'Start': [
        'first_steps',
        'fit',
        'from_cntk',
        'from_pytorch',
        'mxnet',
        'cpp',
        'status',
        'benchmarks',
        'changelog',
    ],
    'Guide': [
        'axes',
        'recurrences',
        'learners',
        'data',
        'data_sources',
        'distributed',
        'images',
        'training',
        'python_operators',
        'cpp_operators',
        'looking',
        'binary_convolutions',
        'onnx',
        'serving',
        'contrib',
        'command_line',
        'deploy',
        'python',
    ],
    'Reference': [
        'reference/operators/',
        'reference/layers',
        'reference/learners',
        'reference/training',
        'reference/python/',
        'reference/cpp/',
        'reference/model_files',
        'reference/text_format',
        'reference/binary_format',
        'reference/speech_files',
    ],
    'Contributing': [
        'contributing',
        'dev/map',
        'dev/style',
        'dev/glossary',
        'dev/add_an_operator',
        'dev/add_a_layer',
        'dev/add_a_learner',
        'dev/add_a_training_option',
        'dev/add_a_backend',
        'dev/cpu_kernels',
        'dev/sanitizers',
        'dev/releasing',
        'dev/porting',
        'dev/decisions/',
        'security',
    ],
}
# Pages that stand outside docs/.
PAGES = {'CONTRIBUTING.md': 'contributing.md', 'SECURITY.md': 'security.md', 'CHANGELOG.md': 'changelog.md'}
# Where files and folders of the tree are told of.
PLACES = {
    'README.md': 'index.md',
    'docs': 'index.md',
    'include/cantik': 'reference/cpp/index.md',
    'python/cantik': 'reference/python/index.md',
}
LANGUAGES = {'.py': 'python', '.cc': 'cpp', '.h': 'cpp', '.sh': 'sh', '.cmake': 'cmake', '.txt': 'text'}
SHOWN = {*LANGUAGES, '.md', '.pyi', '.tsv'}
LINK = re.compile(r'(\]\()([^()\s]+)(\))')
FENCE = re.compile(r'(^```.*?^```[ \t]*$|`[^`\n]+`)', re.M | re.S)
HIDDEN = '---\norphan: true\nnosearch: true\n---\n\n'


class Pages:
    """The texts of the site's pages by their names, and where each stands in the tree."""

    def __init__(self):
        self.files = {str(path.relative_to(ROOT)) for path in tracked()}
        self.folders = {str(parent) for file in self.files for parent in Path(file).parents}
        self.texts, self.homes = {}, {}
        self.waiting = []  # pages whose links are still those of the tree

    def add(self, page, text, home=None):
        """Adds a page; `home` is its place in the tree, where its links lead into the tree."""
        self.texts[page] = text
        if home:
            self.homes[page] = home
            self.waiting.append(page)

    def follow_links(self):
        """Exchanges links into the tree for links to pages, and makes the pages that they ask for."""
        while self.waiting:
            page = self.waiting.pop()
            parts = FENCE.split(self.texts[page])
            linked = (
                part if i % 2 else LINK.sub(lambda m, page=page: m[1] + self.link(page, m[2]) + m[3], part)
                for i, part in enumerate(parts)
            )
            self.texts[page] = ''.join(linked)

    def link(self, page, link):
        if re.match(r'[a-z]+:|#', link):
            return link
        target, mark, anchor = link.partition('#')
        path = posixpath.normpath(posixpath.join(posixpath.dirname(self.homes[page]), target))
        if path not in self.files and path not in self.folders:
            raise SystemExit(f'{self.homes[page]}: there is no {target} in the tree')
        return posixpath.relpath(self.place(path), posixpath.dirname(page) or '.') + mark + anchor

    def place(self, path):
        """The page or picture that shows a file or folder of the tree."""
        if path in PAGES or path in PLACES:
            return PAGES.get(path) or PLACES[path]
        header = re.fullmatch(r'include/cantik/(.*)\.h', path)
        if header:
            return 'reference/cpp/{}.md'.format(header[1].replace('/', '_'))
        if path in self.folders:
            return self.place_of_folder(path)
        if path.startswith('docs/'):
            return path.removeprefix('docs/')
        page = f'tree/{path}.md'
        if page not in self.texts:
            self.add(page, self.shown_file(path))
        return page

    def place_of_folder(self, path):
        in_docs = path.startswith('docs/')
        page = (path.removeprefix('docs/') if in_docs else f'tree/{path}') + '/index.md'
        if page not in self.texts:
            self.add(page, ('' if in_docs else HIDDEN) + self.listing(path), f'{path}/index.md')
        return page

    def shown_file(self, path):
        text = (ROOT / path).read_text(encoding='utf-8')
        fence = '`' * (max([2, *(len(run) for run in re.findall(r'`+', text))]) + 1)
        language = LANGUAGES.get(Path(path).suffix, 'text')
        return f'{HIDDEN}# {Path(path).name}\n\n`{path}`\n\n{fence}{language}\n{text}\n{fence}\n'

    def listing(self, path):
        """A folder's README, or its name, with all that the folder holds."""
        readme = ROOT / path / 'README.md'
        name = Path(path).name
        text = readme.read_text(encoding='utf-8') if readme.is_file() else f'# {name.capitalize()}\n'
        below = sorted(Path(f).name for f in self.folders if os.path.dirname(f) == path)
        files = sorted(f for f in self.files if os.path.dirname(f) == path and f != f'{path}/README.md')
        rows = [f'- [{name}/]({name})' for name in below]
        rows += [f'- [{title_of(f)}]({Path(f).name})' for f in files if is_shown(ROOT / f)]
        return text + '\n\n' + '\n'.join(rows) + '\n'

    def contents(self):
        """The lists of contents, as they stand at the end of the first page and of folders' pages."""
        parts = []
        for caption, entries in CONTENTS.items():
            lines = [entry + 'index' if entry.endswith('/') else entry for entry in entries]
            parts.append(toctree(lines, caption))
            for entry in entries:
                if entry.endswith('/'):
                    inside = [p for p in self.texts if posixpath.dirname(p) + '/' == entry]
                    names = sorted(posixpath.basename(p).removesuffix('.md') for p in inside)
                    self.texts[entry + 'index.md'] += '\n' + toctree([n for n in names if n != 'index'])
        self.texts['index.md'] += '\n' + '\n'.join(parts)


def toctree(lines, caption=None):
    head = [':hidden:', ':maxdepth: 1'] + ([f':caption: {caption}'] if caption else [])
    return '```{toctree}\n' + '\n'.join([*head, '', *lines]) + '\n```\n'


def is_shown(path):
    return path.suffix in SHOWN and path.stat().st_size < 200_000


def title_of(path):
    if not path.endswith('.md'):
        return Path(path).name
    return (ROOT / path).read_text(encoding='utf-8').split('\n', 1)[0].lstrip('# ')


def all_pages():
    import cpp_reference
    import python_reference

    pages = Pages()
    for path in sorted(ROOT.glob('docs/**/*.md')):
        name = str(path.relative_to(ROOT / 'docs'))
        pages.add(name, path.read_text(encoding='utf-8'), f'docs/{name}')
    pages.add('readme.md', HIDDEN + (ROOT / 'README.md').read_text(encoding='utf-8'), 'README.md')
    for name, place in PAGES.items():
        pages.add(place, (ROOT / name).read_text(encoding='utf-8'), name)
    for folder, texts in (('cpp', cpp_reference.pages()), ('python', python_reference.pages())):
        for name, text in texts.items():
            pages.add(f'reference/{folder}/{name}', text)
    for entries in CONTENTS.values():
        for entry in entries:
            if entry.endswith('/') and entry + 'index.md' not in pages.texts:
                pages.place_of_folder('docs/' + entry.rstrip('/'))
    pages.follow_links()
    pages.contents()
    return pages.texts


class Links(HTMLParser):
    """The anchors of a page, and all that it leads to or fetches."""

    def __init__(self):
        super().__init__()
        self.anchors, self.leads, self.fetches = set(), [], []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.anchors.update(given[key] for key in ('id', 'name') if given.get(key))
        if tag == 'a' and given.get('href'):
            self.leads.append(given['href'])
        elif given.get('src') or (tag == 'link' and given.get('href')):
            self.fetches.append(given.get('src') or given['href'])


def broken_links(site):
    """Links of the finished pages that lead nowhere, and what they fetch from elsewhere."""
    pages = {}
    for path in sorted(site.rglob('*.html')):
        pages[path] = Links()
        pages[path].feed(path.read_text(encoding='utf-8'))
    for path, links in pages.items():
        for link in links.leads + links.fetches:
            if re.match(r'(https?:)?//', link):
                if link in links.fetches:
                    yield f'{path.relative_to(site)}: fetches {link}'
                continue
            if re.match(r'[a-z]+:', link):
                continue
            target, _, anchor = link.partition('#')
            file = (path.parent / target.split('?')[0]).resolve() if target else path
            if not file.is_file():
                yield f'{path.relative_to(site)}: there is no {target}'
            elif anchor and file in pages and anchor not in pages[file].anchors:
                yield f'{path.relative_to(site)}: there is no anchor {link}'


def sphinx(source, out, builder='html'):
    """Whether Sphinx makes the pages without a warning: of a link that leads nowhere, above all."""
    command = [sys.executable, '-m', 'sphinx', '-b', builder, '-W', '--keep-going', '-q', '-j', '2']
    command += ['-c', str(ROOT / 'tools' / 'site'), '-d', str(source / '.doctrees'), str(source), str(out)]
    return subprocess.run(command, check=False).returncode == 0


def write_pages(texts, source):
    shutil.rmtree(source, ignore_errors=True)
    for name, text in texts.items():
        path = source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding='utf-8')
    shutil.copytree(ROOT / 'docs' / 'pictures', source / 'pictures')


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        '--build', type=Path, default=ROOT / 'build' / 'release', help='with the Python package'
    )
    parser.add_argument('--out', type=Path, default=ROOT / 'build' / 'site')
    parser.add_argument('--check', action='store_true', help='follows all links, and makes no site')
    options = parser.parse_args()
    sys.path.insert(0, str(options.build.resolve() / 'python'))
    source = options.out.parent / (options.out.name + '-pages')
    write_pages(all_pages(), source)
    if options.check:
        return 0 if sphinx(source, options.out, 'dummy') else 1
    shutil.rmtree(options.out, ignore_errors=True)
    if not sphinx(source, options.out):
        return 1
    found = list(broken_links(options.out.resolve()))
    print('\n'.join(found[:40]) if found else f'the site is {options.out}/index.html')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
