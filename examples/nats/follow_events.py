#!/usr/bin/env python3
"""Follows events over NATS. For each event it prints one line: the position, a tab, and the JSON. JetStream remembers which events
the consumer NAME has confirmed. After a stop, a kill or a broken connection, the program continues with the first event that it
has not confirmed, so it may print that event a second time.

usage: python3 follow_events.py [NAME [SUBJECT]]    NATS_URL, NATS_USER and NATS_PASSWORD name the server and the user
needs: pip install nats-py
"""
import asyncio, os, sys
import nats
from nats.js.api import ConsumerConfig

name = sys.argv[1] if len(sys.argv) > 1 else "follower"
subject = sys.argv[2] if len(sys.argv) > 2 else "reprise.events.>"
user, password = os.environ.get("NATS_USER"), os.environ.get("NATS_PASSWORD")
login = {"user": user, "password": password, "inbox_prefix": f"_INBOX_{user}".encode()} if user else {}

async def main():
    servers = os.environ.get("NATS_URL", "nats://127.0.0.1:4222").split(",")
    connection = await nats.connect(servers, max_reconnect_attempts=-1, **login)
    one_at_a_time = ConsumerConfig(max_ack_pending=1, ack_wait=2)  # keeps the order
    consumer = await connection.jetstream().pull_subscribe(subject, name, "REPRISE_EVENTS", config=one_at_a_time)
    print(f"waiting for events on {subject} (Ctrl-C ends it)", file=sys.stderr, flush=True)
    while True:
        try:
            [message] = await consumer.fetch(1, timeout=10)
        except nats.errors.TimeoutError:
            continue
        print(message.headers["Nats-Msg-Id"], message.data.decode(), sep="\t", flush=True)
        await message.ack_sync()

asyncio.run(main())
