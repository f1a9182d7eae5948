#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# make.sh SOURCE OUT VERSION: makes the documentation site in OUT/html. The pages are the Markdown files of
# the source tree, the man pages and the headers; this script lays them out for Sphinx by symbolic links and
# copies no text. A warning is an error, and so is a link to a file that the site lacks.
set -eu
source=$(cd "$1" && pwd)
ISOWARP_VERSION=$3
export ISOWARP_VERSION
mkdir -p "$2"
out=$(cd "$2" && pwd)
for tool in sphinx-build mandoc; do
  command -v "$tool" > /dev/null ||
    { echo "make site: no $tool; Debian: python3-sphinx python3-myst-parser furo mandoc" >&2; exit 1; }
done
pages=$out/pages
rm -rf "$pages" "$out/html" "$out/doctrees"
mkdir -p "$pages/man" "$pages/headers"
for name in README.md ARCHITECTURE.md CONTRIBUTING.md NEWS.md LICENSE doc bench python packaging examples include tests tools src; do
  ln -s "$source/$name" "$pages/$name"
done
for name in conf.py site.css index.md; do
  ln -s "$source/doc/site/$name" "$pages/$name"
done

# index FOLDER TITLE NAME...: the page that lists the pages of a folder
index() {
  folder=$1 title=$2
  shift 2
  { printf '# %s\n\n```{toctree}\n:maxdepth: 1\n\n' "$title"; printf '%s\n' "$@"; printf '```\n'; } > "$pages/$folder/index.md"
}

set --
for page in "$source"/doc/man/*.[13]; do
  name=${page##*/}
  title="${name%.*}(${name##*.})"
  # The title of the page is its h1, so mandoc's headings go down by one.
  mandoc -T html -O fragment "$page" | sed 's,<\(/*\)h2\b,<\1h3,g; s,<\(/*\)h1\b,<\1h2,g' > "$pages/man/$name.html"
  printf '# %s\n\n```{raw} html\n:file: %s.html\n```\n' "$title" "$name" > "$pages/man/$name.md"
  set -- "$@" "$name"
done
index man 'Man pages' "$@"

set --
for header in "$source"/include/isowarp.h "$source"/include/isowarp/*.h "$source"/include/isowarp/*.hpp; do
  path=${header#"$source/include/"}
  name=$(echo "$path" | tr / -)
  case $path in *.hpp) language=cpp ;; *) language=c ;; esac
  printf '# `<%s>`\n\n```{literalinclude} ../include/%s\n:language: %s\n```\n' "$path" "$path" "$language" > "$pages/headers/$name.md"
  set -- "$@" "$name"
done
index headers 'The calls: the headers' "$@"

sphinx-build -q -W --keep-going -b html -d "$out/doctrees" "$pages" "$out/html"
python3 "$source/doc/site/links.py" "$out/html"
