#!/usr/bin/env node
// Follows events over NATS. For each event it prints one line: the position, a tab, and the JSON. JetStream remembers which events
// the consumer NAME has confirmed. After a stop, a kill or a broken connection, the program continues with the first event that it
// has not confirmed, so it may print that event a second time. When an operator has removed the stream, the consumer is gone
// with it: then the program makes the consumer again, and skips the events of the same log that it has printed.
// usage: node follow-events.mjs [NAME [SUBJECT]]     NATS_URL, NATS_USER and NATS_PASSWORD name the server and the user
import { setTimeout as pause } from 'node:timers/promises'
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

/** Makes the consumer if it is missing. */
const makeConsumer = async () => {
  await manager.consumers.add('REPRISE_EVENTS', {
    durable_name: name,
    filter_subject: subject,
    ack_policy: 'explicit',
    max_ack_pending: 1, // one event at a time keeps the order
    ack_wait: 2_000_000_000,
  })
  return jetstream(connection).consumers.get('REPRISE_EVENTS', name)
}
let [log, last] = ['', 0] // the id of the log, and the position of the last event that was printed

let consumer = await makeConsumer()
console.error(`waiting for events on ${subject} (Ctrl-C ends it)`)
for (;;) {
  try {
    for await (const message of await consumer.consume({ expires: 5000, abort_on_missing_resource: true })) {
      const [source, position] = [
        message.headers.get('ce-source'),
        Number(message.headers.get('Nats-Msg-Id')),
      ]
      if (source !== log || position > last) {
        console.log(`${position}\t${message.string()}`)
        ;[log, last] = [source, position]
      }
      await message.ackAck()
    }
  } catch (error) {
    console.error(`the events have stopped, and the program tries again: ${error.message}`)
  }
  if (connection.isClosed()) process.exit(1)
  await pause(1000)
  consumer = await makeConsumer().catch(() => consumer)
}
