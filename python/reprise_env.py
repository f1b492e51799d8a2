"""Runs the environments of one Python module for Reprise: python3 reprise_env.py MODULE.py [FOLDER]

FOLDER contains the module, perhaps in subfolders, which are then packages.

An environment is a class with the methods of docs/environments.md (reset, step, observe, tools), or one in the style
of Gymnasium (reset(seed=, options=), step(action), action_space). The methods of a class decide which of the two it
is. Only the standard library is needed. Values of numpy are converted if an environment returns them.
"""

import asyncio
import decimal
import hashlib
import importlib.machinery
import importlib.util
import inspect
import json
import math
import os
import queue
import signal
import struct
import sys
import threading

PROTOCOL = 1
DEEPEST = 64  # the most levels of lists and dicts in a value
LONGEST_TEXT = (1 << 20) + 1  # characters: one more than the service keeps, so that it notices a longer text


# --- JSON -----------------------------------------------------------------------------------------------------------


def plain(value, levels=DEEPEST):
    """Converts a value to one that JSON has: tuples become lists, numpy's values become numbers and lists.

    Raises TypeError for any other value.
    """
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise TypeError(f"{value} is no JSON")
        return value
    if levels == 0:
        raise TypeError(f"a value is nested deeper than {DEEPEST} levels, or holds itself")
    if isinstance(value, dict):
        return {key_of(key): plain(child, levels - 1) for key, child in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(child, levels - 1) for child in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist(), levels - 1)
    raise TypeError(f"a {type(value).__name__} is no JSON")


def key_of(key):
    if isinstance(key, str):
        return key
    if isinstance(key, (int, float)) or hasattr(key, "tolist"):
        return str(key)
    raise TypeError(f"a {type(key).__name__} is no name in JSON")


class Unheld:
    """A number of JSON that Python has not, such as 1e400."""

    def __init__(self, text):
        self.text = text


def float_of(text):
    value = float(text)
    try:
        return value if decimal.Decimal(repr(value)) == decimal.Decimal(text) else Unheld(text)
    except decimal.InvalidOperation:
        return Unheld(text)


def int_of(text):
    try:
        return int(text)
    except ValueError:  # more digits than Python reads
        return Unheld(text)


def message_in(text):
    """Reads a message. Numbers that Python has not are Unheld."""
    try:
        return json.loads(text, parse_float=float_of)
    except ValueError:
        return json.loads(text, parse_float=float_of, parse_int=int_of)


def must_hold(value, path=""):
    """Raises ValueError for a number that Python has not, instead of passing on another number."""
    if isinstance(value, Unheld):
        raise ValueError(f"{path} is {value.text[:100]}, which Python cannot hold: send it as a string")
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in items:
        if isinstance(child, (dict, list, Unheld)):
            must_hold(child, f"{path}.{key}" if path else str(key))


def text_of(value):
    return json.dumps(plain(value), allow_nan=False)


def message_of(error):
    """The message of an exception, for the service."""
    name, text = type(error).__name__, str(error)[: 1 << 16]
    if type(error) in (Exception, RuntimeError, ValueError) and text:
        return text
    return f"{name}: {text}" if text else name


# --- standard input and output --------------------------------------------------------------------------------------


