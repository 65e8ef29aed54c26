#!/usr/bin/env python3
"""Says which headers and names of OpenXLA's public C++ interface Hilo has, as the generated part of docs/compatibility.md.

  list_compatibility.py SURFACE [--check]

SURFACE is a Markdown description of that interface: a section `#### `xla/path.h`` for each header, whose code blocks hold
declarations. A name counts as there if the header of that path, or a header of Hilo that it includes, mentions it outside of
comments. With --check nothing is written, and the exit status says whether the document is up to date.
"""
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "compatibility.md"
MARKER = "<!-- Below: scripts/list_compatibility.py -->\n"
FOLDERS = (ROOT / "include", ROOT / "proto", ROOT / "include" / "compat")
NOT_NAMES = {"if", "for", "while", "return", "sizeof", "alignas", "decltype", "operator", "defined", "explicit", "const",
             "function", "void", "static_assert", "noexcept", "Span", "vector", "AnyInv", "FnRef", "Opt", "Vec", "SOr", "UPtr",
             "enable_if"}


def find_header(path):
    """The file of Hilo that clients get for `#include "path"`, or None."""
    if path.endswith(".pb.h"):
        path = path[: -len(".pb.h")] + ".proto"
    return next((folder / path for folder in FOLDERS if (folder / path).is_file()), None)


def without_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)


def words_of(path, seen):
    """All identifiers of a header and of those of Hilo's that it includes."""
    header = find_header(path)
    if header is None or header in seen:
        return set()
    seen.add(header)
    text = without_comments(header.read_text())
    words = set(re.findall(r"[A-Za-z_]\w*", text))
    if "set_##" in text:  # setters that a macro defines
        words |= {f"set_{word}" for word in words}
    for included in re.findall(r'#include "([^"]+)"', text):
        words |= words_of(included, seen)
    return words


def declared_names(block):
    """Names of functions, types and macros in a code block of the description, in order."""
    names = []
    for line in block.splitlines():
        line = line.split("   #")[0]
        line = re.sub(r"\((?:[a-z]\w*,? ){3,}.*?\)", "", line)  # remarks in parentheses
        names += re.findall(r"\b(?:class|struct|enum class|enum|using)\s+([A-Z]\w*)", line)
        names += re.findall(r"~?\b([A-Za-z_]\w*)(?:<[^()]*?>)?\(", line)
    return [name for name in dict.fromkeys(names) if name not in NOT_NAMES and len(name) > 1]


def sections(surface):
    """(path, names) of each header that the description has a section for."""
    for part in re.split(r"^#### ", surface, flags=re.M)[1:]:
        title = re.match(r"`((?:xla|tsl)/[\w/.]+\.h)`", part)
        if title:
            body = re.split(r"^##", part, flags=re.M)[0]
            names = [n for block in re.findall(r"```text\n(.*?)```", body, re.S) for n in declared_names(block)]
            yield title[1], list(dict.fromkeys(names))


def other_headers(surface, described):
    """Paths of headers that the description mentions without a section of their own."""
    mentioned = set(re.findall(r"\b(?:xla|tsl)/[\w/]+\.h\b", surface))
    return sorted(mentioned - set(described))


def generated(surface):
    lines = ["## Headers and their names", "",
             "`x of y` counts names that OpenXLA's programs can use of the header; those that are not there follow.", "",
             "| header | names there | not there |", "|---|---|---|"]
    described, names_there, names_all, headers_there = [], 0, 0, 0
    for path, names in sections(surface):
        described.append(path)
        if find_header(path) is None:
            lines.append(f"| `{path}` | no such header | |")
            names_all += len(names)
            continue
        headers_there += 1
        words = words_of(path, set())
        missing = [name for name in names if name not in words]
        names_there += len(names) - len(missing)
        names_all += len(names)
        listed = ", ".join(f"`{name}`" for name in missing)
        lines.append(f"| `{path}` | {len(names) - len(missing)} of {len(names)} | {listed} |")
    lines += ["", f"Together: {headers_there} of {len(described)} headers, {names_there} of {names_all} names.", "",
              "## Other headers that programs include", ""]
    others = other_headers(surface, described)
    there = [path for path in others if find_header(path)]
    lines += ["There: " + ", ".join(f"`{path}`" for path in there) + ".", "",
              "Not there: " + ", ".join(f"`{path}`" for path in others if path not in there) + ".", ""]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("surface", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    old = DOCUMENT.read_text()
    written = old.split(MARKER)[0] + MARKER + "\n" + generated(arguments.surface.read_text())
    if arguments.check:
        if written != old:
            sys.exit(f"{DOCUMENT} is not up to date: run scripts/list_compatibility.py {arguments.surface}")
    else:
        DOCUMENT.write_text(written)


if __name__ == "__main__":
    main()
