"""Pages of the Python reference, one for each module that programs import names from, from the docstrings.

A name is told of once: on the page of the module that defines it, or else of the nearest package that lists
it. Other pages name it and lead there. Operators are told of by the pages of docs/reference/operators.
"""

import importlib
import inspect
import re
import textwrap

import cantik
import generate_reference

MODULES = [
    'cantik.core',
    'cantik.variables',
    'cantik.axis',
    'cantik.device',
    'cantik.learners',
    'cantik.train.trainer',
    'cantik.train.training_session',
    'cantik.train.distributed',
    'cantik.train',
    'cantik.eval',
    'cantik.io',
    'cantik.io.transforms',
    'cantik.initializer',
    'cantik.logging',
    'cantik.logging.graph',
    'cantik.debugging',
    'cantik.debugging.profiler',
    'cantik.layers',
    'cantik.layers.blocks',
    'cantik.layers.higher_order_layers',
    'cantik.layers.models.attention',
    'cantik.layers.sequence',
    'cantik.layers.typing',
    'cantik.default_options',
    'cantik.losses',
    'cantik.metrics',
    'cantik.random',
    'cantik.linalg',
    'cantik.ops',
    'cantik.ops.functions',
    'cantik.ops.sequence',
    'cantik.misc',
    'cantik.contrib.netopt',
    'cantik.contrib.crosstalk',
    'cantik.contrib.crosstalkcaffe.convert',
    'cantik.contrib.deeprl.agent.agent_factory',
    'cantik.contrib.deeprl.agent.qlearning',
    'cantik.contrib.deeprl.agent.policy_gradient',
    'cantik.contrib.deeprl.agent.tabular_qlearning',
    'cantik.contrib.deeprl.agent.random_agent',
    'cantik.mxnet.autograd',
    'cantik.mxnet.callback',
    'cantik.mxnet.initializer',
    'cantik.mxnet.io',
    'cantik.mxnet.lr_scheduler',
    'cantik.mxnet.metric',
    'cantik.mxnet.model',
    'cantik.mxnet.module',
    'cantik.mxnet.monitor',
    'cantik.mxnet.ndarray',
    'cantik.mxnet.operator',
    'cantik.mxnet.optimizer',
    'cantik.mxnet.random',
    'cantik.mxnet.rnn',
    'cantik.mxnet.symbol',
    'cantik.mxnet.test_utils',
    'cantik.mxnet',
    'cantik',
]
SPECIAL = re.compile(r'([\\*_\[\]<>#|])')
SECTION = re.compile(r'(Args|Arguments|Returns|Raises|Example|Examples|Note|Attributes|Yields):\s*$')


def escaped(text):
    parts = text.split('`')
    return '`'.join(part if i % 2 else SPECIAL.sub(r'\\\1', part) for i, part in enumerate(parts))


def public_names(module):
    names = getattr(module, '__all__', None)
    return sorted(names if names is not None else [n for n in vars(module) if not n.startswith('_')])


def is_ours(value):
    return (inspect.isclass(value) or callable(value)) and (
        getattr(value, '__module__', '') or ''
    ).startswith('cantik')


def found(module):
    """The functions and classes of this package that a module offers, by name."""
    values = {name: getattr(module, name, None) for name in public_names(module)}
    return {n: v for n, v in values.items() if is_ours(v) and (inspect.isclass(v) or hasattr(v, '__name__'))}


def split_signature(value):
    """The lines of signatures that the binding puts before a docstring, and the rest."""
    doc = inspect.cleandoc(value.__doc__ or '')
    name = getattr(value, '__name__', '')
    lines = doc.split('\n')
    said = []
    while lines and re.match(rf'(\d+\. )?`*({re.escape(name)})?\(.*\) ->', lines[0]):
        said.append(lines.pop(0))
    return said, '\n'.join(lines).strip('\n')


def signatures(name, value):
    said, _ = split_signature(value)
    if said:
        return [
            line.replace('self, ', '').replace('(self)', '()').replace('cantik._cantik.', '') for line in said
        ]
    if isinstance(value, property):
        return [name]
    try:
        text = str(inspect.signature(value))
    except (TypeError, ValueError):
        return [f'{name}(...)']
    text = re.sub(r'\((self|cls)(, )?', '(', text, count=1)
    return [name + re.sub(r' at 0x[0-9a-f]+', '', text)]


def sections(doc):
    """The parts of a docstring: pairs of a title and lines, the first without a title."""
    parts = [('', [])]
    for line in doc.split('\n'):
        match = SECTION.match(line)
        if match:
            parts.append((match.group(1), []))
        else:
            parts[-1][1].append(line)
    return [(title, textwrap.dedent('\n'.join(lines)).strip('\n')) for title, lines in parts]


def prose(text):
    """Text as Markdown; programs with prompts stay programs."""
    out = []
    for block in re.split(r'\n\s*\n', text):
        if '>>>' in block:
            before, prompt, program = block.partition('>>>')
            if before.strip():
                out.append(escaped(' '.join(before.split())))
            program = textwrap.dedent(before.split('\n')[-1] + prompt + program)
            out.append(f'```pycon\n{program.rstrip()}\n```')
        elif block.strip():
            out.append(escaped(' '.join(block.split())))
    return '\n\n'.join(out)