class Line:
    """Standard input and output belong to the protocol: whatever is printed goes to standard error."""

    def __init__(self):
        self.input = os.fdopen(os.dup(0), "r", encoding="utf-8", newline="\n")
        self.output = os.dup(1)
        self.lock = threading.Lock()
        os.dup2(2, 1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        sys.stdout = sys.stderr

    def send(self, message):
        self.write(text_of(message))

    def write(self, text):
        """Writes one message, which is JSON already."""
        rest = memoryview((text + "\n").encode())
        with self.lock:
            while rest:
                rest = rest[os.write(self.output, rest) :]


def end_all():
    """Ends this process and all that it started: its process group, and processes with its mark in their variables."""
    mark = f"REPRISE_INSTANCE={os.environ.get('REPRISE_INSTANCE')}".encode()
    for pid in os.listdir("/proc") if sys.platform == "linux" else ():
        try:
            with open(f"/proc/{pid}/environ", "rb") as variables:
                if int(pid) != os.getpid() and mark in variables.read().split(b"\0"):
                    os.kill(int(pid), signal.SIGKILL)
        except (OSError, ValueError):
            pass
    if os.getpgid(0) == os.getpid():
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(0)


# --- the context of a step ------------------------------------------------------------------------------------------


def random_from(seed):
    """Numbers from 0 to 1 that depend only on the seed, which is text; the same in every language."""
    key = hashlib.sha256(seed.encode()).digest()
    index = 0
    while True:
        block = hashlib.sha256(key + struct.pack(">Q", index)).digest()
        for word in struct.unpack(">4Q", block):
            yield (word >> 11) / 2**53
        index += 1


class Context:
    """What a step gets besides its arguments.

    random(): a number from 0 to 1; now(): milliseconds since the epoch; emit(text): shows output while the step runs;
    signal: a threading.Event, which is set when the step must stop; env_vars: the variables of the session, overridden
    by those of the step.
    """

    def __init__(self, params, number, emit):
        numbers = random_from(f"{params['seed']}/{number}")  # those of this step
        self.random = lambda: next(numbers)
        self.now = lambda: params["now"]
        self.emit = emit
        self.env_vars = params.get("env_vars") or {}
        self.signal = threading.Event()


# --- classes with the methods of docs/environments.md ---------------------------------------------------------------

FIELDS = ("content", "observation", "state", "reward", "terminated", "truncated", "info", "blocks")


def within(content):
    """Cuts the content so that it fits in a line of the protocol."""
    if isinstance(content, str):
        return content[:LONGEST_TEXT]
    if not isinstance(content, list):
        return content
    return [
        {**part, "text": part["text"][:LONGEST_TEXT]}
        if isinstance(part, dict) and isinstance(part.get("text"), str)
        else within(part)
        for part in content
    ]


class Hosted:
    """The instance of a class, whose methods may be asynchronous. All of them run in one event loop."""

    def __init__(self, make):
        self.loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self.loop)  # before Python 3.10, a lock that a constructor makes belongs to this loop
        self.env = make()

    def call(self, name, *args, **named):
        value = getattr(self.env, name)(*args, **named)
        if not inspect.isawaitable(value):
            return value

        async def awaited():
            return await value

        return self.loop.run_until_complete(awaited())

    def close(self):
        if self.has("close"):
            self.call("close")

    def has(self, name):
        return callable(getattr(self.env, name, None))


class Own(Hosted):
    def __init__(self, cls, kwargs, given):
        super().__init__(lambda: cls(kwargs, given))

    def newest(self):
        return {"state": self.call("observe"), "tools": self.call("tools")}

    def reset(self, seed, options, context):
        try:
            takes_context = len(inspect.signature(self.env.reset).parameters) > 2
        except (TypeError, ValueError):
            takes_context = False
        observation = self.call("reset", seed, options, *([context] if takes_context else []))
        return {**self.newest(), **({} if observation is None else {"observation": observation})}

    def step(self, tool, args, context):
        result = self.call("step", tool, args, context)
        if not isinstance(result, dict):
            raise TypeError("the step gave no dict")
        answer = {name: result[name] for name in FIELDS if result.get(name) is not None}
        answer["content"] = within(answer.get("content"))
        if "state" not in answer:
            answer["state"] = self.call("observe")
        return {**answer, "tools": self.call("tools")}

    def snapshot(self):
        return {"data": self.call("snapshot")} if self.has("snapshot") else {}

    def restore(self, data):
        self.call("restore", data)
        return {}


# --- classes in the style of Gymnasium ------------------------------------------------------------------------------


def kind_of(space):
    """The first known name among the space's class and its base classes, nearest first; None if there is none."""
    known = ("Discrete", "Box", "MultiDiscrete", "MultiBinary", "Text", "Tuple", "Dict")
    return next((cls.__name__ for cls in type(space).__mro__ if cls.__name__ in known), None)


def flat(values):
    values = plain(values)
    return [one for value in values for one in flat(value)] if isinstance(values, list) else [values]


def nested(shape, leaf):
    """The JSON Schema of nested lists whose lengths are those of the shape."""
    for size in reversed(tuple(shape)):
        leaf = {"type": "array", "items": leaf, "minItems": int(size), "maxItems": int(size)}
    return leaf


