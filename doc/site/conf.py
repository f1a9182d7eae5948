# SPDX-License-Identifier: Apache-2.0
#
# Sphinx's configuration of the documentation site. `make site` (doc/site/make.sh) lays out the folder that
# this file is read from.
import os
import sys

from docutils import nodes
from sphinx import addnodes

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
sys.dont_write_bytecode = True  # release archives hold the folder
import plots

project = "isowarp"
copyright = "the isowarp maintainers"
release = version = os.environ.get("ISOWARP_VERSION", "")
extensions = ["myst_parser"]
include_patterns = ["index.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "NEWS.md", "doc/*.md", "doc/tutorial/*.md", "doc/gallery/*.md",
                    "doc/design/*.md", "bench/README.md", "python/README.md", "packaging/README.md", "man/*.md", "headers/*.md"]
myst_heading_anchors = 4
# Indented code is shell, C or output; Sphinx would take it for Python.
highlight_language = "none"
smartquotes = False
html_theme = "furo"
html_title = f"isowarp {version}"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
html_theme_options = {"navigation_with_keys": True}


# These pages list their folder's pages in their text. The navigation needs a list of its own, which the
# source does not have.
LISTS = {"doc/tutorial/README": "[0-9]*", "doc/design/README": "[a-z]*"}


def add_to_page(app, page, source):
    if page == "bench/README":
        source[0] = plots.with_plots(source[0])
    if page in LISTS:
        source[0] += "\n```{toctree}\n:hidden:\n:glob:\n\n" + LISTS[page] + "\n```\n"


# The documents name others by their paths in the source, as `doc/run.md`: here these names become links.
def link_names(app, tree):
    for name in list(tree.findall(nodes.literal)):
        page = "index" if name.astext() == "README.md" else name.astext().removesuffix(".md")
        if not name.astext().endswith(".md") or page not in app.env.found_docs or isinstance(name.parent, nodes.reference):
            continue
        link = addnodes.pending_xref("", refdomain="std", reftype="doc", reftarget="/" + page, refexplicit=True, refwarn=True,
                                     refdoc=app.env.docname)
        name.replace_self(link)
        link += name


def setup(app):
    app.connect("doctree-read", link_names)
    app.connect("source-read", add_to_page)
