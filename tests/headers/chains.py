#!/usr/bin/env python3
"""Prints lists of public headers, a line each, that one file may include in order and still test each of them alone.

A header compiles alone if it does behind headers that it includes itself. So a list may go on with a header that includes
its last one, by way of others too: half as many files are compiled as there are headers. The lists are the fewest, by a
matching of headers with those that include them (Fulkerson, "Note on Dilworth's decomposition theorem", 1956).
"""
import pathlib
import re
import sys


def includes_of(path):
    """What a header includes, and whether it asks which other headers were included before."""
    text = path.read_text()
    names = re.findall(r'^#include "(.+)"', text, re.M)
    guards = re.findall(r"^#\s*if.*_H_\b", text, re.M)
    return names, len(guards) > 1


def reached_from(header, includes):
    reached, waiting = set(), [header]
    while waiting:
        for other in includes[waiting.pop()]:
            if other not in reached:
                reached.add(other)
                waiting.append(other)
    return reached - {header}


def match(header, users, behind, tried):
    """Finds a header to stand behind this one, and others for those that must give theirs up."""
    for user in users[header]:
        if user in tried:
            continue
        tried.add(user)
        if user not in behind or match(behind[user], users, behind, tried):
            behind[user] = header
            return True
    return False


def chains(folder, headers):
    found = {path.relative_to(folder).as_posix(): includes_of(path) for path in folder.rglob("*.h")}
    includes = {header: [name for name in names if name in found] for header, (names, _) in found.items()}
    reached = {header: reached_from(header, includes) for header in headers}
    asks = {header: any(found[name][1] for name in {header} | reached[header]) for header in headers}
    # Of headers that include each other, neither stands behind the other.
    users = {
        header: [
            user for user in headers if header in reached[user] and user not in reached[header] and not asks[user]
        ]
        for header in headers
    }
    behind = {}  # what stands before each header
    for header in headers:
        match(header, users, behind, set())
    before_others = set(behind.values())
    for header in headers:
        if header in before_others:
            continue
        chain = [header]
        while chain[0] in behind:
            chain.insert(0, behind[chain[0]])
        yield chain


if __name__ == "__main__":
    folder, *public = sys.argv[1:]
    for chain in chains(pathlib.Path(folder), sorted(public)):
        print(*chain)
