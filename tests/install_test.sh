#!/bin/sh
# Installs a build into an empty folder, and builds and runs an unrelated project against it: install_test.sh BUILD_DIR
set -eu
build=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/prefix" >/dev/null
# One library, one set of headers, one package for find_package.
for name in "libcantik.so.*.*.*" cantik.h cantik-config.cmake; do
  found=$(find "$work/prefix" -name "$name" | wc -l)
  [ "$found" = 1 ] || { find "$work/prefix" -name "$name" >&2; echo "an install has one $name, not $found" >&2; exit 1; }
done
# What documents show is compiled and run as well.
shown() { sed -n '/^```cpp$/,/^```$/p' "$here/../$1" | sed '/^```/d'; }
shown README.md >"$work/readme.cc"
shown docs/axes.md >"$work/axes.cc"
shown docs/cpp.md >"$work/cpp.cc"
shown docs/looking.md >"$work/looking.cc"
cmake -S "$here/project" -B "$work/build" -DREADME="$work/readme.cc" -DAXES="$work/axes.cc" -DCPP="$work/cpp.cc" -DLOOKING="$work/looking.cc" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$work/build" >/dev/null
cd "$work"
build/uses_cantik tour.model
build/readme
build/axes
build/cpp
build/looking
# The page's command without CMake.
flags="-I$work/prefix/include -L$work/prefix/lib -Wl,-rpath,$work/prefix/lib"
# shellcheck disable=SC2086
c++ -std=c++20 "$work/cpp.cc" $flags -lcantik -o by_hand && ./by_hand
# The public headers are clean under the warnings that projects switch on, in a program and for a library of operators.
warnings="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"
for compiler in g++ clang++; do
  # shellcheck disable=SC2086
  "$compiler" -std=c++20 -fsyntax-only $warnings "-I$work/prefix/include" "$here/project/main.cc"
  for header in op.h mxnet/op.h plugin.h; do
    # shellcheck disable=SC2086
    echo "#include <cantik/$header>" | "$compiler" -std=c++20 -fsyntax-only $warnings "-I$work/prefix/include" -x c++ -
  done
done
# Nothing but the C and C++ runtimes and the thread library.
needed=$(readelf -d "$work/prefix/lib/libcantik.so" | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p' | sort | tr '\n' ' ')
for library in $needed; do
  case $library in
    libc.so.6 | libm.so.6 | libstdc++.so.6 | libgcc_s.so.1 | libpthread.so.0 | libdl.so.2 | ld-linux-x86-64.so.2) ;;
    *) echo "the library needs $library" >&2; exit 1 ;;
  esac
done
