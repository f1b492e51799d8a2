// The NATS client, in a file of its own, so that it is loaded when it is needed (like src/metrics/prom-client.ts).
import * as jetstream from '@nats-io/jetstream'
import * as transport from '@nats-io/transport-node'

export { jetstream, transport }
