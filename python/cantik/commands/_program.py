"""The program: commands found by the names of their files, errors as lines, Ctrl-C as status 130."""

from __future__ import annotations

import importlib
import pkgutil
import sys
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from .. import cantik_version, commands

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

INTERRUPTED = 130  # 128 and the number of SIGINT, as shells have it
SETTINGS = {'help_option_names': ['-h', '--help'], 'max_content_width': 110}
# Errors that the library and the readers of files raise for wrong use.
_TOLD = (ValueError, TypeError, RuntimeError, LookupError, OSError, MemoryError, ImportError, ArithmeticError)


class Command(click.Command):
    """A command whose help ends with an example, and whose errors are lines of text.

    Args:
        example (str): a command line that works, or several
    """

    def __init__(self, *args: Any, example: str = '', **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.example = example

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The example, line for line."""
        with formatter.section('Example'):
            for line in self.example.splitlines():
                formatter.write(' ' * formatter.current_indent + line + '\n')

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command."""
        with errors_as_lines():
            return super().invoke(ctx)


class ScriptCommand(Command):
    """A command that runs programs of the user's, whose errors keep their tracebacks."""

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command."""
        return click.Command.invoke(self, ctx)


class ScriptOrFileCommand(ScriptCommand):
    """The same, of a command that takes a script (.py) or a file: all that stands behind a script is its."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Reads the command line."""
        place = next((i for i, word in enumerate(args) if word.endswith('.py')), len(args))
        return super().parse_args(ctx, [*args[:place], '--', *args[place:]])


def refuse_options_of_files(*names: str) -> None:
    """An error where one of these options stands before a script, of which it would say nothing."""
    context = click.get_current_context()
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or '')
        if parameter.name in names and source is click.core.ParameterSource.COMMANDLINE:
            raise click.UsageError(
                f"{parameter.opts[0]} is for files; a script's own options stand behind its name"
            )


def command(example: str, cls: type[Command] = Command, **settings: Any) -> Callable[[Any], Command]:
    """The decorator of a command's function.

    Args:
        example (str): a command line that works
        cls: ScriptCommand or ScriptOrFileCommand where the user's code runs
        settings: click's context settings
    """
    return click.command(cls=cls, example=example, context_settings={**SETTINGS, **settings})


@contextmanager
def errors_as_lines() -> Iterator[None]:
    """Inside, an error of the library ends the program with its text and the status 1."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _tell_warning
            yield
    except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
        raise
    except _TOLD as error:
        raise click.ClickException(line_of(error)) from error


def line_of(error: BaseException) -> str:
    """An error's text. The line of this package that made a node says nothing to a user: it is left out."""
    if isinstance(error, OSError) and error.strerror:
        return f'{error.filename}: {error.strerror}' if error.filename else error.strerror
    if isinstance(error, MemoryError):
        return str(error) or 'there is not enough memory'
    said = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
    lines = [line for line in said.splitlines() if line.strip() and not line.startswith('  made at ')]
    return '\n'.join(lines) or type(error).__name__


def _tell_warning(message, category, filename, lineno, file=None, line=None):
    click.echo(f'cantik: {message}', err=True)


class _Commands(click.Group):
    def list_commands(self, ctx):
        return sorted(m.name for m in pkgutil.iter_modules(commands.__path__) if m.name[0] != '_')

    def get_command(self, ctx, cmd_name):
        if cmd_name not in self.list_commands(ctx):
            return None
        return importlib.import_module(f'{commands.__name__}.{cmd_name}').command


@click.command(cls=_Commands, invoke_without_command=True, context_settings=SETTINGS)
@click.version_option(cantik_version, message='%(version)s')
@click.pass_context
def program(context: click.Context) -> None:
    """Trains, measures, converts and serves networks. `cantik COMMAND --help` tells more of a command."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command line; its exit status: 0, 1 for an error, 2 for wrong use, 130 after Ctrl-C."""
    given = None if arguments is None else list(arguments)
    try:
        status = program.main(given, prog_name='cantik', standalone_mode=False)
    except click.ClickException as error:
        context = getattr(error, 'ctx', None) or click.get_current_context(silent=True)
        name = context.command_path if context else _named(given)
        hint = f'\n  remedy   {name} --help' if isinstance(error, click.UsageError) else ''
        click.echo(f'{name}: {error.format_message()}{hint}', err=True)
        return error.exit_code
    except click.Abort:
        click.echo('cantik: interrupted', err=True)
        return INTERRUPTED
    return status if isinstance(status, int) else 0


def _named(given):
    """The command that a command line names."""
    words = sys.argv[1:] if given is None else given
    return ' '.join(['cantik', *words[:1]])
