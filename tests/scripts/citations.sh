#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Each page of doc/design and each section that a file cites as doc/design/PAGE.md#section is there, and
# each page is in the list of doc/design/README.md. An anchor is made of a heading as GitHub and the site
# make it.
set -u
cd "${srcdir:-..}" || exit 99
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
for page in doc/design/*.md; do
  name=${page##*/}
  echo "$name"
  sed -n 's/^##* *//p' "$page" | tr '[:upper:] ' '[:lower:]-' | sed "s/[^a-z0-9_-]//g; s/^/$name#/"
  [ "$name" = README.md ] || grep -q "($name)" doc/design/README.md || echo "$name is not in doc/design/README.md" >> "$work/missing"
done > "$work/there"
find ARCHITECTURE.md CONTRIBUTING.md README.md NEWS.md configure.ac bench doc examples include packaging python src tests tools \
  -type f ! -path '*/.git/*' -size -300k -exec grep -IoHE '(doc/)?design/[a-z]+\.md(#[a-z0-9_-]+)?' {} + |
  grep -v '^tests/scripts/citations.sh' | sed 's,:\(doc/\)*design/,:,' > "$work/cited"
[ "$(wc -l < "$work/cited")" -ge 50 ] || echo 'fewer than 50 citations were found' >> "$work/missing"
awk -F: 'NR == FNR { there[$0] = 1; next } !($2 in there) { print $1 ": there is no doc/design/" $2 }' "$work/there" "$work/cited" \
  >> "$work/missing"
if [ -s "$work/missing" ]; then cat "$work/missing"; exit 1; fi
echo "$(wc -l < "$work/cited") citations of doc/design are right"
