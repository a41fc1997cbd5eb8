#!/usr/bin/env python3
"""Writes the manual page from what the program says of itself.

Usage: muster --experimental-dump-help | Scripts/manual.py > muster.1

Swift's ArgumentParser dumps its commands as JSON; this makes man(7) of them, a section for each
group of words that a person types.
"""

import json
import sys

# Said once, under OPTIONS OF EVERY COMMAND.
SHARED = ("home", "keys", "passphrase-file", "json", "version", "help")


def escaped(text):
    """Text in which the formatter finds nothing to obey."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("…", "...")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in text.split("\n"))


def is_drawn(line):
    """Whether a line of a discussion stands as it was laid out: an example, or a part of one."""
    return line.startswith("Example:") or "  " in line.strip() or line.startswith("   ")


def paragraphs(text):
    """A discussion: examples and tables as they are, the rest flowing."""
    for block in text.split("\n\n"):
        lines = block.split("\n")
        if any(is_drawn(line) for line in lines):
            yield ".PP\n.nf\n" + escaped(block) + "\n.fi"
        else:
            yield ".PP\n" + escaped(" ".join(lines))


def spelled(name):
    return ("-" if name["kind"] == "short" else "--") + name["name"]


def term(argument):
    """How an argument is typed."""
    if argument["kind"] == "positional":
        return "\\fI" + escaped(argument["valueName"]) + "\\fR"
    names = ", ".join("\\fB" + escaped(spelled(name)) + "\\fR" for name in argument["names"])
    if argument["kind"] == "option":
        names += " \\fI" + escaped(argument["valueName"]) + "\\fR"
    return names


def usage(command):
    words = []
    for argument in shown(command):
        if argument["kind"] == "positional":
            word = "\\fI" + escaped(argument["valueName"]) + "\\fR"
        else:
            word = "\\fB" + escaped(spelled(argument["preferredName"])) + "\\fR"
            if argument["kind"] == "option":
                word += " \\fI" + escaped(argument["valueName"]) + "\\fR"
        if argument["isRepeating"]:
            word += "..."
        words.append("[" + word + "]" if argument["isOptional"] else word)
    return " ".join(words)


def shown(command):
    return [
        argument
        for argument in command.get("arguments", [])
        if argument["shouldDisplay"]
        and not any(name["name"] in SHARED for name in argument.get("names", []))
    ]


def describe(argument):
    words = argument.get("abstract", "")
    values = argument.get("allValues", [])
    if values:
        words += " One of " + ", ".join(values) + "."
    if argument.get("defaultValue"):
        words += " (default: " + argument["defaultValue"] + ")"
    return ".TP\n" + term(argument) + "\n" + escaped(words)


def section(command, path):
    """A command and all below it."""
    children = [child for child in command.get("subcommands", []) if child["shouldDisplay"]]
    if children:
        for child in children:
            yield from section(child, path + [child["commandName"]])
        return
    yield '.SS "' + escaped(" ".join(path)) + '"'
    yield "\\fB" + escaped(" ".join(path)) + "\\fR " + usage(command)
    yield ".PP\n" + escaped(command.get("abstract", ""))
    if command.get("discussion"):
        yield from paragraphs(command["discussion"])
    for argument in shown(command):
        yield describe(argument)


def page(root):
    name = root["commandName"]
    yield '.\\" Made by Scripts/manual.py from what the program says of itself.'
    yield '.TH %s 1 "" "%s" "User Commands"' % (name.upper(), name)
    yield ".SH NAME\n" + escaped(name) + " \\- " + escaped(root["abstract"].rstrip("."))
    yield ".SH SYNOPSIS\n\\fB" + escaped(name) + "\\fR \\fIcommand\\fR [\\fIargument\\fR...]"
    yield ".SH DESCRIPTION"
    yield from paragraphs(root.get("discussion", ""))
    yield ".SH COMMANDS"
    everywhere = {}
    for command in root["subcommands"]:
        if command["shouldDisplay"] and command["commandName"] != "help":
            yield from section(command, [name, command["commandName"]])
            collect(command, everywhere)
    yield ".SH OPTIONS OF EVERY COMMAND"
    for shared in SHARED:
        if shared in everywhere:
            yield describe(everywhere[shared])
    yield ".SH EXIT STATUS\n0 when it is done, 1 when it was refused or failed, with the reason on"
    yield "standard error, 64 when it was not understood."


def collect(command, into):
    for argument in command.get("arguments", []):
        for name in argument.get("names", []):
            if name["name"] in SHARED:
                into.setdefault(name["name"], argument)
    for child in command.get("subcommands", []):
        collect(child, into)


print("\n".join(page(json.load(sys.stdin)["command"])))
