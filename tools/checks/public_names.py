"""Every public name of C++ has a comment: functions, classes, fields, enums, aliases and constants of the
headers in include/cantik, by the parser of the C++ reference. MXNet's registrations (include/cantik/mxnet)
are names of NNVM, which it explains."""

import importlib.util

from checks.tree import ROOT

NOT_CHECKED = ('cantik/mxnet/',)


def problems():
    if importlib.util.find_spec('clang') is None:
        yield 'public_names: libclang is missing: make setup installs it in .venv'
        return
    import cpp_headers

    for header in cpp_headers.headers():
        if header.path.startswith(NOT_CHECKED):
            continue
        file = (cpp_headers.INCLUDE / header.path).relative_to(ROOT)
        for name in header.all_names():
            if cpp_headers.is_undocumented(name):
                yield f'{file}:{name.line}: {name.full_name} has no comment'
