"""Public headers compile with GCC and Clang: each alone, each pair of them, all together; plugin.h
and c_api.h are plain C."""

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor

from checks.tree import ROOT, with_suffix

COMPILERS = ['g++', 'clang++']


def compile_only(command, headers):
    """What the compiler says of a program with these headers; nothing where it is content."""
    program = ''.join(f'#include <{name}>\n' for name in headers)
    command = [*command, '-fsyntax-only', '-Wall', '-Wextra', f'-I{ROOT / "include"}', '-']
    done = subprocess.run(command, input=program, capture_output=True, text=True, check=False)
    return done.stderr[:800] or (f'status {done.returncode}' if done.returncode else '')


def problems():
    headers = [str(h.relative_to(ROOT / 'include')) for h in with_suffix('.h', under=['include'])]
    # A header is given twice: it is guarded.
    programs = {f'include/{name} alone': [name, name] for name in headers}
    programs['all public headers together'] = headers
    programs['all public headers together, the last one first'] = headers[::-1]
    cases = [([compiler, '-std=c++20', '-x', 'c++'], what) for compiler in COMPILERS for what in programs]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        said = list(pool.map(lambda case: compile_only(case[0], programs[case[1]]), cases))
    for (command, what), complaint in zip(cases, said):
        if complaint:
            yield f'{what} does not compile with {command[0]}:\n{complaint}'
    for standard, header in (('c11', 'cantik/plugin.h'), ('c99', 'cantik/c_api.h')):
        plain_c = compile_only(['cc', f'-std={standard}', '-x', 'c'], [header])
        if plain_c:
            yield f'include/{header} is not plain C:\n' + plain_c
