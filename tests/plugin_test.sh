#!/bin/sh
# Builds plugins/example against an installed Cantik, with GCC and with Clang, and uses it from C++ and Python: plugin_test.sh BUILD_DIR [PYTHON]
set -eu
build=$1
python=${2:-}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/prefix" >/dev/null
c++ -std=c++20 -O1 -I"$work/prefix/include" "$here/plugin/check.cc" -L"$work/prefix/lib" -lcantik -Wl,-rpath,"$work/prefix/lib" -pthread -o "$work/check"
for compiler in g++ clang++; do
  cmake -S "$here/../plugins/example" -B "$work/$compiler" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="$compiler" >/dev/null
  cmake --build "$work/$compiler" >/dev/null
  library=$work/$compiler/cantik_example.so
  if nm -D --undefined-only "$library" | grep -q cantik; then
    echo "the library built by $compiler needs symbols of Cantik's" >&2
    exit 1
  fi
  "$work/check" "$library" write "$work/$compiler.model"
  "$work/check" "$library" read "$work/$compiler.model"
  "$work/check" "$library" unloaded "$work/$compiler.model"
  [ -z "$python" ] || "$python" "$here/plugin/check.py" "$library" "$work/python.model"
  echo "$compiler: the example library works"
done
