"""A small world in the style of Gymnasium, without it: spaces are known by the names of their classes."""

import random


class Discrete:
    def __init__(self, n, start=0):
        self.n, self.start = n, start

    def contains(self, value):
        return isinstance(value, int) and self.start <= value < self.start + self.n

    def seed(self, seed):
        self.seeded = seed


class Tuple:
    def __init__(self, spaces):
        self.spaces = spaces


class Taxi:
    """Brings a passenger from a corner to another.

    What follows is for readers of the code.
    """

    metadata = {"render_modes": ["human", "ansi"]}

    def __init__(self, size=5, render_mode=None, last_stop=None):
        self.size, self.render_mode, self.last_stop = size, render_mode, last_stop
        self.action_space = Discrete(6)
        self.observation_space = Tuple([Discrete(size), Discrete(size), Discrete(2)])
        self.closed = False

    def reset(self, *, seed=None, options=None):
        numbers = random.Random(seed)
        corners = [(0, 0), (0, self.size - 1), (self.size - 1, 0), (self.size - 1, self.size - 1)]
        self.at = (numbers.randrange(self.size), numbers.randrange(self.size))
        self.waits, self.wants = numbers.sample(corners, 2)
        self.inside, self.steps = False, 0
        if options and options.get("at"):
            self.at = tuple(options["at"])
        return self.observed(), {"waits": self.waits, "wants": self.wants, "seeded": self.action_space.seeded}

    def step(self, action):
        moves = {0: (1, 0), 1: (-1, 0), 2: (0, 1), 3: (0, -1)}
        self.steps += 1
        reward, terminated = -1, False
        if action in moves:
            self.at = tuple(min(max(a + b, 0), self.size - 1) for a, b in zip(self.at, moves[action]))
        elif action == 4 and self.at == self.waits and not self.inside:
            self.inside = True
        elif action == 5 and self.at == self.wants and self.inside:
            reward, terminated = 20, True
        else:
            reward = -10
        return self.observed(), reward, terminated, self.steps >= 50, {"steps": self.steps, "self": self}

    def observed(self):
        return (*self.at, int(self.inside))

    def render(self):
        rows = [["." for _ in range(self.size)] for _ in range(self.size)]
        rows[self.at[0]][self.at[1]] = "T"
        return "\n".join("".join(row) for row in rows)

    def close(self):
        self.closed = True
