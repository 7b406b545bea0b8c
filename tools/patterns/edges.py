"""Prints cases at the edges of Go's limits, in the form of compare.go.

    python3 edges.py | cargo run --release --features tools --example pattern_cases -- -
"""

import json


def nested(opening: str, core: str, closing: str, times: int) -> str:
    return opening * times + core + closing * times


def patterns():
    for times in (498, 499, 500, 501, 998, 999, 1000, 1001, 3000):
        yield nested("(", "", ")", times)
        yield nested("(", "a", ")", times)
        yield nested("(a", "b", ")", times)
        yield nested("(?:", "a", ")", times)
        yield nested("(?:a", "b", ")", times)
        yield nested("(?:a", "b", ")*", times)
        yield nested("(?:", "a", ")*", times)
        yield nested("(?:a", "b", "c)+", times)
        yield nested("(?:", "", ")?", times)
        yield nested("(?:ab|", "c", ")*", times)
        yield nested("(?:ab|", "c", ")", times)
        yield nested("(a|", "b", ")", times)
        yield nested("(?i:(?-i:", "[a]b", "))", times)
        yield nested("(", "[a]b", ")", times)
        yield nested("(", "a|b", ")", times)
        yield nested("(", "a", "", times)
        yield "a" + ")" * times
    for outer, inner in ((10, 100), (31, 33), (32, 31), (1000, 1), (1, 1000), (2, 501), (501, 2), (2, 500)):
        for bounds in ("{%d}", "{%d,}", "{0,%d}"):
            yield "(?:a%s)%s" % (bounds % inner, bounds % outer)
            yield "(?:(?:a%s)*)%s" % (bounds % inner, bounds % outer)
            yield "(?:(?:a%s){0})%s" % (bounds % inner, bounds % outer)
            yield "(a%s?|b)%s?" % (bounds % inner, bounds % outer)
    yield from ("(?:a{0}){1000}", "(?:(?:a{100}){0}){1000}", "(?:a{1000}){0,1}", "(?:a{1000})?", "(?:a{1000}){1}")
    yield nested("(", "x{2}", "){2}", 8)
    yield nested("(", "x{2}", "){2}", 9)
    for times in (3353, 3354, 3355, 3356, 3357, 3400):
        yield "(?:" + "a" * times + "){1000}"
        yield "(?:" + "[ab]" * times + "){1000}"
        yield "(?:" + "a." * (times // 2) + "){1000}"
        yield "(?:(?:" + "[ab]" * times + "){10}){100}"
        yield "(?:" + "[ab]" * (times // 10) + "){1000}" * 1 + "(?:" + "[ab]" * times + "){900}"
        yield "x{1000}" * times
        yield "x{2}" * times
    for times in (1000, 8000, 8400, 8500, 9000, 25000, 26000, 27000):
        yield "\\pL" * times
        yield "[\\pL]" * times
        yield "[\\pL\\pN]" * times


for pattern in patterns():
    print(json.dumps({"pattern": pattern, "text": "ab"}))
