#!/usr/bin/env python3
"""Follows all public events. For each event it prints one line: the position, a tab, and the JSON. After a broken connection it
continues after the last position, so that it loses no event and prints none twice.

usage: TOKEN=... python3 follow_events.py [URL [CURSOR]]    CURSOR: a position, or earliest. Without it, only new events
"""
import http.client, os, sys, time, urllib.error, urllib.request

url = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080"
cursor = sys.argv[2] if len(sys.argv) > 2 else None
if not os.environ.get("TOKEN"):
    print("TOKEN is not set: paste the line `export PORT=…` that the server prints when it starts", file=sys.stderr)
    sys.exit(2)

said = None
def say(words):
    """Prints a message on stderr, since events go to stdout. Skips a message that equals the one before."""
    global said
    if words != said:
        print(words, file=sys.stderr, flush=True)
    said = words

while True:
    headers = {"Authorization": "Bearer " + os.environ["TOKEN"], "Accept": "text/event-stream"}
    if cursor is not None:
        headers["Last-Event-ID"] = cursor
    request = urllib.request.Request(url + "/api/events", headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as stream:  # the server sends a comment every ten seconds
            say(f"waiting for events of {url} (Ctrl-C ends it)")
            event = {}
            for line in stream:
                name, _, value = line.decode().rstrip("\n").partition(": ")
                if name:
                    event[name] = value
                elif not value:  # a blank line ends an event; a line that begins with a colon is a comment
                    cursor = event["id"]
                    if event["event"] != "Position":
                        print(cursor, event["data"], sep="\t", flush=True)
                    event = {}
    except urllib.error.HTTPError as error:
        if error.code < 500:
            sys.exit(f"refused: {error.code} {error.read().decode()}")
    except (OSError, http.client.HTTPException):
        pass
    except KeyboardInterrupt:
        sys.exit(130)
    say(f"waiting for the server at {url}")
    time.sleep(1)
