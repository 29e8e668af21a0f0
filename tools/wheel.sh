#!/bin/sh
# Builds a wheel and makes it one for other machines: what it is linked with lies in it. tools/wheel.sh PYTHON [SOURCE [FOLDER]]
#
# REPAIR, where it is set, is an interpreter that has auditwheel; PYTHON by default. PYTHON is the interpreter to build for. From 3.12 on the wheel is for that version and all later ones (abi3). SOURCE is
# this tree, or an sdist; the wheel lies in FOLDER, dist by default.
set -eu
python=$1
repair=${REPAIR:-$python}
source=${2:-$(dirname "$0")/..}
folder=${3:-dist}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" -m pip wheel -q --disable-pip-version-check --no-deps -w "$work" "$source"
mkdir -p "$folder"
# OpenSSL is the system's, which mends it. The libraries of MPIs are those of the launcher: no module is linked with them.
PATH="$(dirname "$repair"):$PATH" "$repair" -m auditwheel repair --exclude 'libssl.so.*' --exclude 'libcrypto.so.*' \
  --strip --zip-compression-level 9 --wheel-dir "$folder" "$work"/*.whl >"$work/log" 2>&1 ||
  { cat "$work/log" >&2; exit 1; }
sed -n 's/^Fixed-up wheel written to //p' "$work/log"
