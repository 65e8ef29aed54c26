#!/usr/bin/env python3
"""Lists the rules of every operation, as they stand at the checks in the sources.

A rule is HILO_RULE(number, condition, "sentence", ...) in a function of src/ir/ops or src/ir/shape_rules.cc, reached
from the shape rule that the operation's row names, or HILO_EXPECT(Label(instruction, number), ...) in the verifier.
Functions are followed from call to call with the numbers and words that the calls give them. What only a run of the
program knows stands as N (a number) or ... in the sentence.

    list_rules.py FILE     writes FILE, the table that src/tools/hilo/ops.cc includes
    list_rules.py          prints the table
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROW = re.compile(
    r'^HLO_(?:OP|FUNCTION)\(\w+, "([^"]+)", (?:AnyOperands|Operands\([^)]*\)), (\w+), .*, (\w+)\)$', re.MULTILINE
)
FUNCTION = re.compile(
    r"^absl::Status(?:Or<[^;{}()]*>)?\s+(\w+)\((const OpDescription& op(?:[^{;]|\{\})*?)\)\s*\{", re.MULTILINE
)
STRUCT = re.compile(r"^struct (\w+) \{\n(.*?)^\};", re.MULTILINE | re.DOTALL)
FORMAT = re.compile(r"%[ds]")
ABOUT_TYPES = re.compile(
    r"element type|integer|floating-point|[Cc]omplex|must be (?:an array of )?numbers|array of|\bpred\[|[su](?:32|64)\["
)

# The operations that a check of the verifier is about: the code tells it from the opcode, one entry for each check.
STARTS = ["all-gather-start", "all-reduce-start", "collective-permute-start", "copy-start"]
DONES = [name.replace("-start", "-done") for name in STARTS]
ENDS = ["async-update", "async-done"]
TRANSFERS = ["send-done", "recv-done"]
COLLECTIVES = None  # those whose record derives from CollectiveAttributes
VERIFIER = {
    "CheckAsyncPair": [STARTS, DONES],
    "CheckAsyncChain": [["async-start", "async-update"], ENDS, ENDS, ["async-start"] + ENDS, ENDS, ENDS, ENDS],
    "CheckComposite": [["call"], ["call"], ["call"]],
    "CheckTransfer": [TRANSFERS, TRANSFERS, TRANSFERS],
    "CheckAllDevicesInGroups": [COLLECTIVES, COLLECTIVES],
}


def read(path):
    """The text of a source without comments."""
    text = (ROOT / path).read_text()
    return re.sub(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*', lambda match: match[1] or "", text)


def closing(text, start):
    """The position of the bracket that closes the one at `start`."""
    depth, quoted, i = 0, False, start
    while True:
        char = text[i]
        if quoted:
            i += char == "\\"
            quoted = char != '"'
        elif char == '"':
            quoted = True
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
            if depth == 0:
                return i
        i += 1


def arguments(text):
    """The parts between commas that stand outside brackets, angle brackets of templates included."""
    parts, start, i = [], 0, 0
    while i < len(text):
        if text[i] in "([{":
            i = closing(text, i)
        elif text[i] == '"':
            i += 1
            while text[i] != '"':
                i += 1 + (text[i] == "\\")
        elif text[i] == ",":
            parts.append(text[start:i].strip())
            start = i + 1
        i += 1
    return [part for part in parts + [text[start:].strip()] if part]


class Function:
    def __init__(self, parameters, body):
        self.parameters = []  # (type, name, default)
        for parameter in arguments(re.sub(r"<[^<>]*>|\(\*(\w+)\)\([^)]*\)", r" \1", parameters))[1:]:
            declared, _, default = parameter.partition("=")
            *kind, name = re.findall(r"\w+", declared)
            self.parameters.append((kind[-1], name, default.strip() or None))
        self.body = body


def read_functions():
    functions, structs = {}, {}
    for path in sorted((ROOT / "src/ir/ops").glob("*.cc")) + [ROOT / "src/ir/shape_rules.cc"]:
        text = read(path)
        for match in FUNCTION.finditer(text):
            end = closing(text, match.end() - 1)
            if match[1] in functions:
                sys.exit(f"{path}: there are two functions {match[1]}")
            functions[match[1]] = Function(match[2], text[match.end() : end])
        for name, body in STRUCT.findall(text):
            structs[name] = re.findall(r"(\w+)(?:\s*=[^;]*)?;", body)
    return functions, structs


def words(expression):
    """What a string literal, or several beside each other, say; None where it is none."""
    if not re.fullmatch(r'(?:"(?:[^"\\]|\\.)*"\s*)+', expression):
        return None
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', expression)).replace('\\"', '"')


def value(expression, bound):
    """An expression in words, as far as the bound names tell."""
    expression = bound.get(expression, expression)
    text = words(expression)
    if text is not None:
        return text
    if re.fullmatch(r"\d+", expression):
        return expression
    if expression.startswith("absl::StrCat("):
        parts = arguments(expression[len("absl::StrCat(") : -1])
        return "".join(value(part, bound) or "N" for part in parts)
    choice = re.fullmatch(r'.*\?\s*(".*?")\s*:\s*(".*?"|absl::StrCat\(.*\))', expression, re.DOTALL)
    if choice:
        return f"{value(choice[1], bound)} or {value(choice[2], bound)}"
    return None


def sentence(parts, bound):
    """The message of a check, parts being its format and its arguments."""
    given = iter(parts[1:])

    def replace(match):
        return value(next(given), bound) or ("N" if match[0] == "%d" else "...")

    text = FORMAT.sub(replace, words(parts[0]))
    text = re.sub(r", not (N|\.\.\.)( operands)?$", "", text)
    return re.sub(r"\.\.\.(?:, \.\.\.)+", "...", text)


def number_of(expression, bound):
    terms = [bound.get(term.strip(), term.strip()) for term in expression.split("+")]
    return sum(int(term) for term in terms)


class Lister:
    def __init__(self):
        self.functions, self.structs = read_functions()
        names = "|".join(self.functions)
        self.check = re.compile(rf"\bHILO_RULE\(|\b({names})\(\s*op\s*[,)]")

    def bind(self, function, given, bound):
        result = {}
        for i, (kind, name, default) in enumerate(function.parameters):
            expression = given[i] if i < len(given) else default or ""
            if kind in self.structs and expression.startswith("{"):
                for field, part in zip(self.structs[kind], arguments(expression[1:-1])):
                    result[f"{name}.{field}"] = bound.get(part, part)
                continue
            try:
                result[name] = str(number_of(expression, bound))
            except ValueError:
                text = value(expression, bound)
                if text is not None:
                    result[name] = f'"{text}"'
        return result

    def rules(self, name, bound=None):
        """Yields (number, sentence) in the order of the checks."""
        bound = bound or {}
        function = self.functions[name]
        for match in self.check.finditer(function.body):
            opening = function.body.index("(", match.start())
            parts = arguments(function.body[opening + 1 : closing(function.body, opening)])
            if match[1]:
                callee = self.functions[match[1]]
                yield from self.rules(match[1], self.bind(callee, parts[1:], bound))
            else:
                yield number_of(parts[0], bound), sentence(parts[2:], bound)


def verifier_rules(collectives):
    """Yields (opcode, number, sentence) of the checks that look at more than one instruction."""
    text = read("src/ir/verifier.cc")
    for match in re.finditer(r"^absl::Status (\w+)\(.*?\{", text, re.MULTILINE | re.DOTALL):
        body = text[match.end() : closing(text, match.end() - 1)]
        found = []
        for check in re.finditer(r"HILO_EXPECT\(\s*Label\(instruction, (\d+)\)", body):
            opening = check.start() + len("HILO_EXPECT")
            parts = arguments(body[opening + 1 : closing(body, opening)])
            if check[1] != "0":
                found.append((int(check[1]), sentence(parts[2:], {})))
        opcodes = VERIFIER.get(match[1], [])
        if len(opcodes) != len(found):
            sys.exit(f"{match[1]} of the verifier has {len(found)} checks, VERIFIER names {len(opcodes)}")
        for (number, what), names in zip(found, opcodes):
            for name in collectives if names is COLLECTIVES else names:
                yield name, number, what


def module_labels():
    """The labels of checks on computations, modules and what any operation may carry."""
    text = read("src/ir/verifier.cc") + read("src/ir/buffer_rules.cc")
    return sorted(set(re.findall(r'HILO_EXPECT\(\s*"(\w+)"', text)))


def list_rules():
    """Returns {opcode: {number: [sentence, ...]}}, without rule 0, which all operations share."""
    lister = Lister()
    rows = ROW.findall((ROOT / "include/xla/hlo/ir/hlo_ops.def").read_text())
    collective_records = re.findall(r"struct (\w+) : .*\bCollectiveAttributes \{", read("src/ir/records.h"))
    table = {text: {} for text, _, _ in rows}

    def add(opcode, number, what):
        sentences = table[opcode].setdefault(number, [])
        if number > 0 and what not in sentences:
            sentences.append(what)

    for opcode, _, rule in rows:
        for number, what in lister.rules(rule):
            add(opcode, number, what)
    collectives = [text for text, record, _ in rows if record in collective_records]
    for rule in verifier_rules(collectives):
        add(*rule)
    for rules in table.values():
        rules.pop(0, None)
    return {opcode: dict(sorted(rules.items())) for opcode, rules in table.items()}


def main():
    lines = []
    for opcode, rules in list_rules().items():
        for number, sentences in rules.items():
            for what in sentences:
                about_types = "true" if ABOUT_TYPES.search(what) else "false"
                text = what.replace("\\", "\\\\").replace('"', '\\"')
                lines.append(f'{{"{opcode}", {number}, "{text}", {about_types}}},\n')
    if len(sys.argv) > 1:
        pathlib.Path(sys.argv[1]).write_text("".join(lines))
    else:
        sys.stdout.writelines(lines)


if __name__ == "__main__":
    main()
