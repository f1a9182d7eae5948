# SPDX-License-Identifier: Apache-2.0
#
# links.py FOLDER: fails if a page of FOLDER refers to a file or an anchor that FOLDER lacks. Addresses of
# other hosts are not tried.
import html.parser
import pathlib
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.links += [attributes[name] for name in ("href", "src") if attributes.get(name)]
        self.anchors |= {attributes[name] for name in ("id", "name") if attributes.get(name)}


root = pathlib.Path(sys.argv[1]).resolve()
pages = {path: Page(path) for path in root.rglob("*.html")}
links = failures = 0
for path, page in sorted(pages.items()):
    for link in page.links:
        address = urllib.parse.urlsplit(link)
        if address.scheme or address.netloc:
            continue
        links += 1
        target = (path.parent / urllib.parse.unquote(address.path)).resolve() if address.path else path
        anchor = urllib.parse.unquote(address.fragment)
        if not target.is_file():
            failures += 1
            print(f"{path.relative_to(root)}: no file {link}")
        elif anchor and target in pages and anchor not in pages[target].anchors:
            failures += 1
            print(f"{path.relative_to(root)}: no anchor {link}")
print(f"{len(pages)} pages, {links} links, {failures} failures")
sys.exit(failures > 0 or links == 0)
