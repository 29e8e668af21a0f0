"""What `cantik` and `python -m cantik` do: each command is a module here, named after it, whose `command` is
made by the decorator of `_program.py`. A module whose name begins with _ is no command."""
