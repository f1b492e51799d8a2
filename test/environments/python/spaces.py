"""An environment whose action has every kind of space, and whose values are like those of numpy."""


class Array:
    """What numpy's arrays and numbers have in common, as far as it matters."""

    def __init__(self, values):
        self.values = values

    def tolist(self):
        return self.values


class Discrete:
    n, start = 3, 1


class Box:
    shape, dtype = (2, 2), "float32"

    def __init__(self, low=0.0, high=1.5):
        self.low, self.high = Array([[low] * 2] * 2), Array([[high] * 2] * 2)


class MultiDiscrete:
    nvec = Array([2, 4])


class MultiBinary:
    n = 3


class Text:
    min_length, max_length = 1, 5


class Tuple:
    spaces = (Discrete(), Text())


class Special(Discrete):
    n, start = 2, 0


class Unknown:
    pass


class Dict:
    spaces = {
        "discrete": Special(),
        "box": Box(),
        "endless": Box(float("-inf"), float("inf")),
        "multi": MultiDiscrete(),
        "binary": MultiBinary(),
        "text": Text(),
        "tuple": Tuple(),
        "unknown": Unknown(),
    }


class Spaces:
    def __init__(self, **kwargs):
        self.kwargs = kwargs
        self.action_space = Dict()
        self.observation_space = Box()

    def reset(self, seed=None, options=None):
        return Array([[0.5, 1], [2, 3]]), {"array": Array([1]), 3: Array(True)}

    def step(self, action):
        kinds = {name: type(value).__name__ for name, value in action.items()}
        return Array([[0, 0], [0, 0]]), Array(2.5), Array(True), Array(False), {"kinds": kinds, "options": self.kwargs}
