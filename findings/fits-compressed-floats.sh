#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# astropy 8.0.2 and fitsio 1.4.2: images of float32 in compressed FITS files.
#
# Expected: both round floats to few levels by default, and keep 0 as 0 and an infinity as such; level 0
# means without loss in both, and gzip has no loss at all.
# Seen: fitsio adds noise also to zeros, also with gzip, and reads an infinity as NaN, while astropy's default
# keeps both. With quantize_level 0 and its default compression astropy truncates the floats to integers, and
# NaN and infinity to -2147483648, without an error: 0.75 is read as 0, and no element is missing any more.
#
# Output: astropy zero True inf inf level 0 0.0 -2.1474836e+09 -2.1474836e+09 fitsio gzip zero False inf nan
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/pip -q install astropy==8.0.2 fitsio==1.4.2 numpy==2.4.6
cat > finding.py << 'FILE'
import warnings

import fitsio, numpy as np
from astropy.io import fits

warnings.simplefilter("ignore")
x = np.random.default_rng(1).standard_normal((100, 100)).astype("f4")
x[0, :4] = 0.75, np.nan, np.inf, 0


def by_astropy(**options):
    fits.CompImageHDU(x, **options).writeto("x.fits", overwrite=True)
    return fits.getdata("x.fits")[0]


default, level_0 = by_astropy(), by_astropy(quantize_level=0)
fitsio.write("y.fits", x, compress="GZIP", clobber=True)
gzip = fitsio.read("y.fits", ext=1)[0]
print("astropy zero", default[3] == 0, "inf", default[2], "level 0", *level_0[:3],
      "fitsio gzip zero", gzip[3] == 0, "inf", gzip[2])
FILE
seen=$(v/bin/python finding.py)
echo "$seen"
test "$seen" = 'astropy zero True inf inf level 0 0.0 -2.1474836e+09 -2.1474836e+09 fitsio gzip zero False inf nan'
