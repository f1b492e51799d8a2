#!/usr/bin/env python3
"""Follows events over NATS. For each event it prints one line: the position, a tab, and the JSON. JetStream remembers which events
the consumer NAME has confirmed. After a stop, a kill or a broken connection, the program continues with the first event that it
has not confirmed, so it may print that event a second time. When an operator has removed the stream, the consumer is gone with
it: then the program makes the consumer again, and skips the events of the same log that it has printed.

usage: python3 follow_events.py [NAME [SUBJECT]]    NATS_URL, NATS_USER and NATS_PASSWORD name the server and the user
needs: pip install nats-py
"""
import asyncio, contextlib, os, sys
import nats
from nats.js.api import ConsumerConfig

name = sys.argv[1] if len(sys.argv) > 1 else "follower"
subject = sys.argv[2] if len(sys.argv) > 2 else "reprise.events.>"
user, password = os.environ.get("NATS_USER"), os.environ.get("NATS_PASSWORD")
login = {"user": user, "password": password, "inbox_prefix": f"_INBOX_{user}".encode()} if user else {}
one_at_a_time = ConsumerConfig(max_ack_pending=1, ack_wait=2)  # keeps the order

async def main():
    servers = os.environ.get("NATS_URL", "nats://127.0.0.1:4222").split(",")
    connection = await nats.connect(servers, max_reconnect_attempts=-1, **login)
    stream = connection.jetstream()
    make_consumer = lambda: stream.pull_subscribe(subject, name, "REPRISE_EVENTS", config=one_at_a_time)
    consumer = await make_consumer()
    print(f"waiting for events on {subject} (Ctrl-C ends it)", file=sys.stderr, flush=True)
    log, last = "", 0  # the id of the log, and the position of the last event that was printed
    while True:
        try:
            [message] = await consumer.fetch(1, timeout=5)
            source, position = message.headers["ce-source"], int(message.headers["Nats-Msg-Id"])
            if source != log or position > last:
                print(position, message.data.decode(), sep="\t", flush=True)
                log, last = source, position
            await message.ack_sync()
        except nats.errors.Error:  # also when there is no event for five seconds
            try:
                await consumer.consumer_info()
            except nats.errors.Error as error:
                print(f"the events have stopped, and the program tries again: {error}", file=sys.stderr, flush=True)
                await asyncio.sleep(1)
                with contextlib.suppress(nats.errors.Error):
                    consumer = await make_consumer()

asyncio.run(main())
