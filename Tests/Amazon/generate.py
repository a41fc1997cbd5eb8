"""Valid and invalid inputs of an operation, generated from the service model that ships with botocore."""

import copy

# Values that the service's rules allow, by the name of a shape.
SQUARE = [[7.0, 46.0], [7.1, 46.0], [7.1, 46.1], [7.0, 46.1], [7.0, 46.0]]
KNOWN = {
    "GeofenceGeometry": {"Polygon": [SQUARE]},
    "TrackingFilterGeometry": {"Polygon": [SQUARE]},
    "Position": [7.05, 46.05],
    "Timestamp": "2026-01-02T03:04:05.678901Z",
    "TagKeys": ["a"],
    "PositionalAccuracyHorizontalDouble": 5.0,
    "Double": 7.0,
    "SensitiveDouble": 10.0,
}


def valid(shape, names, every, path=()):
    """Returns a valid value: with all members if `every`, else with the required ones.

    `names` has the values of members such as TrackerName, and None for those to leave out."""
    if path and path[-1] in names:
        return names[path[-1]]
    if shape.name in KNOWN:
        return copy.deepcopy(KNOWN[shape.name])
    if shape.type_name == "structure":
        members = {}
        for name, member in shape.members.items():
            if names.get(name, "") is None or not (every or name in shape.required_members):
                continue
            members[name] = valid(member, names, every, path + (name,))
        return members
    if shape.type_name == "list":
        return [valid(shape.member, names, every, path + ("[]",))]
    if shape.type_name == "map":
        return {"key": "value"}
    if shape.type_name == "boolean":
        return True
    if shape.type_name in ("integer", "long"):
        return shape.metadata.get("min", 1) or 1
    if shape.type_name == "timestamp":
        return 1767323045.678
    if shape.type_name in ("double", "float"):
        return 1.0
    if shape.type_name == "string":
        return shape.enum[0] if shape.enum else "text"
    raise ValueError(f"no value for {shape.name}: {shape.type_name}")


def invalid(shape, value, name="body"):
    """Yields (what is wrong, a value that is invalid at one place)."""
    if shape.name == "Timestamp":
        yield from ((f"{name}: {bad!r}", bad) for bad in TIMES)
        return
    yield from wrong_types(shape, name)
    if shape.name == "Position":
        yield from ((f"{name}: {bad!r}", bad) for bad in BAD_POSITIONS)
    if shape.type_name == "structure":
        for member in shape.required_members:
            if member in value:
                yield f"{name}.{member} is missing", {k: v for k, v in value.items() if k != member}
                yield f"{name}.{member} is null", {**value, member: None}
        for member, inner in shape.members.items():
            if member in value:
                for what, bad in invalid(inner, value[member], f"{name}.{member}"):
                    yield what, {**value, member: bad}
        if shape.name == "GeofenceGeometry":
            yield from ((f"{name}: {what}", bad) for what, bad in bad_outlines())
    elif shape.type_name == "list":
        least, most = shape.metadata.get("min"), shape.metadata.get("max")
        if least:
            yield f"{name} is empty", []
        if most and most <= 100:
            for count in (most + 1, most + 2, 2 * most + 1):
                yield f"{name} has {count} elements", value * count
        if value:
            yield f"{name}[0] is null", [None] + value[1:]
            for what, bad in invalid(shape.member, value[0], f"{name}[0]"):
                yield what, [bad] + value[1:]
    elif shape.type_name == "map":
        most = shape.metadata.get("max")
        yield f"{name} has {most + 1} members", {f"k{index}": "v" for index in range(most + 1)}
        yield f"{name} has a long key", {"k" * (shape.key.metadata["max"] + 1): "v"}
        yield f"{name} has a long value", {"k": "v" * (shape.value.metadata["max"] + 1)}
        yield f"{name} has a number", {"k": 7}
    elif shape.type_name in ("integer", "long", "double", "float"):
        for bound, sign in (("min", -1), ("max", 1)):
            for step in (1, 2, 1000, 2**31) if bound in shape.metadata else ():
                bad = shape.metadata[bound] + sign * step
                yield f"{name} is {bad}, beyond its {bound}", bad
    elif shape.type_name == "string":
        if "max" in shape.metadata:
            for length in (shape.metadata["max"] + 1, shape.metadata["max"] * 2, shape.metadata["max"] * 10):
                # Longer requests are refused by their length.
                if length > MOST_CHARACTERS:
                    continue
                yield f"{name} has {length} characters", "x" * length
        if shape.metadata.get("min"):
            yield f"{name} is empty", ""
        if shape.enum:
            for bad in ("Nonsense", shape.enum[0].swapcase(), shape.enum[0] + " ", " " + shape.enum[0], "\u0000"):
                yield f"{name} is {bad!r}, which is no choice", bad
        if shape.name == "Id" or shape.name == "ResourceName":
            for letter in FOREIGN:
                yield from ((f"{name}: {bad!r}", bad) for bad in (letter, f"a{letter}b", f"a{letter}"))
        if shape.name == "Arn":
            yield from ((f"{name}: {bad!r}", bad) for bad in BAD_ARNS)


