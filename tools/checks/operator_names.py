"""Plans, runs and files know an operator by what it states. Only compile/core.h names some: the core
forms, each of which a pass makes. One that passes only recognise would be a fact."""

import re

from checks.tree import ROOT, name, text, with_suffix

MOST_FORMS = 10
FOLDERS = ['src/compile', 'src/plan', 'src/execute', 'src/runtime', 'src/formats']
# What an operator is called elsewhere, for people to read.
READ = {'cntk', 'onnx', 'mxnet'}
# A signature may be made by a macro of what it begins with.
DEFINED = re.compile(r'op\s*\.\s*(?:signature|attributes<[\w:]+>)\(\s*(?:[A-Z_]+\(\s*)?"(\w+)["(]')
# The ways to look for an operator: its name compared, looked up in the registry or called by a builder.
SOUGHT = re.compile(
    r'(?:name\s*[!=]=\s*|get\(|find\(|call(?:_all|_like)?\(|starts_with\(|CoreForm\s+)"(\w+)"'
)
# A form by its name in compile/core.h, and where a pass makes one.
FORM = re.compile(r'(\w+)\{"(\w+)"\}')
MADE = re.compile(r'core::(\w+)\.op\(\)|call\(core::(\w+)\b')
NAMED = re.compile(r'named\("([\w.]+)"\)')


def defined():
    found = set()
    for file in with_suffix('.cc', under=['src/ops']):
        found.update(DEFINED.findall(text(file)))
    return found


def problems():
    core = ROOT / 'src' / 'compile' / 'core.h'
    operators = defined()
    forms = FORM.findall(text(core))
    made = set()
    for file in with_suffix('.cc', under=['src/compile']):
        made.update(form for pair in MADE.findall(text(file)) for form in pair if form)
    if len(forms) > MOST_FORMS:
        yield f'{name(core)}: {len(forms)} core forms, at most {MOST_FORMS}'
    for form, operator in forms:
        if operator not in operators:
            yield f'{name(core)}: there is no operator {operator}'
        if form not in made:
            yield f'{name(core)}: no pass makes the form {form}; let the operator state a fact (op/facts.h)'
    for file in with_suffix('.h', '.cc', under=FOLDERS):
        for number, line in enumerate(text(file).splitlines(), 1):
            for found in SOUGHT.findall(line):
                if found in operators and file != core:
                    where = f'{name(file)}:{number}'
                    yield f'{where}: names the operator {found}; let it state a fact (op/facts.h)'
            for key in NAMED.findall(line):
                if key not in READ:
                    yield f'{name(file)}:{number}: reads the text {key}; let it be a fact (op/facts.h)'
