"""Calls of the learners in Python and C++, and their page of the reference, from what their files state."""

import textwrap
from pathlib import Path

import generate_options as options
from layout import laid_out

ROOT = Path(__file__).resolve().parent.parent
RULES = ROOT / 'src' / 'learners' / 'rules'

_MEAN = (
    'A rate given as a number, or as a schedule without a minibatch size, is for the mean gradient of a'
    ' minibatch, as in CNTK and in other toolkits; one of learning_parameter_schedule_per_sample is for'
    ' the sum over its samples.'
)
_ADAPTIVE = (
    'Steps of this learner do not grow with the gradient. As in CNTK, a rate given as a number, or as a'
    ' schedule that is not for one sample, is divided by the number of samples of the minibatch: on 50 '
    'samples a step is a fiftieth of what other toolkits do with the same rate. With '
    'use_mean_gradient=True a step is as large as the rate says, and so it is with '
    'learning_parameter_schedule_per_sample. Where use_mean_gradient is left open and the rate is '
    'divided, a UserWarning says so.'
)
_SCALED = (
    'With need_ave_multiplier a rate is for the mean gradient of a minibatch. Without it the following '
    'holds. '
)
MEANINGS = {'mean_gradient': _MEAN, 'adaptive': _ADAPTIVE, 'scaled': _SCALED + _ADAPTIVE}
# CNTK's learners stand in cantik itself, the others in cantik.learners.
CNTKS = {'adadelta', 'adagrad', 'adam', 'fsadagrad', 'momentum_sgd', 'nesterov', 'rmsprop', 'sgd'}
RATES = 'a number, a list or a schedule'

EXAMPLE = """\
import cantik as C, numpy as np
w = C.parameter(2)
learner = {call}([w], {arguments})
learner.update({{w: np.array([1, 2], np.float32)}}, 1)
w.value.round(4)
"""


def spelled(learner):
    """How programs call a learner."""
    name = learner['name']
    return f'C.{name}' if name in CNTKS else f'C.learners.{name}'


def formula(name):
    """The first paragraph of comment of the learner's file."""
    lines = []
    for line in (RULES / f'{name}.cc').read_text().splitlines():
        if not line.startswith('// '):
            break
        lines.append(line[3:])
    return lines


def learners(build):
    """The kinds of learners that the built library has, each with its options in the order of a call."""
    known = options.described(build, 'dump_learners')
    # Options that CNTK does not have stand behind its own, of which minibatch_size is the last.
    behind = [o['name'] for o in known['common']].index('minibatch_size')
    common, size, later = known['common'][:behind], known['common'][behind], known['common'][behind + 1 :]
    for learner in known['learners']:
        own = learner['options']
        learner['required'] = [o for o in own if o['required']]
        learner['optional'] = [
            *(o for o in own if not o['required'] and not o['behind']),
            *common,
            *(o for o in own if o['behind']),
            size,
        ]
        learner['later'] = later
        learner['all'] = [*learner['required'], *learner['optional'], *later]
        learner['formula'] = formula(learner['name'])
    return known['learners']


def add_examples(found, build):
    """Runs the example of each learner and writes down what comes out."""
    lines = {e['name']: EXAMPLE.format(call=spelled(e), arguments=e['example']).splitlines() for e in found}
    printed = options.run_examples(lines, build)
    for learner in found:
        learner['printed'] = printed[learner['name']]


# ---- Python

KINDS = {'flag': 'bool', 'whole': 'int', 'number': 'float', 'schedule': 'RateLike'}
HEADER = '''"""Functions of the learners. Written by tools/generate from the learners' files: change those."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _cantik
from . import _rates

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._cantik import Learner
    from .._types import RateLike
    from ..variables import Parameter

'''


def may_be_none(option):
    return option['default'] is None and not option['required']


def annotation(option):
    if option['name'] == 'minibatch_size':
        return 'Any'
    return KINDS[option['kind']] + (' | None' if may_be_none(option) else '')


def literal(value):
    """A default as Python spells it."""
    if isinstance(value, dict):
        return repr(float(value['value']))
    return {'inf': 'np.inf'}.get(value, repr(value)) if isinstance(value, str) else repr(value)


