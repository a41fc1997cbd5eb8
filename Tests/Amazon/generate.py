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
    if shape.type_name == "integer":
        return shape.metadata.get("min", 1) or 1
    if shape.type_name in ("double", "float"):
        return 1.0
    if shape.type_name == "string":
        return shape.enum[0] if shape.enum else "text"
    raise ValueError(f"no value for {shape.name}: {shape.type_name}")


def invalid(shape, value, name="body"):
    """Yields (what is wrong, a value that is invalid at one place)."""
    if shape.name == "Timestamp":
        yield from ((f"{name}: {bad!r}", bad) for bad in (7, "yesterday", "2026-13-01T00:00:00Z", [], True))
        return
    yield from wrong_types(shape, name)
    if shape.type_name == "structure":
        for member in shape.required_members:
            if member in value:
                yield f"{name}.{member} is missing", {k: v for k, v in value.items() if k != member}
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
            yield f"{name} has {most + 1} elements", value * (most + 1)
        if value:
            for what, bad in invalid(shape.member, value[0], f"{name}[0]"):
                yield what, [bad] + value[1:]
    elif shape.type_name == "map":
        most = shape.metadata.get("max")
        yield f"{name} has {most + 1} members", {f"k{index}": "v" for index in range(most + 1)}
        yield f"{name} has a long key", {"k" * (shape.key.metadata["max"] + 1): "v"}
        yield f"{name} has a long value", {"k": "v" * (shape.value.metadata["max"] + 1)}
        yield f"{name} has a number", {"k": 7}
    elif shape.type_name in ("integer", "double", "float"):
        for bound, step in (("min", -1), ("max", 1)):
            if bound in shape.metadata:
                yield f"{name} is beyond its {bound}", shape.metadata[bound] + step
    elif shape.type_name == "string":
        if "max" in shape.metadata:
            yield f"{name} is too long", "x" * (shape.metadata["max"] + 1)
        if shape.metadata.get("min"):
            yield f"{name} is empty", ""
        if shape.enum:
            yield f"{name} is no choice", "Nonsense"
        if shape.name == "Id" or shape.name == "ResourceName":
            yield from ((f"{name}: {bad!r}", bad) for bad in ("a b", "a/b", "a\u0000", "😀", "a:b"))
        if shape.name == "Arn":
            yield from ((f"{name}: {bad!r}", bad) for bad in ("arn", "arn:aws:s3:::b", "arn:aws:geo:x:1:tracker/T"))


def wrong_types(shape, name):
    wrong = {"structure": [7, "x", []], "list": [7, "x", {}], "map": [7, "x", []], "string": [7, [], {}],
             "integer": ["x", [], 1.5, True], "double": ["x", [], True], "float": ["x", []],
             "boolean": ["x", 7, []]}.get(shape.type_name, [])
    for bad in wrong:
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
