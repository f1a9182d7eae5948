#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Pint 0.25.3 and unyt 3.2.0 with NumPy 2.4.6: the unit of an initial value.
#
# Expected: the sum of 1 m and 2 m with an initial value of 1 km is 1003 m, or an error, since maximum,
# concatenate and append of lengths in both units convert or refuse. astropy's quantities convert.
# Seen: both libraries take the number and drop its unit: 4 m. So does diff with a number that is put in
# front: the difference of 1 m and 1 km is 0 m. The initial value of a maximum is converted by Pint, and not
# by unyt.
#
# Output, sum, maximum and difference: Pint, 4 meter, 1000 meter, 0 meter, unyt, 4 m, 2 m, 0 m, astropy, 1003
# m, 1000 m, -999 m
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/pip -q install pint==0.25.3 unyt==3.2.0 astropy==8.0.2 numpy==2.4.6
cat > finding.py << 'END'
import astropy.units, numpy as np, pint, unyt

registry = pint.UnitRegistry()
results = []
for name, make in (("Pint", lambda values, unit: registry.Quantity(np.array(values), unit)), ("unyt", unyt.unyt_array),
                   ("astropy", lambda values, unit: values * astropy.units.Unit(unit))):
    metres, kilometre = make([1.0, 2.0], "m"), make([1.0], "km")[0]
    results += [name]
    for call in (lambda: np.sum(metres, initial=kilometre), lambda: np.max(metres, initial=kilometre),
                 lambda: np.diff(metres, prepend=kilometre)[0]):
        try:
            results.append(f"{call():g}")
        except Exception as error:
            results.append(type(error).__name__)
print(*results, sep=", ")
END
seen=$(v/bin/python finding.py)
echo "$seen"
test "$seen" = 'Pint, 4 meter, 1000 meter, 0 meter, unyt, 4 m, 2 m, 0 m, astropy, 1003 m, 1000 m, -999 m'