def python_default(option):
    value = option['default']
    return literal(float(value) if option['kind'] == 'number' and not isinstance(value, str) else value)


def parameters(learner, typed):
    def one(name, kind, default=None):
        text = f'{name}: {kind}' if typed else name
        return text if default is None else text + (' = ' if typed else '=') + default

    rate = one('lr', 'RateLike | None', 'None') if learner['rate'] else one('lr', 'RateLike')
    return [
        one('parameters', 'Sequence[Parameter]'),
        rate,
        *(one(o['name'], annotation(o)) for o in learner['required']),
        *(one(o['name'], annotation(o), python_default(o)) for o in learner['optional']),
        one('epoch_size', 'int | None', 'None'),
        *(one(o['name'], annotation(o), python_default(o)) for o in learner['later']),
    ]


def argument_lines(learner):
    rate = learner['rate']
    lines = [
        'parameters (list): what it changes',
        f'lr: the rate, {RATES}' + (f'; {rate["value"]:g} a sample by default' if rate else ''),
    ]
    for o in learner['all']:
        kind = '' if o['kind'] == 'schedule' else f' ({KINDS[o["kind"]]})'
        doc = o['doc'] + (', ' + RATES if o['kind'] == 'schedule' else '')
        lines.append(f'{o["name"]}{kind}: {doc}' + options.range_text(o))
    return [*lines, 'epoch_size (int): of rates that are given as lists']


def docstring(learner):
    lines = []
    for paragraph in (learner['doc'], MEANINGS[learner['rate_meaning']]):
        lines += [*textwrap.wrap(paragraph, 103), '']
    lines.append('Args:')
    for line in argument_lines(learner):
        lines += textwrap.wrap(line, 102, initial_indent='    ', subsequent_indent='        ')
    lines += ['', 'Returns:', '    Learner', '', 'Example:']
    return lines + ['    ' + line for line in learner['printed']]


def rate_call(learner):
    sizes = 'minibatch_size, epoch_size, use_mean_gradient'
    call = {
        'mean_gradient': f'learning_rate(lr, {sizes})',
        'adaptive': f"adaptive_rate('{learner['name']}', lr, {sizes})",
        'scaled': f"scaled_rate('{learner['name']}', need_ave_multiplier, lr, {sizes})",
    }
    return '_rates.' + call[learner['rate_meaning']]


def passed(option):
    """An option as the compiled module gets it: schedules that are the learner's own take its sizes."""
    name = option['name']
    if option['kind'] != 'schedule' or name == 'gaussian_noise_injection_std_dev':
        return name
    made = 'optional_rate' if may_be_none(option) else 'rate'
    return f"_rates.{made}({name}, minibatch_size, epoch_size, '{name.replace('_', ' ')}')"


def function(learner):
    first, *rest = docstring(learner)
    lines = [f'def {learner["name"]}({", ".join(parameters(learner, typed=True))}) -> Learner:']
    lines += ['    """' + first, *(('    ' + line).rstrip() for line in rest), '    """']
    if rate := learner['rate']:
        default = f'_rates.schedule({literal(rate)}, {rate["minibatch_size"]!r})'
        lines.append(f'    lr = {default} if lr is None else lr')
    lines += [f'    rate = {rate_call(learner)}', '    options = {']
    lines += [f"        '{o['name']}': {passed(o)}," for o in learner['all']]
    lines += ['    }', f"    return _cantik.learner('{learner['name']}', parameters, rate, options)"]
    return '\n'.join(lines)


def functions(found):
    names = ''.join(f"    '{learner['name']}',\n" for learner in found)
    return HEADER + f'__all__ = [\n{names}]\n\n\n' + '\n\n\n'.join(map(function, found)) + '\n'


# ---- C++

