#!/usr/bin/env node
// Follows events over NATS. For each event it prints one line: the position, a tab, and the JSON. JetStream remembers which events
// the consumer NAME has confirmed. After a stop, a kill or a broken connection, the program continues with the first event that it
// has not confirmed, so it may print that event a second time.
// usage: node follow-events.mjs [NAME [SUBJECT]]     NATS_URL, NATS_USER and NATS_PASSWORD name the server and the user
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'

const { NATS_URL = 'nats://127.0.0.1:4222', NATS_USER: user, NATS_PASSWORD: pass } = process.env
const [name = 'follower', subject = 'reprise.events.>'] = process.argv.slice(2)
const connection = await connect({
  servers: NATS_URL.split(','),
  maxReconnectAttempts: -1,
  ...(user === undefined ? {} : { user, pass, inboxPrefix: `_INBOX_${user}` }),
})
const manager = await jetstreamManager(connection)
await manager.consumers.add('REPRISE_EVENTS', {
  durable_name: name,
  filter_subject: subject,
  ack_policy: 'explicit',
  max_ack_pending: 1, // one event at a time keeps the order
  ack_wait: 2_000_000_000,
})
const consumer = await jetstream(connection).consumers.get('REPRISE_EVENTS', name)
console.error(`waiting for events on ${subject} (Ctrl-C ends it)`)
for await (const message of await consumer.consume()) {
  console.log(`${message.headers.get('Nats-Msg-Id')}\t${message.string()}`)
  await message.ackAck()
}