def box_schema(space):
    leaf = {"type": "integer" if "int" in str(getattr(space, "dtype", "")) else "number"}
    # A bound that is infinite is left out: it is not JSON, so flat() raises TypeError.
    ends = {"minimum": (space.low, min), "maximum": (space.high, max)}
    for name, (bounds, furthest) in ends.items():
        bounds = bounds.tolist() if hasattr(bounds, "tolist") else bounds
        try:
            leaf[name] = furthest(flat(bounds))
        except TypeError:
            pass
    return nested(getattr(space, "shape", None) or (), leaf)


def row(schemas):
    return {"type": "array", "prefixItems": schemas, "minItems": len(schemas), "maxItems": len(schemas)}


def whole(low, count):
    return {"type": "integer", "minimum": int(low), "maximum": int(low) + int(count) - 1}


def schema_of(space):
    """JSON Schema of the values of a space; {} for an unknown space."""
    kind = kind_of(space)
    if kind == "Discrete":
        return whole(getattr(space, "start", 0), space.n)
    if kind == "Box":
        return box_schema(space)
    if kind == "MultiDiscrete":
        counts = plain(space.nvec)
        starts = plain(getattr(space, "start", None)) or [0] * len(counts)
        if any(isinstance(count, list) for count in counts):
            return nested(space.shape, {"type": "integer"})
        return row([whole(start, count) for start, count in zip(starts, counts)])
    if kind == "MultiBinary":
        shape = plain(space.n)
        return nested(shape if isinstance(shape, list) else [shape], whole(0, 2))
    if kind == "Text":
        return {"type": "string", "minLength": int(space.min_length), "maxLength": int(space.max_length)}
    if kind == "Tuple":
        return row([schema_of(one) for one in space.spaces])
    if kind == "Dict":
        properties = {key_of(name): schema_of(one) for name, one in space.spaces.items()}
        return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
    return {}


def action_of(space, value):
    """Converts a JSON value to a value of the space."""
    kind = kind_of(space)
    if kind == "Tuple":
        return tuple(action_of(one, child) for one, child in zip(space.spaces, value))
    if kind == "Dict":
        return {name: action_of(one, value[key_of(name)]) for name, one in space.spaces.items()}
    numpy = sys.modules.get("numpy")
    dtype = getattr(space, "dtype", None)
    if numpy and dtype is not None and kind in ("Box", "MultiDiscrete", "MultiBinary"):
        return numpy.asarray(value, dtype=dtype)
    return value


def info_of(info):
    """The info as JSON. Any other value becomes the name of its type, because its repr may differ in each run."""
    readable = {}
    for key, value in (info or {}).items():
        try:
            readable[str(key)] = plain(value)
        except TypeError:
            readable[str(key)] = f"<{type(value).__name__}>"
    return readable


class Gym(Hosted):
    def __init__(self, cls, kwargs, _given):
        metadata = getattr(cls, "metadata", None)  # a wrapper has a property instead of a dict
        modes = metadata.get("render_modes", ()) if isinstance(metadata, dict) else ()
        if "ansi" in modes and "render_mode" in parameters_of(cls)["properties"]:
            kwargs = {"render_mode": "ansi", **kwargs}
        super().__init__(lambda: cls(**kwargs))
        self.renders = getattr(self.env, "render_mode", None) == "ansi"
        self.observation = None
        self.info = {}

    def newest(self):
        state = {"observation": self.observation, "info": self.info}
        if self.renders:
            state["render"] = str(self.call("render"))
        return {"state": state, "tools": [self.tool()]}

    def tool(self):
        seen = schema_of(getattr(self.env, "observation_space", None))
        parameters = {
            "type": "object",
            "properties": {"action": schema_of(self.env.action_space)},
            "required": ["action"],
            "additionalProperties": False,
        }
        description = "Takes one action." + (f" What is observed then fits {json.dumps(seen)[:2000]}" if seen else "")
        return {"type": "function", "function": {"name": "act", "description": description, "parameters": parameters}}

    def reset(self, seed, options, _context):
        unsigned = seed % 2**64  # Gymnasium accepts no negative seeds
        if hasattr(self.env.action_space, "seed"):
            self.env.action_space.seed(unsigned)
        observation, info = self.call("reset", seed=unsigned, options=options or None)
        self.observation, self.info = plain(observation), info_of(info)
        return {**self.newest(), "observation": {"observation": self.observation}}

    def step(self, tool, args, _context):
        if tool != "act":
            raise ValueError(f"there is no tool {tool}")
        space = self.env.action_space
        try:
            action = action_of(space, args["action"])
            fits = not hasattr(space, "contains") or space.contains(action)
        except (KeyError, TypeError, ValueError):
            fits = False
        if not fits:
            raise ValueError("the action does not fit the action space")
        observation, reward, terminated, truncated, info = self.call("step", action)
        self.observation, self.info = plain(observation), info_of(info)
        ends = {"terminated": bool(plain(terminated)), "truncated": bool(plain(truncated))}
        answer = {"observation": self.observation, "reward": plain(reward), **ends}
        newest = self.newest()
        render = newest["state"].get("render")
        return {
            **newest,
            **answer,
            "content": within(text_of(answer) + (f"\n{render}" if render else "")),
            "observation": {"observation": self.observation},
            "info": self.info,
        }

    def snapshot(self):
        return {}

    def restore(self, data):
        raise ValueError("it has no snapshots")


