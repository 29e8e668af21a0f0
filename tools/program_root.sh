#!/bin/sh
# Collects a program and the libraries that it is linked with in an empty folder, as the root of an image: program_root.sh PROGRAM ROOT
set -eu
program=$1
root=$2
mkdir -p "$root/usr/bin" "$root/usr/lib" "$root/tmp" "$root/models" "$root/etc"
chmod 1777 "$root/tmp"
cp "$program" "$root/usr/bin/"
# A line of ldd is "name => file (address)", or "file (address)" for the loader, which keeps its place.
ldd "$program" | sed -nE 's/.* => (\/[^ ]+) .*/\1/p' | sort -u | while read -r file; do cp -L "$file" "$root/usr/lib/$(basename "$file")"; done
loader=$(ldd "$program" | sed -nE 's/^[[:space:]]*(\/[^ ]*ld-linux[^ ]*) .*/\1/p')
mkdir -p "$root$(dirname "$loader")"
cp -L "$loader" "$root$loader"
ln -s usr/lib "$root/lib" 2>/dev/null || true
# Libraries that are loaded by their names: pictures, engines of workers.
library=$(ldd "$program" | sed -nE 's/.*libcantik\.so[^ ]* => (\/[^ ]+) .*/\1/p')
[ -z "$library" ] || for file in "$(dirname "$library")"/libcantik_images.so; do [ ! -e "$file" ] || cp -L "$file" "$root/usr/lib/"; done
printf 'nobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n' >"$root/etc/passwd"
