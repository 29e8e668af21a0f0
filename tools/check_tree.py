#!/usr/bin/env python3
"""Checks of the tree itself: folders are layers, files stay small, public headers compile, alone and together.

    check_tree.py [--headers]     # --headers also compiles the public headers with GCC and Clang, each alone and all together (slower)
"""
import argparse
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LAYERS = ["base", "tensor", "graph", "backends", "ops", "compile", "runtime", "layers", "learners", "io", "distributed", "formats", "train", "serve"]
# A file of the operators may use the kernels under it; a kernel knows expressions and types (graph), not operators.
MOST_LINES = 800
COMPILERS = ["g++", "clang++"]


def layer_of(path):
    parts = Path(path).parts
    return LAYERS.index(parts[0]) if parts and parts[0] in LAYERS else None


def check_layers():
    problems = []
    for file in sorted((ROOT / "src").rglob("*")):
        if file.suffix not in (".h", ".cc"):
            continue
        mine = layer_of(file.relative_to(ROOT / "src"))
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            match = re.match(r'\s*#include "([^"]+)"', line)
            theirs = layer_of(match.group(1)) if match else None
            if match and theirs is None:
                problems.append(f"{file.relative_to(ROOT)}:{number}: includes {match.group(1)}, which is in no layer")
            elif theirs is not None and mine is not None and theirs > mine:
                problems.append(f"{file.relative_to(ROOT)}:{number}: {LAYERS[mine]} includes {match.group(1)} of the later layer {LAYERS[theirs]}")
    for file in sorted((ROOT / "include").rglob("*.h")):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if re.match(r'\s*#include "', line):
                problems.append(f"{file.relative_to(ROOT)}:{number}: a public header includes a private one")
    return problems


def check_sizes():
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.split()
    files = [ROOT / name for name in tracked] or list((ROOT / "src").rglob("*"))
    problems = []
    for file in files:
        if file.suffix in (".h", ".cc", ".py", ".cmake") and file.exists():
            lines = len(file.read_text(encoding="utf-8").splitlines())
            if lines > MOST_LINES and "Written by tools/generate" not in file.read_text(encoding="utf-8")[:300] and "generated" not in file.name:
                problems.append(f"{file.relative_to(ROOT)}: {lines} lines, two ideas in one room?")
    return problems


def compile_only(compiler, headers):
    """What the compiler says of a program with these headers; nothing where it is content."""
    program = "".join(f"#include <{name}>\n" for name in headers)
    command = [compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", f"-I{ROOT / 'include'}", "-x", "c++", "-"]
    done = subprocess.run(command, input=program, capture_output=True, text=True, check=False)
    return done.stderr[:800] or (f"status {done.returncode}" if done.returncode else "")


def check_headers():
    """Each public header alone (twice: it is guarded), all together, and all together the other way round."""
    headers = [str(h.relative_to(ROOT / "include")) for h in sorted((ROOT / "include").rglob("*.h"))]
    programs = {f"include/{name} alone": [name, name] for name in headers}
    programs["all public headers together"] = headers
    programs["all public headers together, the last one first"] = headers[::-1]
    cases = [(compiler, what) for compiler in COMPILERS for what in programs]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        said = pool.map(lambda case: compile_only(case[0], programs[case[1]]), cases)
        problems = [f"{what} does not compile with {compiler}:\n{text}" for (compiler, what), text in zip(cases, said) if text]
    plain_c = subprocess.run(["cc", "-std=c11", "-fsyntax-only", "-Wall", "-Wextra", f"-I{ROOT / 'include'}", "-x", "c", "-"],
                             input="#include <cantik/plugin.h>\n", capture_output=True, text=True, check=False)
    if plain_c.returncode:
        problems.append("include/cantik/plugin.h is not plain C:\n" + plain_c.stderr[:800])
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--headers", action="store_true")
    options = parser.parse_args()
    problems = check_layers() + check_sizes() + (check_headers() if options.headers else [])
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
