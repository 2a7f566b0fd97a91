"""The options that an engine says it has."""

from __future__ import annotations

import pytest

from quietmove.engine.protocol.options import OPTIONS
from quietmove.referee.arguments.engine_args import parse_engine, spell_engine
from quietmove.referee.errors import SetupError
from quietmove.referee.seats.pool import objections, offered


@pytest.mark.parametrize(
    "words", [["cmd=quietmove"], ["name=inside", "protocol=in-process"], ["cmd=quietmove --protocol ugi"]]
)
def test_this_engine_offers_its_own_options_in_every_seat_that_can_set_them(words: list[str]) -> None:
    names = {option.name for option in offered(parse_engine(words), "othello")}
    assert {option.name for option in OPTIONS} - {"Notation"} <= names  # UGI has its own notation


def test_a_seat_without_options_offers_none() -> None:
    assert offered(parse_engine(["cmd=cat", "protocol=json"]), "othello") == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["cmd=./no-such-engine"], "there is no program './no-such-engine'"),
        (["cmd=cat", "start=300"], "it did not send uciok within 300 ms"),
        (["cmd=false"], "it ended"),
    ],
)
def test_an_engine_that_does_not_answer_says_why(words: list[str], said: str) -> None:
    with pytest.raises(SetupError) as refused:
        offered(parse_engine(words), "othello")
    assert said in str(refused.value)


@pytest.mark.parametrize(
    "words",
    [
        ["cmd=quietmove --x 'a b'", "name=two words", "option.Hash=3", "option.A B=on", "cpus=0,1", "ponder=on"],
        ["cmd=quietmove", 'option."Use=Book"=a=b', 'option."=Hash="=', "option.Book=a=b"],
        ["cmd=./me {color}", "protocol=project", "line=none", "coordinates=slide", "env.X=1=2", "margin=20"],
        ["cmd=./me", "protocol=project", "sandbox=on", "folder=/tmp,/etc", "memory=64", "cwd=/tmp"],
    ],
)
def test_the_words_of_an_engine_describe_it(words: list[str]) -> None:
    assert parse_engine(spell_engine(parse_engine(words))) == parse_engine(words)


def test_a_name_with_an_equals_sign_is_given_in_quotes() -> None:
    assert parse_engine(["cmd=x", 'option."Use=Book"=true', "option.A=b=c"]).options == (
        ("Use=Book", "true"),
        ("A", "b=c"),
    )
    engine = (
        "read x; echo option name Use=Book type check default true; echo uciok; read x; read x; echo readyok; read x"
    )
    words = [f"cmd=sh -c '{engine}'", "name=a"]
    (wrong,) = objections([parse_engine([*words, "option.Use=Book=true"])], "othello")
    said = "engine a: it has no option 'Use'; write option.\"Use=Book\"=VALUE; its options: Use=Book"
    assert wrong.text == said
    assert not objections([parse_engine([*words, 'option."Use=Book"=true'])], "othello")
