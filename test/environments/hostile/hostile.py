"""The hostile ones in Python: each way to misbehave is a tool's argument."""

import ctypes
import os
import subprocess
import sys
import threading
import time


class Hostile:
    def __init__(self, kwargs, given):
        self.kwargs = kwargs

    def reset(self, seed, options):
        return {}

    def observe(self):
        return {"here": True}

    def tools(self):
        return [{"type": "function", "function": {"name": "go", "parameters": {"type": "object"}}}]

    def step(self, tool, args, context):
        return getattr(self, args["how"])(context)

    def spin(self, context):
        while True:
            pass

    def hang(self, context):
        time.sleep(1000)

    def stop(self, context):
        context.signal.wait()
        raise RuntimeError("stopped when told to")

    def exit(self, context):
        print("out of luck", file=sys.stderr)
        sys.exit(3)

    def abort(self, context):
        os.abort()

    def crash(self, context):
        ctypes.string_at(0)

    def memory(self, context):
        taken = []
        while True:
            taken.append(bytearray(b"x" * (8 << 20)))
            time.sleep(0.01)

    def children(self, context):
        idle = [sys.executable, "-c", "import time; time.sleep(1000)"]
        subprocess.Popen(idle)
        subprocess.Popen(idle, start_new_session=True)
        os._exit(0)

    def prints(self, context):
        print("this is no protocol")
        os.write(1, b"nor is this\n")
        subprocess.run([sys.executable, "-c", "print('nor this')"], check=True)
        return {"content": f"read {sys.stdin.read()!r}"}

    def thread(self, context):
        def fail():
            raise ValueError("in a thread")

        thread = threading.Thread(target=fail)
        thread.start()
        thread.join()
        return {"content": "survived"}

    def nan(self, context):
        return {"content": "x", "reward": float("nan")}

    def a_set(self, context):
        return {"content": "x", "info": {"set": {1}}}

    def cycle(self, context):
        value = []
        value.append(value)
        return {"content": "x", "info": {"cycle": value}}

    def flood(self, context):
        for _ in range(64):
            context.emit("ä" * (1 << 16))
        return {"content": "ä" * (20 << 20)}
