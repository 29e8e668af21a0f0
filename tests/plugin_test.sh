#!/bin/sh
# Builds plugins/example and plugins/naive against an installed Cantik, with GCC and with Clang, and uses them
# from C++ and Python: plugin_test.sh BUILD_DIR [PYTHON]
set -eu
build=$1
python=${2:-}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/prefix" >/dev/null
c++ -std=c++20 -O1 -I"$work/prefix/include" "$here/plugin/check.cc" -L"$work/prefix/lib" -lcantik -Wl,-rpath,"$work/prefix/lib" -pthread -o "$work/check"
built() { # built NAME COMPILER: the library of plugins/NAME, which needs no symbol of Cantik's
  cmake -S "$here/../plugins/$1" -B "$work/$1.$2" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="$2" >/dev/null
  cmake --build "$work/$1.$2" >/dev/null
  if nm -D --undefined-only "$work/$1.$2/cantik_$1.so" | grep -q cantik; then
    echo "the library of $1 built by $2 needs symbols of Cantik's" >&2
    exit 1
  fi
  echo "$work/$1.$2/cantik_$1.so"
}
for compiler in g++ clang++; do
  library=$(built example "$compiler")
  "$work/check" "$library" write "$work/$compiler.model"
  "$work/check" "$library" read "$work/$compiler.model"
  "$work/check" "$library" unloaded "$work/$compiler.model"
  [ -z "$python" ] || "$python" "$here/plugin/check.py" "$library" "$work/python.model"
  echo "$compiler: the example library works"
  library=$(built naive "$compiler")
  [ -z "$python" ] || "$python" "$here/plugin/backend.py" "$library"
  echo "$compiler: the naive backend works"
done
