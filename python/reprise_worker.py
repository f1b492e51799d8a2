"""A worker for files of agents: loads them, and connects to the server as any worker does. `reprise agent serve` starts it. Its
first argument is JSON: name, slots, and the paths of the files. REPRISE_URL and REPRISE_TOKEN name the server."""

import asyncio
import json
import logging
import os
import sys
import threading

from reprise_agent import agent_in, load, message_of, serve


class Told(logging.Handler):
    """Writes what the library tells: that it is connected to standard output, and trouble to standard error."""

    def emit(self, record):
        is_trouble = record.levelno > logging.INFO
        stream = sys.stderr if is_trouble else sys.stdout
        stream.write(f"reprise: {record.getMessage()}\n" if is_trouble else f"{record.getMessage()}\n")
        stream.flush()


def fail(told):
    sys.stderr.write(f"reprise: {told}\n")
    sys.exit(2)


def end_with_parent():
    while os.read(0, 1024):
        pass
    os._exit(1)


def main():
    threading.Thread(target=end_with_parent, daemon=True).start()
    given = json.loads(sys.argv[1])
    logging.basicConfig(level=logging.INFO, handlers=[Told()])
    agents = {}
    for file in given["files"]:
        name = os.path.splitext(os.path.basename(file))[0]
        try:
            agents[name] = agent_in(load(file, os.path.dirname(file)), file)
        except (Exception, SystemExit) as error:
            sys.stderr.write(f"reprise: {os.path.basename(file)} cannot be loaded: {message_of(error)}\n")
    if not agents:
        fail("none of the files can be loaded")
    try:
        url, token = os.environ["REPRISE_URL"], os.environ["REPRISE_TOKEN"]
        asyncio.run(serve(url, token, agents, given["name"], given["slots"]))
    except (PermissionError, ValueError) as error:
        fail(error)


if __name__ == "__main__":
    main()
