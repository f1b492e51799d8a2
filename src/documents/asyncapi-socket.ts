// The WebSocket in the AsyncAPI document: one address, and every message in both directions.
import type { TSchema } from 'typebox'
import Type from 'typebox'
import { clientMessages, closeCodes, serverMessages } from '../contract/socket.ts'
import { operations } from './operations.ts'
import type { Json } from './schemas.ts'

const clientWords: Record<keyof typeof clientMessages, string> = {
  auth: 'The first message, where no header and no ticket authenticates the client.',
  subscribe:
    'Subscribes to events of these channels, in place of earlier ones; with the channel `task` alone it adds the frames of one task.',
  unsubscribe:
    'Ends the subscription to these channels, or to all; with `task_id` to the frames of this task.',
  create: 'As `createTask`. With `stream` the result comes at once, and the frames of the task follow.',
  answer: 'As `answerCalls`: results of client tools.',
  message: 'As `postMessage`: a message to the agent while it works.',
  cancel: 'As `cancelTask`.',
  pause: 'As `pauseTask`.',
  resume: 'As `resumeTask`.',
  step: 'As `stepEnv`; not streamed.',
  ping: 'Asks for a `pong`.',
}
const serverWords: Record<keyof typeof serverMessages, string> = {
  authenticated: 'Answers `auth`.',
  subscribed: 'Answers `subscribe`: what follows comes after `position`.',
  unsubscribed: 'Answers `unsubscribe`: the subscriptions that have ended.',
  result: 'Answers a command: the answer of its HTTP operation, without the envelope.',
  error: 'Something was refused. The connection stays, unless a close code follows.',
  ended: 'The last frame of this task was sent.',
  pong: 'Answers `ping`.',
  event: 'A public event, as on `/api/events`; `id` is its position.',
  frame: 'A frame of a task; `id` is its sequence number.',
}

/** Adds the type that names the message, in upper or lower case. */
const typed = (type: string, { properties }: { properties: Record<string, TSchema> }): TSchema =>
  Type.Object({ type: Type.Literal(type), ...properties })

const closes = Object.entries(closeCodes)
  .map(([reason, code]) => `\`${code}\` ${reason.replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)}`)
  .join(', ')

/** `schemaOf` returns a schema as JSON. */
export const socketParts = (schemaOf: (schema: TSchema) => Json) => {
  const operation = operations.find(({ id }) => id === 'openSocket')
  const message = (name: string, summary: string, schema: TSchema): [string, Json] => [
    name,
    { name, title: name, summary, payload: schemaOf(schema) },
  ]
  const sent = Object.entries(clientMessages).map(([type, schema]) =>
    message(`say.${type}`, clientWords[type as keyof typeof clientMessages], typed(type, schema)),
  )
  const heard = Object.entries(serverMessages).map(([type, schema]) =>
    message(`hear.${type}`, serverWords[type as keyof typeof serverMessages], schema),
  )
  const messages = [...sent, ...heard]
  const of = (all: [string, Json][]) => all.map(([name]) => ({ $ref: `#/channels/socket/messages/${name}` }))
  const security = ['token', 'ticket'].map(name => ({ $ref: `#/components/securitySchemes/${name}` }))
  return {
    messages: Object.fromEntries(messages),
    servers: {
      socket: {
        host: '127.0.0.1:8080',
        protocol: 'ws',
        description: 'The same server, for the channel `socket`',
      },
    },
    channel: {
      address: '/ws',
      title: operation?.summary,
      description: `${operation?.about}\n\nThe server closes it with ${closes}. \`type\` is read in any case, and the other fields may stand in \`data\`.`,
      servers: [{ $ref: '#/servers/socket' }],
      messages: Object.fromEntries(
        messages.map(([name]) => [name, { $ref: `#/components/messages/${name}` }]),
      ),
      bindings: { ws: { method: 'GET', bindingVersion: '0.1.0' } },
    },
    operations: {
      hearOnSocket: {
        action: 'send',
        channel: { $ref: '#/channels/socket' },
        summary: 'Messages of the server on the WebSocket',
        security,
        messages: of(heard),
      },
      sayOnSocket: {
        action: 'receive',
        channel: { $ref: '#/channels/socket' },
        summary: 'Messages of a client on the WebSocket',
        security,
        messages: of(sent),
      },
    },
  }
}