MOST_CHARACTERS = 1_048_576
BAD_ARNS = ["arn", "arn:", ":::::", "arn:aws:s3:::b", "arn:aws:geo:x:1:tracker/T", "arn:aws:geo:x:1:map/T",
            "arn:aws:geo:x:1:geofence-collection", "arn:aws:geo:x:1:geofence-collection/", "geofence-collection/Walk",
            "arn:aws:geo:x:1:geofence-collection/a/b", "arn:aws:geo:x:1:geofence-collection/a b", "x" * 1601]
BAD_POSITIONS = [[7.0], [7.0, 46.0, 0.0], [180.1, 46.0], [-180.1, 46.0], [7.0, 90.1], [7.0, -90.1], [7.0, 1e300],
                 [1e300, 46.0], ["7", "46"], [[7.0, 46.0]], [{}, {}], [True, True], [None, None], [7.0, None]]
CONFUSIONS = {
    "structure": [7, -1, 1.5, True, False, "", "x", "{}", [], [{}], [[]]],
    "map": [7, -1, 1.5, True, False, "", "x", "{}", [], [{}], [["a", "b"]]],
    "list": [7, -1, 1.5, True, False, "", "x", "[]", {}, {"0": 1}],
    "string": [7, -1, 1.5, True, False, [], ["x"], {}, {"x": "x"}],
    "integer": ["x", "", "1", [], [1], {}, 1.5, 1e300, 2**64, True, False],
    "long": ["x", "", "1", [], [1], {}, 1.5, -1, 1e300, 2**64, True, False],
    "timestamp": ["x", "", "yesterday", "1", [], [1], {}, 1e300, True, False],
    "double": ["x", "", "1.0", [], [1.0], {}, True, False],
    "float": ["x", "", "1.0", [], [1.0], {}, True, False],
    "boolean": ["x", "", "true", 0, 1, 7, 1.5, [], {}],
}
# Characters that neither names nor ids may have.
FOREIGN = [" ", "/", "\\", ":", ";", ",", "?", "#", "%", "&", "=", "+", "*", "@", "!", "$", "~", "|", "(", ")", "[",
           "<", "{", "\"", "'", "`", "\u0000", "\u0007", "\t", "\n", "\u007f", "\u00a0", "\u202e", "\ufeff", "😀"]
TIMES = [7, -1, 1.5, True, [], {}, "", "yesterday", "2026", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z",
         "2026-01-01", "2026-01-01T25:00:00Z", "2026-01-01T00:61:00Z", "00:00:00Z", "20260101T000000", "Z"]


def wrong_types(shape, name):
    for bad in CONFUSIONS.get(shape.type_name, []):
        yield f"{name} is {bad!r}", bad


def bad_outlines():
    yield "unclosed", {"Polygon": [SQUARE[:-1] + [[7.0, 46.01]]]}
    yield "clockwise", {"Polygon": [SQUARE[::-1]]}
    yield "three positions", {"Polygon": [[SQUARE[0], SQUARE[1], SQUARE[0]]]}
    yield "crosses itself", {"Polygon": [[[0, 0], [1, 1], [1, 0], [0, 1], [0, 0]]]}
    yield "no ring", {"Polygon": []}
    yield "two forms", {"Polygon": [SQUARE], "Circle": {"Center": [7, 46], "Radius": 5}}
    yield "no form", {}
    yield "no radius", {"Circle": {"Center": [7, 46], "Radius": 0}}
    yield "a large circle", {"Circle": {"Center": [7, 46], "Radius": 100_001}}
    yield "out of range", {"Circle": {"Center": [7, 96], "Radius": 5}}
    yield "1,001 positions", {"Polygon": [[[index / 1e4, 0] for index in range(1000)] + [[0, 0]]]}
    yield "no Geobuf", {"Geobuf": "AAAA"}


def missing_outputs(shape, value, path=""):
    """Yields the required members that an output lacks."""
    if shape is None:
        return
    if shape.type_name == "structure":
        for name in shape.required_members:
            if name not in value:
                yield f"{path}.{name}"
        for name, member in shape.members.items():
            if name in value:
                yield from missing_outputs(member, value[name], f"{path}.{name}")
    elif shape.type_name == "list":
        for element in value:
            yield from missing_outputs(shape.member, element, f"{path}[]")
