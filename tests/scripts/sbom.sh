#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The list of all files (make sbom) is valid SPDX, by pyspdxtools of PyPI's spdx-tools (PYSPDXTOOLS: the
# command). That takes a minute for all files, so only the first ones are read; all have the same fields.
set -eu
command -v reuse > /dev/null || { echo 'sbom: there is no reuse'; exit 77; }
command -v "${PYSPDXTOOLS:=pyspdxtools}" > /dev/null || { echo 'sbom: there is no pyspdxtools'; exit 77; }
[ -e "$srcdir/.git" ] || { echo 'sbom: not a git checkout'; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
make -s sbom > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
list=$(echo isowarp-*.spdx)
awk -v most=12 '
  NR == FNR { files += /^FileName: /; if (files > 0 && files <= most && /^SPDXID: /) wanted[$2] = 1; next }
  /^FileName: / { file++ }
  /^LicenseID: / { file = 0 }
  file <= most && !(/^Relationship: / && !($NF in wanted))' "$list" "$list" > "$work/part.spdx"
echo "$(grep -c '^FileName: ' "$list") files, $(grep -c '^FileName: ' "$work/part.spdx") of them validated"
"$PYSPDXTOOLS" -i "$work/part.spdx" 2>&1 | grep -v '^Generating LALR tables' > "$work/errors" || true
if [ -s "$work/errors" ]; then cat "$work/errors"; exit 1; fi