# --- the classes of a module ----------------------------------------------------------------------------------------


def is_at(name, place):
    """Whether `import name` finds the file or the folder at this place."""
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return False
    return spec is not None and place in (spec.origin, *(spec.submodule_search_locations or ()))


def imported(name, file, folder=None):
    """Imports a file, or a folder as a package: `file` is then its __init__.py, which need not exist."""
    if name in sys.modules:
        return sys.modules[name]
    places = None if folder is None else [folder]
    if folder is None or os.path.exists(file):
        spec = importlib.util.spec_from_file_location(name, file, submodule_search_locations=places)
    else:
        spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = places
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    parent, _, child = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], child, module)
    if spec.loader is not None:
        spec.loader.exec_module(module)
    return module


def load(file, root):
    """Imports the module of a file. The folders between it and the root are its packages, also without __init__.py.

    The module has the name that other modules import it by. Where that name means something else, such as a module of
    Python, the module and its packages get another name: then only relative imports reach what is beside it.
    """
    file, root = os.path.realpath(file), os.path.realpath(root)
    # Behind the modules of Python, so that a file random.py harms nobody, and before installed packages.
    installed = ("site-packages", "dist-packages")
    place = next((n for n, path in enumerate(sys.path) if os.path.basename(path) in installed), len(sys.path))
    sys.path[place:place] = dict.fromkeys([os.path.dirname(file), root])
    *folders, last = os.path.relpath(file, root).split(os.sep)
    first = os.path.join(root, folders[0]) if folders else file
    names = [name.replace(".", "_") for name in (*folders, os.path.splitext(last)[0])]
    if not is_at(names[0], first):
        names[0] = "environment_" + names[0]
    for n in range(1, len(names)):
        folder = os.path.join(root, *folders[:n])
        package = imported(".".join(names[:n]), os.path.join(folder, "__init__.py"), folder)
    return package if folders and last == "__init__.py" else imported(".".join(names), file)


def has(cls, *names):
    return all(callable(getattr(cls, name, None)) for name in names)


def classes_of(module):
    """Returns, by name, the classes with reset and step that the module defines, or names in __all__."""
    exported = getattr(module, "__all__", ())
    return {
        name: one
        for name, one in vars(module).items()
        if inspect.isclass(one)
        and has(one, "reset", "step")
        and not inspect.isabstract(one)
        and (name in exported or (one.__module__ == module.__name__ and not name.startswith("_")))
    }


def is_own(cls):
    return has(cls, "observe", "tools")


def parameters_of(cls):
    """JSON Schema of the keyword arguments of a constructor."""
    properties = {}
    try:
        given = inspect.signature(cls).parameters.values()
    except (TypeError, ValueError):
        given = ()
    for one in given:
        if one.kind not in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY):
            continue
        properties[one.name] = {}
        if one.default is not one.empty and one.default is not None:
            try:
                properties[one.name] = {"default": plain(one.default)}
            except TypeError:
                pass
    return {"type": "object", "properties": properties}


