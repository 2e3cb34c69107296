"""Words for people: what codes, numbers and money are in the reader's language. Outside of a request, English.

``rules``, ``ledger`` and ``sessionfile`` answer with codes and values; only here do they become sentences.
"""

from scorekeeper.words.bidding import word_said
from scorekeeper.words.facts import fact_words, names_of, payments_sentence
from scorekeeper.words.lines import deal_title, line_sentence
from scorekeeper.words.numbers import day, moment, money, number, signed, signed_money
from scorekeeper.words.problems import amount_message, problem_message
from scorekeeper.words.said import beside, has_pen, isolated, name_of
from scorekeeper.words.terms import (
    card_name,
    case_name,
    contract_name,
    field_hint,
    field_label,
    game_name,
    option_group_label,
    option_label,
    option_short_label,
    option_value_label,
    result_name,
    role_name,
    ruleset_notice,
    ruleset_summary,
    ruleset_title,
    suit_name,
    trump_kind_name,
)

__all__ = [
    "amount_message",
    "beside",
    "card_name",
    "case_name",
    "contract_name",
    "day",
    "deal_title",
    "fact_words",
    "field_hint",
    "field_label",
    "game_name",
    "has_pen",
    "isolated",
    "line_sentence",
    "moment",
    "money",
    "name_of",
    "names_of",
    "number",
    "option_group_label",
    "option_label",
    "option_short_label",
    "option_value_label",
    "payments_sentence",
    "problem_message",
    "result_name",
    "role_name",
    "ruleset_notice",
    "ruleset_summary",
    "ruleset_title",
    "signed",
    "signed_money",
    "suit_name",
    "trump_kind_name",
    "word_said",
]
