#!/bin/sh
# Debian packages of a build: packages_test.sh BUILD_DIR
# They are installed by dpkg into an empty root, where a program is built against them and run; the server is run where it is built.
set -eu
for program in fakeroot dpkg-shlibdeps cpack; do
  command -v $program >/dev/null || { echo "packages are made with $program: apt-get install fakeroot dpkg-dev cmake" >&2; exit 1; }
done
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -rf "$build/packages"
(cd "$build" && cpack -G DEB -B "$build/packages" >"$work/log" 2>&1) || { cat "$work/log" >&2; exit 1; }
root=$work/root
mkdir -p "$root/var/lib/dpkg/updates" "$root/var/lib/dpkg/info"
touch "$root/var/lib/dpkg/status"
# The C and C++ libraries that they depend on are those of this machine.
fakeroot dpkg --root="$root" --force-depends,not-root,bad-path --log=/dev/null -i "$build"/packages/*.deb >"$work/log" 2>&1 ||
  { cat "$work/log" >&2; exit 1; }
for file in "$build"/packages/*.deb; do
  printf '%s: %s, %s kB, %s\n' "$(dpkg-deb -f "$file" Package)" "$(dpkg-deb -f "$file" Version)" \
    "$(dpkg-deb -f "$file" Installed-Size)" "$(dpkg-deb -f "$file" Depends)"
done
# The library alone has nothing to build with, and brings no names for linkers.
dpkg-deb -c "$build"/packages/libcantik0_*.deb | grep -qE 'include|libcantik\.so$' && { echo "libcantik0 has files of developers" >&2; exit 1; }
shown() { sed -n '/^```cpp$/,/^```$/p' "$here/../$1" | sed '/^```/d'; }
for page in README.md docs/axes.md docs/cpp.md docs/looking.md; do shown "$page" >"$work/$(basename "$page" .md).cc"; done
cmake -S "$here/project" -B "$work/build" -DREADME="$work/README.cc" -DAXES="$work/axes.cc" -DCPP="$work/cpp.cc" -DLOOKING="$work/looking.cc" \
  -DCMAKE_PREFIX_PATH="$root/usr" -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$work/build" --target uses_cantik >/dev/null
(cd "$work" && build/uses_cantik tour.model)
# The component of the server is there, or said not to be.
mkdir "$work/serve"
cat >"$work/serve/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.25)
project(ServeTest LANGUAGES CXX)
find_package(Cantik REQUIRED COMPONENTS serve)
if(NOT TARGET Cantik::serve)
  message(FATAL_ERROR "Cantik::serve is no target")
endif()
EOF
if [ -e "$root/usr/bin/cantik-serve" ]; then
  cmake -S "$work/serve" -B "$work/serve/build" -DCMAKE_PREFIX_PATH="$root/usr" >/dev/null
  "$root/usr/bin/cantik-serve" --help >/dev/null
  echo "the server starts"
else
  cmake -S "$work/serve" -B "$work/serve/build" -DCMAKE_PREFIX_PATH="$root/usr" >"$work/log" 2>&1 && { echo "there is no server, and it was found" >&2; exit 1; }
  grep -q "component serve is not installed" "$work/log" || { cat "$work/log" >&2; exit 1; }
  echo "no server in this build: COMPONENTS serve is refused"
fi
# The programs of an image, with what they are linked with and nothing else: the root that the Dockerfile makes.
program=$work/build/uses_cantik
[ ! -e "$root/usr/bin/cantik-serve" ] || program=$root/usr/bin/cantik-serve
LD_LIBRARY_PATH=$root/usr/lib "$here/../tools/program_root.sh" "$program" "$work/image" >/dev/null
size=$(du -sm "$work/image" | cut -f1)
echo "an image of $(basename "$program"): $size MB"
[ "$size" -le 60 ]
if [ "$(id -u)" = 0 ]; then
  if [ "$(basename "$program")" = cantik-serve ]; then chroot "$work/image" /usr/bin/cantik-serve --help >/dev/null
  else cp "$work/tour.model" "$work/image/tmp"; chroot "$work/image" /usr/bin/uses_cantik /tmp/tour.model; fi
fi
