"""From the printed syntax tree of a .trs program (`gchr emit FILE --stage ast`) to a Maude functional module.

Rules of a .trs program are tried in textual order, equations of Maude are not. A program whose result depends on the order is translated
with `ordered`: then the last, unconditional equation of a symbol that overlaps an earlier one gets the attribute `owise`. That is
enough for one level of fall-back, which is what the benchmarks need; the caller compares results."""

import re

OPERATORS = {"mod": "rem"}  # the same on the natural numbers of the benchmarks
TOKEN = re.compile(r"\s*([A-Za-z_]\w*|\d+|<=|>=|==|!=|>>|<<|&&|\|\||[-+*()<>,^])")


def tokens(text):
    return TOKEN.findall(text)


def term(text):
    """A term in Maude's syntax: constants without brackets, repeated symbols written out."""
    out, close, words = [], [], tokens(text)
    i = 0
    while i < len(words):
        word = words[i]
        if words[i + 1:i + 2] == ["^"]:
            count = int(words[i + 2])
            out += [word, "("] * count
            close.append(count)
            i += 4
        elif words[i:i + 2] == ["(", ")"]:
            i += 2
        else:
            if word == "(":
                close.append(1)
            out += [")"] * close.pop() if word == ")" else [OPERATORS.get(word, word)]
            i += 1
    return " ".join(out)


def sort_name(name):
    return name if name in ("Int", "Float") else f"Sort{name}"


def arguments(left):
    """The top-level arguments of a left-hand side."""
    inside, depth, found = left[left.index("(") + 1:left.rindex(")")], 0, [""]
    for char in inside:
        depth += (char == "(") - (char == ")")
        if char == "," and depth == 0:
            found.append("")
        else:
            found[-1] += char
    return [argument.strip() for argument in found]


def overlaps(left, right, variables):
    """Whether two flat patterns may match one term: no argument has two different symbols at its head."""
    head = lambda pattern: re.match(r"\w+", pattern).group()
    pairs = zip(arguments(left), arguments(right))
    return all(head(a) in variables or head(b) in variables or head(a) == head(b) for a, b in pairs)


def module(ast, ordered):
    """The functional module PROGRAM."""
    section, sorts, operators, variables, equations = None, [], [], {}, []
    for line in ast.splitlines():
        if not line.startswith(" "):
            section = line.split(" ")[0]
            continue
        line = line.strip().removesuffix(";")
        if section == "sort":
            name, _, alternatives = line.partition(" = struct ")
            sorts.append(name)
            for symbol, given in re.findall(r"(\w+)(?:\(([^)]*)\))?(?: \||$)", alternatives):
                operators.append((symbol, [s for s in given.split(", ") if s], name))
        elif section == "map":
            name, _, kind = line.partition(": ")
            given, _, result = kind.rpartition("-> ")
            operators.append((name, given.strip().split(" # ") if given.strip() else [], result))
        elif section == "var":
            names, _, name = line.rpartition(": ")
            variables.update((variable, name) for variable in names.split(", "))
        elif section == "eqn":
            condition, _, equation = line.rpartition(" -> ")
            left, _, right = equation.partition(" = ")
            equations.append((condition, left, right))
    lines = ["fmod PROGRAM is", "  protecting INT ."]
    lines += [f"  sort {sort_name(s)} ." for s in sorts]
    lines += [f"  op {f} : {' '.join(map(sort_name, args))} -> {sort_name(result)} ." for f, args, result in operators]
    lines += [f"  var {v} : {sort_name(s)} ." for v, s in variables.items()]
    for index, (condition, left, right) in enumerate(equations):
        earlier = [l for _, l, _ in equations[:index] if l.split("(")[0] == left.split("(")[0]]
        later = any(l.split("(")[0] == left.split("(")[0] for _, l, _ in equations[index + 1:])
        falls_back = ordered and not condition and not later and any(overlaps(l, left, variables) for l in earlier)
        if condition:
            lines.append(f"  ceq {term(left)} = {term(right)} if {term(condition)} .")
        else:
            lines.append(f"  eq {term(left)} = {term(right)}{' [owise]' if falls_back else ''} .")
    return "\n".join(lines + ["endfm", ""]), {f: sort_name(result) for f, _, result in operators}


def session(ast, start, ordered, show):
    """A whole Maude session that reduces `start`. Without `show` the result is swallowed, so that printing takes no time."""
    text, results = module(ast, ordered)
    head = re.match(r"\w+", start).group()
    if not show:
        sort = results[head]
        swallow = f"  sort Swallowed .\n  op swallow : {sort} -> Swallowed .\n  op done : -> Swallowed .\n"
        swallow += f"  var Result : {sort} .\n  eq swallow(Result) = done .\nendfm\n"
        text = text.replace("endfm\n", swallow)
    goal = term(start) if show else f"swallow({term(start)})"
    return f"set show advisories off .\nset show timing on .\n{text}red {goal} .\nquit\n"
