"""Click commands with options that take an engine's KEY=VALUE arguments."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from itertools import chain
from typing import TypeVar

import click
from click.shell_completion import CompletionItem

Decorated = TypeVar("Decorated", bound=Callable[..., object])

WORD_LISTS = ("--engine", "--each")


class WordListCommand(click.Command):
    """A command whose ``--engine`` and ``--each`` take all arguments up to the next option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Join the arguments after each ``--engine`` and ``--each`` into one, which :class:`WordList` splits again."""
        joined: list[str] = []
        index = 0
        while index < len(args):
            joined.append(args[index])
            index += 1
            if joined[-1] in WORD_LISTS:
                end = next((i for i in range(index, len(args)) if args[i].startswith("-")), len(args))
                joined.append(shlex.join(args[index:end]))
                index = end
        return super().parse_args(ctx, joined)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete option names and the KEY=VALUE arguments of an engine."""
        return [*super().shell_complete(ctx, incomplete), *map(CompletionItem, complete_word(ctx, None, incomplete))]

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of engine arguments before the rest of the epilog."""
        from quietmove.referee.arguments.engine_args import engine_words

        with formatter.section("KEY=VALUE arguments of an engine"):
            formatter.write_dl(list(engine_words().items()))
        super().format_epilog(ctx, formatter)


class WordList(click.ParamType):  # type: ignore[type-arg]  # in click 8.1, the class is not generic
    """A list of arguments, given as one text quoted as for a shell."""

    name = "KEY=VALUE"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> list[str]:
        try:
            return shlex.split(value)
        except ValueError:
            option = param.opts[0] if param else self.name
            wrong = f"{option}: must be KEY=VALUE arguments, quoted as for a shell, not {value!r}"
            raise click.UsageError(wrong, ctx) from None


def word_list_option(*names: str, text: str) -> Callable[[Decorated], Decorated]:
    """Return a decorator that adds a repeatable option for an engine's KEY=VALUE arguments."""
    return click.option(
        *names, type=WordList(), multiple=True, metavar="KEY=VALUE...", shell_complete=complete_word, help=text
    )


def complete_word(ctx: click.Context, param: click.Parameter | None, incomplete: str) -> list[str]:
    """Return the arguments or values that complete the typed text. Bash passes ``=`` as a separate word."""
    from quietmove.referee.arguments.engine_args import engine_words, word_values

    words = [*chain.from_iterable([*(ctx.params.get("engines") or ()), *(ctx.params.get("each") or ())])]
    key, equals, value = incomplete.partition("=")
    if not equals and words[-1:] == ["="]:
        return [each for each in word_values(words[-2]) if each.startswith(incomplete)]
    if not equals:
        return [f"{word}=" for word in engine_words() if word.startswith(incomplete) and word.islower()]
    return [f"{key}={each}" for each in word_values(key) if each.startswith(value)]
