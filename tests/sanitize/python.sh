#!/bin/sh
# The Python tests of extensions under the sanitizers that a build was made with: python.sh BUILD_DIR PYTHON [WHAT PYTEST TAKES]
#
# They run in an interpreter of ours with the sanitizer in it (tests/embed/python.cc), and so do the processes that they start. Compilers
# that they call are the usual ones with the sanitizer's flags, so the libraries they build are checked too. What any of these processes
# reports ends up in BUILD_DIR/sanitized/reports, which has to stay empty: a test may expect a process to fail, but not in this way.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
python=$2
shift 2
flags=-fsanitize=$(sed -n 's/^CANTIK_SANITIZE:[A-Z]*=//p' "$build/CMakeCache.txt")
[ -x "$build/tests/embed/sanitized_python" ] || { echo "$build has no sanitized interpreter: it is built where Python's library for embedding is" >&2; exit 1; }

place=$build/sanitized
rm -rf "$place"
mkdir -p "$place/bin" "$place/tools" "$place/reports"
# An environment with the packages of the one that is given.
"$python" - "$place" <<'EOF'
import os, sys, sysconfig
place = sys.argv[1]
packages = sysconfig.get_paths()['purelib']
here = os.path.join(place, os.path.relpath(packages, sys.prefix))
os.makedirs(os.path.dirname(here))
os.symlink(packages, here)
with open(os.path.join(place, 'pyvenv.cfg'), 'w') as f:
    f.write('home = {}\n'.format(os.path.dirname(sys._base_executable)))
EOF
ln -s "$build/tests/embed/sanitized_python" "$place/bin/python"
for compiler in cc gcc c++ g++; do
  printf '#!/bin/sh\nexec %s %s -fno-omit-frame-pointer "$@"\n' "$(command -v $compiler)" "$flags" >"$place/tools/$compiler"
  chmod +x "$place/tools/$compiler"
done

# Python's own allocator hides from the sanitizer which of its objects are gone.
export PYTHONMALLOC=malloc
# Leaks are not looked for here: at its end Python leaves modules, types and interned texts as they are, and what extensions keep for them,
# so nearly each report would be about those. The C++ program with Python inside looks for them (leaks.supp).
export ASAN_OPTIONS="detect_leaks=0:detect_stack_use_after_return=1:allocator_may_return_null=1:log_path=$place/reports/address"
export UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1:log_path=$place/reports/undefined"
export PYTHONPATH="$build/python" PATH="$place/tools:$PATH"
cd "$here/../.."
status=0
[ $# -gt 0 ] || for test in $(sed 's/#.*//' "$here/python_tests"); do set -- "$@" "tests/python/$test"; done
"$place/bin/python" -m pytest -q -p no:cacheprovider "$@" || status=$?
for report in "$place"/reports/*; do
  [ -e "$report" ] || continue
  cat "$report" >&2
  status=1
done
exit $status
