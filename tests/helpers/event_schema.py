#!/usr/bin/env python3
"""Says what in a file of --events is not as Help/manual/cctr-events.schema.json has it.

    event_schema.py FILE...

Knows as much of JSON Schema as that schema needs; another keyword is an error. Members that the
schema does not name are errors here, since they lack documentation."""

import json
import pathlib
import sys

SCHEMA = pathlib.Path(__file__).resolve().parents[2] / "Help/manual/cctr-events.schema.json"
TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "boolean": lambda v: isinstance(v, bool),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
}
KNOWN = {"$schema", "title", "description", "$defs", "$ref", "oneOf", "type", "const", "enum", "minimum",
         "required", "properties", "additionalProperties", "propertyNames", "items"}


def is_same(a, b):
    return a == b and isinstance(a, bool) == isinstance(b, bool)


def faults_of_object(rules, value, root, at):
    for name in rules.get("required", []):
        if name not in value:
            yield f"{at}: no {name}"
    for name, member in value.items():
        below = rules.get("properties", {}).get(name, rules.get("additionalProperties"))
        if below is None:
            yield f"{at}: {name} is not in the schema"
        else:
            yield from faults(below, member, root, f"{at}.{name}")
        if "propertyNames" in rules:
            yield from faults(rules["propertyNames"], name, root, f"{at}.{name}")


def faults(rules, value, root, at):
    unknown = rules.keys() - KNOWN
    if unknown:
        sys.exit(f"keywords of the schema that this program does not know: {sorted(unknown)}")
    if "$ref" in rules:
        yield from faults(root["$defs"][rules["$ref"].rpartition("/")[2]], value, root, at)
    if "oneOf" in rules:
        # The kind chooses, so that a fault has one reason.
        kinds = [root["$defs"][one["$ref"].rpartition("/")[2]] for one in rules["oneOf"]]
        chosen = [k for k in kinds if k["properties"]["event"]["const"] == value.get("event")]
        if len(chosen) != 1:
            yield f"{at}: {len(chosen)} kinds of event {value.get('event')!r}"
        for kind in chosen:
            yield from faults(kind, value, root, at)
    if "type" in rules and not TYPES[rules["type"]](value):
        yield f"{at}: {value!r} is no {rules['type']}"
    elif "const" in rules and not is_same(value, rules["const"]):
        yield f"{at}: {value!r}, not {rules['const']!r}"
    elif "enum" in rules and value not in rules["enum"]:
        yield f"{at}: {value!r}, not one of {rules['enum']}"
    elif "minimum" in rules and value < rules["minimum"]:
        yield f"{at}: {value!r} is below {rules['minimum']}"
    elif isinstance(value, dict) and rules.get("type") == "object":
        yield from faults_of_object(rules, value, root, at)
    elif isinstance(value, list) and "items" in rules:
        for i, member in enumerate(value):
            yield from faults(rules["items"], member, root, f"{at}[{i}]")


def main():
    root = json.loads(SCHEMA.read_text(encoding="utf-8"))
    for name in sys.argv[1:]:
        lines = pathlib.Path(name).read_text(encoding="utf-8").splitlines()
        if not lines:
            print(f"{name}: no event")
        for i, line in enumerate(lines, 1):
            for fault in faults(root, json.loads(line), root, f"{name}:{i}"):
                print(fault)


if __name__ == "__main__":
    main()
