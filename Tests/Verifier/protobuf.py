"""Reads and writes the part of Protocol Buffers 3 that docs/wire.md uses, without generated code."""

VARINT, FIXED64, BYTES, GROUP, END_GROUP, FIXED32 = range(6)
DEEPEST = 8


class Malformed(Exception):
    """The bytes are invalid."""


class Message(dict):
    """Fields by name. Unknown fields are only counted."""

    unknown = 0


def tables(text):
    """Returns tables by message name, from lines of `Name: number name type [how]; …`.

    A type is a scalar type or a message of an earlier line; `how` is "one", "many", or the name of the
    one-of that the field belongs to. A table maps a number to (name, type, how).
    """
    found = {}
    for line in text.strip().splitlines():
        message, fields = line.split(":")
        table = found.setdefault(message, {})
        for field in fields.split(";"):
            number, name, kind, how = (field.split() + ["one"])[:4]
            table[int(number)] = (name, found.get(kind, kind), how)
    return found


def parse(data, table):
    return merge(Message(), data, table, 1)


def merge(message, data, table, depth):
    """Adds the fields of `data`: of repeated scalar fields the last counts, messages merge."""
    if depth > DEEPEST:
        raise Malformed("nested too deeply")
    place = 0
    while place < len(data):
        number, wire, value, place = read_field(data, place, depth)
        name, kind, how = table.get(number, (None, None, None))
        if name is None or wire != wire_type(kind):
            message.unknown += 1
            continue
        if how not in ("one", "many"):
            for other, _, group in table.values():
                if group == how and other != name:
                    message.pop(other, None)
        if isinstance(kind, dict):
            base = message.get(name) if how != "many" else None
            value = merge(Message() if base is None else base, value, kind, depth + 1)
        else:
            value = convert(value, kind)
        if how == "many":
            message.setdefault(name, []).append(value)
        else:
            message[name] = value
    return message


def wire_type(kind):
    return BYTES if isinstance(kind, dict) or kind in ("bytes", "string") else VARINT


def convert(value, kind):
    if kind == "string":
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError:
            raise Malformed("text is not UTF-8") from None
    if kind == "bool":
        return value != 0
    if kind in ("uint32", "sint32"):
        value &= 0xFFFFFFFF
    if kind in ("sint32", "sint64"):
        value = value >> 1 if value % 2 == 0 else -(value >> 1) - 1
    return value


def read_field(data, place, depth):
    tag, place = read_varint(data, place)
    number, wire = tag >> 3, tag & 7
    if not 1 <= number < 1 << 29:
        raise Malformed("field number")
    if wire == VARINT:
        value, place = read_varint(data, place)
    elif wire == BYTES:
        length, place = read_varint(data, place)
        value, place = take(data, place, length)
    elif wire in (FIXED64, FIXED32):
        value, place = take(data, place, 8 if wire == FIXED64 else 4)
    elif wire == GROUP:
        value, place = None, skip_group(data, place, number, depth + 1)
    else:
        raise Malformed("wire type")
    return number, wire, value, place


def skip_group(data, place, group, depth):
    if depth > DEEPEST:
        raise Malformed("nested too deeply")
    while True:
        tag, after = read_varint(data, place)
        if tag & 7 == END_GROUP:
            if tag >> 3 != group:
                raise Malformed("end of another group")
            return after
        _, _, _, place = read_field(data, place, depth)


def read_varint(data, place):
    value = 0
    for shift in range(0, 70, 7):
        if place >= len(data):
            raise Malformed("truncated")
        byte = data[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFFFFFFFFFFFFFF, place
    raise Malformed("integer too long")


def take(data, place, count):
    if count > len(data) - place:
        raise Malformed("truncated")
    return data[place : place + count], place + count


def varint(number):
    """Returns the bytes of a number that is not negative."""
    data = b""
    while number > 0x7F:
        data += bytes([number & 0x7F | 0x80])
        number >>= 7
    return data + bytes([number])


def field(number, payload):
    """Returns the bytes of a field with a length."""
    return varint(number << 3 | BYTES) + varint(len(payload)) + payload
