"""What `cantik` and `python -m cantik` do: each command is a module here, with a line of help as its
docstring and `main(arguments)`."""
