#!/bin/sh
# Installs a wheel in an environment of its own with nothing but what it asks for, and uses it there: wheel_test.sh PYTHON [WHEEL]
# Without a WHEEL, one is built. Prints the sizes; fails above 8 MiB of wheel, or 25 MB of library.
set -eu
python=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -n "${2:-}" ]; then
  wheel=$2
else
  "$here/../tools/wheel.sh" "$python" "$here/.." "$work/dist"
  wheel=$(ls "$work"/dist/*.whl)
fi
"$python" -m venv "$work/venv"
venv=$work/venv/bin/python
"$venv" -m pip install -q --disable-pip-version-check "$wheel"
others=$("$venv" -m pip list --disable-pip-version-check --format=freeze | grep -viE '^(cantik|numpy|click|tomli|pip|setuptools|wheel)(==|$)' || true)
[ -z "$others" ] || { echo "the wheel brought more than NumPy and click: $others" >&2; exit 1; }
cd "$work"
unset PYTHONPATH
"$venv" "$here/wheel_use.py" "$work"
PATH="$work/venv/bin:$PATH" sh "$here/wheel_commands.sh" "$here/../docs/deploy.md"
# A library of operators against the installed package.
cmake -S "$here/../plugins/example" -B "$work/operators" -DCMAKE_PREFIX_PATH="$("$work/venv/bin/cantik" config --cmake)" >/dev/null
cmake --build "$work/operators" >/dev/null
"$venv" "$here/plugin/check.py" "$work/operators/cantik_example.so" "$work/plugin.model"
echo "the example library, built against the wheel, works"
if command -v mypy >/dev/null 2>&1; then
  mypy --python-executable "$venv" --cache-dir "$work/mypy" "$here/typing/snippet.py"
  mypy --python-executable "$venv" --cache-dir "$work/mypy" "$here/typing/wrong.py" >"$work/refused" && { echo "mypy accepts tests/typing/wrong.py" >&2; exit 1; }
  refused=$(grep -c 'error:' "$work/refused")
  [ "$refused" = 4 ] || { cat "$work/refused" >&2; exit 1; }
  echo "mypy accepts the snippet, and refuses each of 4 mistakes"
else
  echo "mypy is not installed: the stubs are not checked"
fi
small_enough() { # small_enough FILE BYTES
  bytes=$(wc -c <"$1")
  awk -v b="$bytes" -v f="$(basename "$1")" 'BEGIN { printf "%6.2f MB  %s\n", b / 1e6, f }'
  [ "$bytes" -le "$2" ] || { echo "more than $2 bytes: $1" >&2; exit 1; }
}
package=$("$venv" -c 'import os, cantik; print(os.path.dirname(cantik.__file__))')
small_enough "$wheel" 8388608
small_enough "$package"/libcantik.so.0 25000000
for file in "$package"/_cantik.*.so; do small_enough "$file" 15000000; done