CPP_HEADER = """\
// The built-in learners. Written by tools/generate from the learners' files: change those.
//
//   LearnerPtr l = adam(z.parameters(), 0.001, {.momentum = 0.9, .l2_regularization_weight = 1e-4});
//
// The meaning of a rate is CNTK's. A rate without a minibatch size (a plain number) is for the mean gradient
// of a minibatch. Steps of adaptive learners do not grow with the gradient: for them such a rate is divided
// by the number of samples, so that on 50 samples a step is a fiftieth of that of other toolkits. With
// {.use_mean_gradient = true}, or with a schedule for one sample, a step is as large as the rate says.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <cantik/api.h>
#include <cantik/learner.h>
#include <cantik/option.h>
#include <cantik/schedule.h>

namespace cantik {

"""
CPP_SOURCE = """\
// Bodies of <cantik/learners.h>. Written by tools/generate.
#include <cantik/learners.h>

#include <utility>
#include <vector>

#include <cantik/learner_registry.h>

namespace cantik {

"""


def signature(learner, declared):
    """The typed call up to its body; `declared`: with defaults."""
    struct, rate = options.struct_name(learner['name']), learner['rate']
    has_default = declared and not learner['required']
    return (
        f'LearnerPtr {learner["name"]}(std::vector<Variable> parameters, TrainingParameterSchedule lr'
        + (f' = {options.cpp_schedule(rate)}' if rate and declared else '')
        + f', const {struct}& options'
        + (' = {}' if has_default else '')
        + ')'
    )


def declaration(learner):
    struct = options.struct_name(learner['name'])
    text = f'// Options of {learner["name"]}().\nstruct {struct} {{\n'
    text += ''.join(map(options.cpp_member, learner['all'])) + '};\n\n'
    text += options.comment(learner['doc'])
    text += '//\n' + ''.join(f'//   {line}\n' for line in learner['formula'])
    return text + f'CANTIK_API {signature(learner, declared=True)};\n'


def definition(learner):
    values = ', '.join(f'{{"{o["name"]}", options.{o["name"]}}}' for o in learner['all'])
    arguments = f'"{learner["name"]}", std::move(parameters), std::move(lr), {{{values}}}'
    return f'{signature(learner, declared=False)} {{\n  return make_learner({arguments});\n}}\n'


def header(found):
    return CPP_HEADER + '\n'.join(map(declaration, found)) + '\n}  // namespace cantik\n'


def source(found):
    return CPP_SOURCE + '\n'.join(map(definition, found)) + '\n}  // namespace cantik\n'


# ---- the reference

PAGE = """\
# Learners

Written by `tools/generate` from the learners' files. `C` is `cantik`. In C++ each has the same name in
[learners.h](../../include/cantik/learners.h), with its options in a struct:
`adam(z.parameters(), 0.001, {.momentum = 0.9})`.
A learner of your own: [learners.md](../learners.md).

"""


def entry(learner):
    name = learner['name']
    call = ', '.join(parameters(learner, typed=False))
    text = f'## {name}\n\n```py\n{spelled(learner)}({call})\n```\n\n{learner["doc"]}\n\n'
    text += '```text\n' + '\n'.join(learner['formula']) + '\n```\n\n'
    text += MEANINGS[learner['rate_meaning']] + '\n\n'
    for line in argument_lines(learner):
        argument, rest = line.split(': ', 1)
        argument, _, kind = argument.partition(' (')
        text += f'- `{argument}`: {rest}' + (f' ({kind}' if kind else '') + '\n'
    return text + '\n```pycon\n' + '\n'.join(learner['printed']) + '\n```\n\n'


def page(found):
    return PAGE + ''.join(map(entry, found))


def write_calls(found):
    """Writes Python's functions of learners that have none, so that their examples can run."""
    path = ROOT / 'python' / 'cantik' / 'learners' / '_generated.py'
    known = path.read_text() if path.exists() else ''
    if all(f'def {learner["name"]}(' in known for learner in found):
        return
    for learner in found:
        learner['printed'] = []
    path.write_text(laid_out(path, functions(found)))


def files(found):
    """All that is written of the learners, by path."""
    return {
        ROOT / 'python' / 'cantik' / 'learners' / '_generated.py': functions(found),
        ROOT / 'include' / 'cantik' / 'learners.h': header(found),
        ROOT / 'src' / 'calls' / 'learners.cc': source(found),
        ROOT / 'docs' / 'reference' / 'learners.md': page(found),
    }
