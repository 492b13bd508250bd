"""A checker of JSON Schema, draft 2020-12: the keywords that doc/schema uses, no others. A keyword that it does not know
is an error of the schema, so that no check is passed over silently.

    schema.py NAME FILE [--lines] [--not]   every value of FILE obeys doc/schema/NAME.json; --lines: one in each line
                                            (otherwise FILE is one value); --not: every one breaks it
    schema.py --mutate NAME FILE [--lines]  each small damage to a value of FILE is noticed: a key lost, a key too many
                                            in an object of ours, a value of another type
    schema.py --self                        the checker's own tests, and all files of doc/schema
"""

import copy
import json
import os
import re
import sys

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../doc/schema")
TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool) or isinstance(v, float) and v.is_integer(),
}


class SchemaError(Exception):
    """The schema itself is wrong."""


def equal(a, b):
    """As JSON has it: true is not 1, and 1 is 1.0."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(equal(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(equal, a, b))
    return type(a) is type(b) and a == b or TYPES["number"](a) and TYPES["number"](b) and a == b


class Checker:
    """check(name, value): the list of what is wrong, as "place: words". `folder`: where files and their $refs lie."""

    def __init__(self, folder=HERE, files=None):
        self.folder, self.files = folder, dict(files or {})
        self.rules, self.resolved = {}, {}  # of schemas, which stay as they are

    def file(self, name):
        if name not in self.files:
            with open(os.path.join(self.folder, name), encoding="utf-8") as f:
                self.files[name] = load(f.read())
        return self.files[name]

    def check(self, name, value):
        wrong, _ = self._schema(name + ".json", self.file(name + ".json"), value, "$")
        return wrong

    def _resolve(self, base, ref):
        if (base, ref) not in self.resolved:
            self.resolved[base, ref] = self._lookup(base, ref)
        return self.resolved[base, ref]

    def _lookup(self, base, ref):
        name, _, pointer = ref.partition("#")
        name = name or base
        schema = self.file(name)
        for part in pointer.strip("/").split("/") if pointer else []:
            if not isinstance(schema, dict) or part not in schema:
                raise SchemaError(f"{base}: $ref {ref!r} leads nowhere")
            schema = schema[part]
        return name, schema

    def _schema(self, base, schema, value, at):
        """(what is wrong, the keys of `value` that this schema has looked at)"""
        if schema is True or schema is False:
            return ([] if schema else [f"{at}: does not belong here"]), set()
        rules = self.rules.get(id(schema))
        if rules is None:  # looked at once: damaged values meet the same schema thousands of times
            rules = self.rules[id(schema)] = self._rules(base, schema)
        wrong, seen = [], set()
        for rule in rules:
            more, keys = rule(self, base, schema, value, at, seen)
            wrong += more
            seen |= keys
        return wrong, seen

    def _rules(self, base, schema):
        if not isinstance(schema, dict):
            raise SchemaError(f"{base}: a schema is an object or a boolean, not {schema!r}")
        unknown = schema.keys() - KEYWORDS.keys() - IDLE
        if unknown:
            raise SchemaError(f"{base}: keywords that this checker does not know: {', '.join(sorted(unknown))}")
        return list(dict.fromkeys(KEYWORDS[k] for k in KEYWORDS if k in schema))  # unevaluatedProperties comes last

    # ---- keywords: each gives what is wrong, and the keys that it has looked at

    def _ref(self, base, schema, value, at, seen):
        name, target = self._resolve(base, schema["$ref"])
        return self._schema(name, target, value, at)

    def _type(self, base, schema, value, at, seen):
        wanted = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        if any(w not in TYPES for w in wanted):
            raise SchemaError(f"{base}: no such type: {wanted}")
        return ([] if any(TYPES[w](value) for w in wanted) else [f"{at}: {shown(value)} is not of type {' or '.join(wanted)}"]), set()

    def _const(self, base, schema, value, at, seen):
        return ([] if equal(value, schema["const"]) else [f"{at}: {shown(value)} is not {shown(schema['const'])}"]), set()

    def _enum(self, base, schema, value, at, seen):
        return ([] if any(equal(value, e) for e in schema["enum"]) else [f"{at}: {shown(value)} is none of those allowed"]), set()

    def _limits(self, base, schema, value, at, seen):
        wrong = []
        for keyword, applies, measure, holds in LIMITS:
            if keyword in schema and applies(value) and not holds(measure(value), schema[keyword]):
                wrong.append(f"{at}: {shown(value)} breaks {keyword} {schema[keyword]!r}")
        return wrong, set()

    def _required(self, base, schema, value, at, seen):
        if not isinstance(value, dict):
            return [], set()
        return [f"{at}: \"{k}\" is missing" for k in schema["required"] if k not in value], set()

    def _dependent(self, base, schema, value, at, seen):
        if not isinstance(value, dict):
            return [], set()
        rows = schema["dependentRequired"].items()
        return [f"{at}: \"{k}\" goes with \"{n}\"" for k, needs in rows if k in value for n in needs if n not in value], set()

    def _properties(self, base, schema, value, at, seen):
        """properties, additionalProperties and propertyNames, which look at one another."""
        if not isinstance(value, dict):
            return [], set()
        own, more = schema.get("properties", {}), schema.get("additionalProperties")
        wrong, keys = [], set()
        for key, inner in value.items():
            if "propertyNames" in schema:
                wrong += self._schema(base, schema["propertyNames"], key, f"{at}, the key \"{key}\"")[0]
            rule = own[key] if key in own else more
            if rule is not None:
                keys.add(key)
                wrong += self._schema(base, rule, inner, f"{at}.{key}")[0]
        return wrong, keys

    def _items(self, base, schema, value, at, seen):
        if not isinstance(value, list):
            return [], set()
        return [w for i, v in enumerate(value) for w in self._schema(base, schema["items"], v, f"{at}[{i}]")[0]], set()

    def _of(self, base, schema, value, at, seen):
        wrong, keys = [], set()
        for keyword, fits in (("allOf", lambda n, of: n == of), ("anyOf", lambda n, of: n > 0), ("oneOf", lambda n, of: n == 1)):
            if keyword not in schema:
                continue
            found = [self._schema(base, s, value, at) for s in schema[keyword]]
            right = [k for w, k in found if not w]
            keys = keys.union(*right)
            if not fits(len(right), len(found)):
                nearest = min((w for w, _ in found if w), key=len, default=[])
                wrong += [f"{at}: {len(right)} of {len(found)} of {keyword} fit"] + nearest
        return wrong, keys

    def _not(self, base, schema, value, at, seen):
        return ([] if self._schema(base, schema["not"], value, at)[0] else [f"{at}: {shown(value)} is what it must not be"]), set()

    def _if(self, base, schema, value, at, seen):
        wrong, keys = self._schema(base, schema["if"], value, at)
        chosen = "else" if wrong else "then"
        keys = set() if wrong else keys
        if chosen not in schema:
            return [], keys
        wrong, more = self._schema(base, schema[chosen], value, at)
        return wrong, keys | more

    def _unevaluated(self, base, schema, value, at, seen):
        if schema["unevaluatedProperties"] is not False:
            raise SchemaError(f"{base}: unevaluatedProperties is false, or is not there")
        if not isinstance(value, dict):
            return [], set()
        return [f"{at}.{k}: does not belong here" for k in value if k not in seen], set(value)


LIMITS = [
    ("minimum", TYPES["number"], lambda v: v, lambda v, x: v >= x),
    ("maximum", TYPES["number"], lambda v: v, lambda v, x: v <= x),
    ("minLength", TYPES["string"], len, lambda v, x: v >= x),
    ("maxLength", TYPES["string"], len, lambda v, x: v <= x),
    ("pattern", TYPES["string"], lambda v: v, lambda v, x: re.search(x.replace("$", r"\Z"), v) is not None),
    ("minItems", TYPES["array"], len, lambda v, x: v >= x),
    ("maxItems", TYPES["array"], len, lambda v, x: v <= x),
    ("minProperties", TYPES["object"], len, lambda v, x: v >= x),
    ("maxProperties", TYPES["object"], len, lambda v, x: v <= x),
]
KEYWORDS = {
    "$ref": Checker._ref, "type": Checker._type, "const": Checker._const, "enum": Checker._enum,
    **{row[0]: Checker._limits for row in LIMITS},
    "required": Checker._required, "dependentRequired": Checker._dependent,
    **{k: Checker._properties for k in ("properties", "additionalProperties", "propertyNames")},
    "items": Checker._items,
    **{k: Checker._of for k in ("allOf", "anyOf", "oneOf")},
    "not": Checker._not, "if": Checker._if, "unevaluatedProperties": Checker._unevaluated,
}
IDLE = {"$schema", "$id", "title", "description", "$defs", "then", "else"}


def shown(value):
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."


def load(text):
    """Strict JSON: no key twice, no NaN."""

    def pairs(found):
        if len(dict(found)) != len(found):
            raise ValueError("a key is there twice")
        return dict(found)

    def no_constant(name):
        raise ValueError(f"{name} is no JSON")

    return json.loads(text, object_pairs_hook=pairs, parse_constant=no_constant)


def values_of(path, lines):
    with open(path, encoding="utf-8", newline="") as f:
        text = f.read()
    if lines and text and not text.endswith("\n"):
        raise ValueError("the last line has no end")
    return [load(line) for line in text[:-1].split("\n")] if lines and text else [] if lines else [load(text)]


# ---- damage

ODD = {"type that is none": True}


def damages(value, at="$"):
    """(what was done, the damaged value), of each object and value inside. The last place is told by its path."""
    if isinstance(value, dict):
        yield f"{at}: a key too many", {**value, "no such key": 1}
        for key, inner in value.items():
            yield f"{at}: \"{key}\" lost", {k: v for k, v in value.items() if k != key}
            yield f"{at}.{key}: of another type", {**value, key: ODD}
            for what, other in damages(inner, f"{at}.{key}"):
                yield what, {**value, key: other}
    elif isinstance(value, list) and value:
        yield f"{at}[0]: of another type", [ODD] + value[1:]
        for what, other in damages(value[0], f"{at}[0]"):
            yield what, [other] + value[1:]


def unnoticed(checker, name, value):
    return [what for what, other in damages(value) if not checker.check(name, other)]


# ---- the checker's own tests

SELF = [  # (schema, values that obey it, values that do not)
    (True, [1, None], []),
    (False, [], [1, None]),
    ({"type": "integer"}, [0, -3, 2.0], [1.5, True, "1", None]),
    ({"type": ["string", "null"]}, ["", None], [0, [], {}]),
    ({"type": "number"}, [1, 1.5], [False, "1"]),
    ({"const": True}, [True], [1, "true", None]),
    ({"enum": ["a", 1, None]}, ["a", 1, 1.0, None], ["b", True, 0, []]),
    ({"enum": [{"a": [1]}]}, [{"a": [1]}], [{"a": [True]}, {"a": []}, {}]),
    ({"minimum": 0, "maximum": 3}, [0, 3, "x"], [-1, 4, 3.5]),
    ({"minLength": 2, "maxLength": 3}, ["ab", "abc", 7], ["a", "abcd"]),
    ({"pattern": "^a+$"}, ["aa", 3], ["", "ab", "aa\n"]),
    ({"minItems": 1, "maxItems": 2, "items": {"type": "string"}}, [["a"], {}], [[], ["a", "b", "c"], [1]]),
    ({"minProperties": 1, "maxProperties": 1}, [{"a": 1}, []], [{}, {"a": 1, "b": 2}]),
    ({"required": ["a"]}, [{"a": None}, 3], [{}, {"b": 1}]),
    ({"properties": {"a": {"type": "string"}}}, [{}, {"a": ""}, {"b": 1}], [{"a": 1}]),
    ({"properties": {"a": True}, "additionalProperties": False}, [{}, {"a": 1}], [{"b": 1}, {"a": 1, "b": 1}]),
    ({"additionalProperties": {"type": "integer"}}, [{}, {"x": 1}], [{"x": ""}]),
    ({"properties": {"seed": False}}, [{}, {"x": 1}], [{"seed": 1}]),
    ({"propertyNames": {"enum": ["a", "b"]}}, [{}, {"a": 1, "b": 2}], [{"c": 1}]),
    ({"dependentRequired": {"a": ["b"]}}, [{}, {"b": 1}, {"a": 1, "b": 1}], [{"a": 1}]),
    ({"oneOf": [{"type": "integer"}, {"minimum": 5}]}, [3, 5.5], [7, 2.5]),
    ({"anyOf": [{"type": "integer"}, {"minimum": 5}]}, [3, 5.5, 7], [2.5]),
    ({"allOf": [{"type": "integer"}, {"minimum": 5}]}, [7], [3, 5.5]),
    ({"not": {"const": 1}}, [2], [1]),
    ({"if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": {"required": ["c"]}}, [{"a": 1, "b": 1}, {"c": 1}], [{"a": 1, "c": 1}, {"b": 1}]),
    ({"$ref": "#/$defs/x", "$defs": {"x": {"type": "null"}}}, [None], [0]),
    ({"$ref": "other.json#/$defs/y", "properties": {"b": True}, "unevaluatedProperties": False},
     [{"a": 1}, {"a": 1, "b": 1}, {"a": 2, "z": 1}], [{"a": 1, "c": 1}, {"a": "x"}, {"a": 1, "z": 1}]),
    ({"oneOf": [{"properties": {"a": True}, "required": ["a"]}, {"properties": {"b": True}, "required": ["b"]}], "unevaluatedProperties": False},
     [{"a": 1}, {"b": 1}], [{"a": 1, "b": 1}, {"a": 1, "c": 1}, {}]),
]
OTHER = {"$defs": {"y": {"properties": {"a": {"type": "integer"}}, "if": {"properties": {"a": {"const": 2}}}, "then": {"properties": {"z": True}}}}}
BAD_SCHEMAS = [{"typ": "string"}, {"type": "text"}, {"$ref": "#/$defs/none"}, {"uniqueItems": True}, {"unevaluatedProperties": True}, 7]


def table(path, macro):
    with open(os.path.join(HERE, "../../src", path), encoding="utf-8") as f:
        return re.findall(rf"^{macro}\((\w+)", f.read(), re.MULTILINE)


def self_test():
    wrong = []
    for schema, obey, break_it in SELF:
        c = Checker(files={"s.json": schema, "other.json": OTHER})
        wrong += [f"{schema}: {v} is refused: {c.check('s', v)}" for v in obey if c.check("s", v)]
        wrong += [f"{schema}: {v} is taken" for v in break_it if not c.check("s", v)]
    for schema in BAD_SCHEMAS:
        try:
            Checker(files={"s.json": schema}).check("s", {})
            wrong.append(f"the schema {schema} is taken")
        except SchemaError:
            pass
    # Damage that a lax schema lets pass is told, and none that a strict one sees.
    lax = Checker(files={"s.json": {"type": "object"}})
    strict = Checker(files={"s.json": {"properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": False}})
    if len(unnoticed(lax, "s", {"a": 1})) != 3 or unnoticed(strict, "s", {"a": 1}):
        wrong.append("damage is counted wrongly")
    for text in ('{"a":1,"a":2}', "NaN", "[1", '{"a":Infinity}'):
        try:
            load(text)
            wrong.append(f"{text} is taken for JSON")
        except ValueError:
            pass
    names = sorted(f[:-5] for f in os.listdir(HERE) if f.endswith(".json"))
    checker = Checker()
    for name in names:
        walk(checker, name + ".json", checker.file(name + ".json"), wrong)
        if checker.file(name + ".json").get("$id") != name + ".json":
            wrong.append(f"{name}.json has another $id")
    defs = checker.file("defs.json")["$defs"]
    for key, path, macro in (("status", "judge/verdict/verdict.def", "VERDICT"), ("class", "cases/values/class.def", "CLASS"), ("mutator", "mutate/mutant.def", "MUTATOR")):
        if defs[key]["enum"] != table(path, macro) or len(defs[key]["enum"]) < 10:
            wrong.append(f"defs.json: {key} has other names than {path}")
    if len(names) < 15:
        wrong.append("files are missing")
    return wrong


def walk(checker, base, schema, wrong):
    """Every schema inside of a file: keywords are known, references lead somewhere, patterns are patterns, and an object
    of ours says what else may be in it."""
    if isinstance(schema, list):
        for s in schema:
            walk(checker, base, s, wrong)
    if not isinstance(schema, dict):
        return
    unknown = schema.keys() - KEYWORDS.keys() - IDLE
    wrong += [f"{base}: unknown keyword {k}" for k in unknown]
    if "$ref" in schema:
        checker._resolve(base, schema["$ref"])
    if "pattern" in schema:
        re.compile(schema["pattern"])
    for key, inner in schema.items():
        if key in ("properties", "$defs"):
            for s in inner.values():
                walk(checker, base, s, wrong)
        elif key in KEYWORDS or key in ("then", "else"):
            if key not in ("enum", "const", "required", "dependentRequired"):
                walk(checker, base, inner, wrong)


def main(argv):
    options = {a for a in argv if a.startswith("--")}
    rest = [a for a in argv if not a.startswith("--")]
    if "--self" in options:
        wrong = self_test()
    else:
        name, path = rest
        checker, wrong = Checker(), []
        values = values_of(path, "--lines" in options)
        if not values:
            wrong.append(f"{path}: nothing is in it")
        for i, value in enumerate(values):
            found = checker.check(name, value)
            if "--not" in options:
                wrong += [] if found else [f"line {i + 1}: obeys {name}"]
            else:
                wrong += [f"line {i + 1}: {w}" for w in found]
            if "--mutate" in options:
                allowed = ALLOWED["all"] + ALLOWED.get(name, [])
                missed = [w for w in unnoticed(checker, name, value) if not any(re.fullmatch(p, w) for p in allowed)]
                wrong += [f"line {i + 1}: not noticed: {w}" for w in missed]
    for w in wrong[:20]:
        print(w)
    return 1 if wrong else 0


# Damage that a schema has to allow: keys that are there at times only, or are names of anything, and values that may be
# anything.
STRENGTH = r'.*\.strength: "(smallest_margin|nearest)" lost'
ALLOWED = {
    "all": [r'.*: "(unexecuted|include_sha256|old_names|every_size|restricted)" lost', r'.*\.statuses: "\w+" lost'],
    "verdict": [r'\$: "(file|judged)" lost'],
    "module_verdict": [r'\$: "file" lost'],
    "answer": [r'\$: "(cached|group)" lost', r"\$\.id\b.*of another type", r"\$\.id\b.* lost", r"\$\.id\b.*too many"],
    "explain": [
        r'\$: "(place|case|region|by_line|minimal|strength)" lost',
        r'\$\.minimal: "(out_row|out_column|expected|got|bound|input)" lost',
        r'\$\.region: "(row|column)_(first|last)" lost', r'\$\.region: "tile_(rows|columns|flat)" lost', STRENGTH,
    ],
    "mint": [r'\$\.best: "strength" lost', STRENGTH],
    "prove": [
        r"\$\.checks: a key too many",
        r'\$\.(kinds|checks|kinds\.\w+\.killed_as): ".*" lost',
        r'\$\.(left\[0\]|smallest_margin): "(use|case|reason|elements|refuted)" lost',
    ],
    "eval": [r'.*\.pass: "[0-9]+" lost', r'\$\.settings: "(weights|chat_family|kv)" lost'],
    "eval_log": [r'\$\.settings: "(weights|chat_family|kv)" lost'],
    "model_info": [r'\$\.types: ".*" lost'],
}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
