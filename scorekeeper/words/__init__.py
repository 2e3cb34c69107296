"""Words for people: what codes, numbers and money are in the reader's language. Outside of a request, English.

``rules``, ``ledger`` and ``sessionfile`` answer with codes and values; only here do they become sentences.
"""

from scorekeeper.words.lines import deal_title, line_sentence
from scorekeeper.words.numbers import money, number, signed
from scorekeeper.words.problems import amount_message, problem_message
from scorekeeper.words.terms import (
    contract_name,
    field_hint,
    field_label,
    game_name,
    option_group_label,
    option_label,
    option_short_label,
    option_value_label,
    result_name,
    ruleset_notice,
    ruleset_title,
    suit_name,
)

__all__ = [
    "amount_message",
    "contract_name",
    "deal_title",
    "field_hint",
    "field_label",
    "game_name",
    "line_sentence",
    "money",
    "number",
    "option_group_label",
    "option_label",
    "option_short_label",
    "option_value_label",
    "problem_message",
    "result_name",
    "ruleset_notice",
    "ruleset_title",
    "signed",
    "suit_name",
]
