"""How Sphinx makes the site; tools/build_site.py calls it."""

project = 'Cantik'
copyright = 'the authors of Cantik'
extensions = ['myst_parser']
html_theme = 'furo'
html_title = 'Cantik'
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False
# The letters of the reader's system: nothing is fetched from elsewhere.
html_theme_options = {'navigation_with_keys': True}
myst_heading_anchors = 3
nitpicky = True
pygments_style = 'friendly'
pygments_dark_style = 'monokai'
# Blocks that show a part of a program need not be one that a lexer knows.
suppress_warnings = ['misc.highlighting_failure']
