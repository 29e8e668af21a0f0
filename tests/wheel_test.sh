#!/bin/sh
# Builds the wheel, installs it in an environment of its own with nothing but NumPy, and uses it there: wheel_test.sh PYTHON [WHEEL]
# With a WHEEL, that one is tested. Prints the sizes; fails above 15 MB, for the wheel or for the library.
set -eu
python=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -n "${2:-}" ]; then
  wheel=$2
else
  "$python" -m pip wheel -q --disable-pip-version-check --no-deps -w "$work/dist" "$here/.."
  wheel=$(ls "$work"/dist/*.whl)
fi
"$python" -m venv "$work/venv"
venv=$work/venv/bin/python
"$venv" -m pip install -q --disable-pip-version-check "$wheel"
others=$("$venv" -m pip list --disable-pip-version-check --format=freeze | grep -viE '^(cantik|numpy|pip|setuptools|wheel)(==|$)' || true)
[ -z "$others" ] || { echo "the wheel brought more than NumPy: $others" >&2; exit 1; }
cd "$work"
unset PYTHONPATH
"$venv" "$here/wheel_use.py" "$work"
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
size() { wc -c <"$1"; }
package=$("$venv" -c 'import os, cantik; print(os.path.dirname(cantik.__file__))')
for file in "$wheel" "$package"/libcantik.so.0 "$package"/_cantik.*.so; do
  bytes=$(size "$file")
  awk -v b="$bytes" -v f="$(basename "$file")" 'BEGIN { printf "%6.2f MB  %s\n", b / 1e6, f }'
  [ "$bytes" -le 15000000 ] || { echo "more than 15 MB: $file" >&2; exit 1; }
done
