"""Completion of commands, options and files by the Tab key."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from ._program import command as command_of, program


@command_of('cantik completion bash > ~/.local/share/bash-completion/completions/cantik')
@click.argument('shell', type=click.Choice(['bash', 'zsh', 'fish']))
def command(shell: str) -> None:
    """Prints what makes a shell complete `cantik` by the Tab key. bash: in the file of the example, or `eval
    "$(cantik completion bash)"` in ~/.bashrc; zsh: the same in ~/.zshrc; fish: in
    ~/.config/fish/completions/cantik.fish."""
    click.echo(get_completion_class(shell)(program, {}, 'cantik', '_CANTIK_COMPLETE').source())