def arguments(text):
    """A list of the arguments: a line begins one, an indented line goes on."""
    items = []
    for line in text.split('\n'):
        match = re.match(r'(\*{0,2}\w+(?:, \*{0,2}\w+)*)(?: \(([^)]*)\))?: (.*)', line)
        if match:
            names, kind, rest = match.groups()
            shown = ', '.join(f'`{n}`' for n in names.split(', '))
            items.append(f'- {shown}' + (f' ({escaped(kind)})' if kind else '') + f': {escaped(rest)}')
        elif items and line.strip():
            items[-1] += ' ' + escaped(line.strip())
        elif line.strip():
            items.append(escaped(line.strip()))
    return '\n'.join(items)


def docstring(value):
    _, doc = split_signature(value)
    parts = []
    for title, text in sections(doc):
        if not text.strip():
            continue
        if title in ('Args', 'Arguments', 'Attributes'):
            parts += [f'**{title.replace("Args", "Arguments")}**', arguments(text)]
        elif title in ('Example', 'Examples'):
            parts.append(prose(text))
        elif title:
            parts += [f'**{title}**', prose(text)]
        else:
            parts.append(prose(text))
    return '\n\n'.join(parts)


def first_sentence(value):
    _, doc = split_signature(value)
    paragraph = ' '.join(re.split(r'\n\s*\n', doc)[0].split())
    return escaped(re.split(r'(?<=[.])\s(?=[A-Z])', paragraph)[0])


def members(cls, told):
    """The public methods and properties of a class, in the order of names; those of a base that is told of
    itself stay there."""
    for attribute in inspect.classify_class_attrs(cls):
        owner = attribute.defining_class
        if attribute.name.startswith('_') or not (owner.__module__ or '').startswith('cantik'):
            continue
        if owner is not cls and id(owner) in told:
            continue
        value = attribute.object
        value = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
        if callable(value) or isinstance(value, property):
            if (value.__doc__ or '').strip():
                yield attribute.name, value


def entry(name, value, told):
    shown = '\n'.join(signatures(name, value))
    parts = [f'## {escaped(name)}', f'```py\n{shown}\n```', docstring(value)]
    if inspect.isclass(value):
        for member, inner in members(value, told):
            parts.append(f'### {escaped(name)}.{escaped(member)}')
            if not isinstance(inner, property):
                parts.append('```py\n' + '\n'.join(signatures(member, inner)) + '\n```')
            parts.append(docstring(inner))
    return [part for part in parts if part]


def operators():
    """By the identity of an operator's function: its place among the pages of operators."""
    places = {}
    for page, name, spelled in generate_reference.entries():
        value = cantik
        for word in spelled.split('.')[1:]:
            value = getattr(value, word)
        places[id(value)] = (f'../operators/{page}', name.lower())
    return places


def homes(modules):
    """By the identity of a function or class: the page and the anchor where it is told of."""
    places, offers = operators(), {}
    for path, module in modules.items():
        for name, value in found(module).items():
            offers.setdefault(id(value), (value, []))[1].append((path, name))
    for key, (value, offered) in offers.items():
        path, name = max(offered, key=lambda offer: nearness(offer[0], value.__module__))
        places.setdefault(key, (f'{path}.md', name.lower()))
    return places


def nearness(path, defined_in):
    """How near a module is to the one that defines a name: the number of their names' equal parts, where it
    is that module or a package around it."""
    around = defined_in == path or defined_in.startswith(path + '.')
    return path.count('.') + 1 if around and path != 'cantik' else 0


def page(path, module, places):
    values = found(module)
    here = {n: v for n, v in values.items() if places[id(v)][0] == f'{path}.md'}
    there = {n: v for n, v in values.items() if n not in here}
    mine = {}  # two names of one thing are one entry
    for name, value in here.items():
        mine.setdefault(id(value), (name, value))
    parts = [f'# {path}', prose(inspect.cleandoc(module.__doc__ or ''))]
    for name, value in mine.values():
        also = [n for n, v in here.items() if v is value and n != name]
        lines = entry(name, value, places)
        if also:
            lines.append('Also ' + ', '.join(f'`{n}`' for n in also) + '.')
        parts += lines
    if there:
        rows = [
            f'| [`{n}`]({places[id(v)][0]}#{places[id(v)][1]}) | {first_sentence(v)} |'
            for n, v in there.items()
        ]
        parts.append('\n'.join(['## Told of elsewhere\n', '| name | |', '|---|---|', *rows]))
    return '\n\n'.join(part for part in parts if part) + '\n', len(mine)


def pages():
    """The text of each page by its name in docs/reference/python."""
    modules = {path: importlib.import_module(path) for path in MODULES}
    places = homes(modules)
    texts, rows = {}, []
    for path, module in modules.items():
        texts[f'{path}.md'], count = page(path, module, places)
        doc = ' '.join(inspect.cleandoc(module.__doc__ or '').split('\n\n')[0].split())
        rows.append((path, escaped(re.split(r'(?<=[.])\s(?=[A-Z])', doc)[0]), count))
    lines = [f'| [`{path}`]({path}.md) | {doc} |' for path, doc, _ in sorted(rows)]
    texts['index.md'] = (
        '\n\n'.join(
            [
                '# Python reference',
                'Every public function and class, from its docstring: `help(cantik.layers.Dense)` shows the '
                'same. `import cntk` gives all of it under CNTK\'s name. Operators have pages of their own: '
                '[by family](../operators/index.md).',
                '\n'.join(['| module | what it has |', '|---|---|', *lines]),
            ]
        )
        + '\n'
    )
    return texts