def hello_of(name, cls, is_only):
    recovery = getattr(cls, "recovery", "refold")
    hello = {
        "name": name,
        "default": is_only,
        "recovery": recovery,
        "parameters": getattr(cls, "parameters", {} if is_own(cls) else parameters_of(cls)),
        "description": getattr(cls, "description", (cls.__doc__ or "").strip().split("\n\n")[0]),
    }
    for optional in ("stepTimeoutMs", "limits", "showsObservation"):
        if hasattr(cls, optional):
            hello[optional] = getattr(cls, optional)
    if recovery == "snapshot" and not has(cls, "snapshot", "restore"):
        hello["error"] = "the class has no snapshot or no restore"
    return hello


# --- requests of the service ----------------------------------------------------------------------------------------


class Server:
    def __init__(self, classes, line):
        self.classes = classes
        self.line = line
        self.made = None
        self.running = None  # (id, context) of the running step

    def instance(self):
        if self.made is None:
            raise RuntimeError("nothing was created")
        return self.made

    def create(self, _id, params):
        cls = self.classes[params["class"]]
        folder = params["dir"]
        os.chdir(folder)
        os.environ.update(HOME=folder, TMPDIR=os.path.join(folder, ".tmp"))
        given = {"env_vars": params["env_vars"], "dir": folder}
        self.made = (Own if is_own(cls) else Gym)(cls, params["kwargs"], given)
        return {}

    def reset(self, _id, params):
        context = Context(params, 0, lambda text: None)
        return self.instance().reset(params["seed"], params["options"], context)

    def step(self, id, params):
        room = LONGEST_TEXT

        def emit(text):
            nonlocal room
            text = str(text)[:room]
            if text and self.running and self.running[0] == id:
                room -= len(text)
                self.line.send({"method": "output", "params": {"id": id, "text": text}})

        context = Context(params, params["number"], emit)
        self.running = (id, context)
        try:
            answer = plain(self.instance().step(params["tool"], params["args"], context))
        except Exception as error:
            # A failed step may have changed the state, so the answer also has the newest state, if it can be read.
            try:
                answer = plain(self.instance().newest())
            except Exception:
                answer = {}
            answer["error"] = message_of(error)
        finally:
            self.running = None
        return answer

    def observe(self, _id, _params):
        return self.instance().newest()

    def snapshot(self, _id, _params):
        return self.instance().snapshot()

    def restore(self, _id, params):
        return self.instance().restore(params["data"])

    def close(self, _id, _params):
        if self.made is not None:
            self.made.close()
        return {}

    METHODS = ("create", "reset", "step", "observe", "snapshot", "restore", "close")

    def answer(self, message):
        id, method = message["id"], message.get("method")
        try:
            if method not in self.METHODS:
                raise ValueError(f"unknown method {method}")
            params = message.get("params") or {}
            must_hold(params)
            self.line.send({"id": id, "result": getattr(self, method)(id, params)})
        except Exception as error:
            self.line.send({"id": id, "error": {"message": message_of(error)}})

    def cancel(self, params):
        running = self.running
        if running and running[0] == params.get("id"):
            running[1].signal.set()


def main():
    line = Line()
    try:
        file = sys.argv[1]
        classes = classes_of(load(file, sys.argv[2] if len(sys.argv) > 2 else os.path.dirname(file) or "."))
    except Exception as error:
        line.send({"method": "failed", "params": {"message": message_of(error)}})
        sys.exit(1)
    server = Server(classes, line)
    requests = queue.SimpleQueue()

    def read():
        for text in line.input:
            message = message_in(text)
            if message.get("id") is not None:
                requests.put(message)
            elif message.get("method") == "cancel":
                server.cancel(message["params"])
        end_all()

    threading.Thread(target=read, daemon=True).start()
    descriptions = [hello_of(name, cls, len(classes) == 1) for name, cls in classes.items()]
    line.send({"method": "hello", "params": {"protocol": PROTOCOL, "classes": descriptions}})
    while True:
        message = requests.get()
        server.answer(message)
        if message.get("method") == "close":
            os._exit(0)


if __name__ == "__main__":
    try:
        main()
    except SystemExit as end:  # an environment called exit: the thread that reads must not delay the end
        sys.stderr.flush()
        os._exit(end.code if isinstance(end.code, int) else 0 if end.code is None else 1)
