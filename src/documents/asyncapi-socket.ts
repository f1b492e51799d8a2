// The WebSocket in the AsyncAPI document: one address, and every message in both directions.
import type { TSchema } from 'typebox'
import Type from 'typebox'
import { clientMessages, closeCodes, serverMessages } from '../contract/socket.ts'
import { operations } from './operations.ts'
import type { Json } from './schemas.ts'

/** Where a server is, in the form of AsyncAPI. `pathname`: the path below which it is; absent if there is none. */
export type AsyncServer = { host: string; pathname?: string; protocol: 'http' | 'https' }

const clientWords: Record<keyof typeof clientMessages, string> = {
  auth: 'Authenticates the client. This must be the first message, unless a header or a ticket has authenticated the client.',
  subscribe:
    'Subscribes to the events of these channels, in place of the channels of an earlier `subscribe`. With the channel `task` alone, it adds the frames of one task.',
  unsubscribe:
    'Ends the subscription to these channels, or to all channels. With `task_id`, it ends the subscription to the frames of that task.',
  create:
    'Does the same as `createTask`. With `stream` the result comes at once, and the frames of the task follow.',
  answer: 'Does the same as `answerCalls`: gives the task results of client tools.',
  approve: 'Does the same as `decideApproval`: approves or refuses a call that waits for an approval.',
  message: 'Does the same as `postMessage`: sends a message to the agent while it works.',
  cancel: 'Does the same as `cancelTask`.',
  pause: 'Does the same as `pauseTask`.',
  resume: 'Does the same as `resumeTask`.',
  step: 'Does the same as `stepEnv` without `stream`.',
  ping: 'Asks for a `pong`.',
}
const serverWords: Record<keyof typeof serverMessages, string> = {
  authenticated: 'Answers `auth`.',
  subscribed: 'Answers `subscribe`. The following messages come after `position`.',
  unsubscribed: 'Answers `unsubscribe`, and names the subscriptions that have ended.',
  result: 'Answers a command with the answer of its HTTP operation, without the envelope.',
  error: 'The server refused a message. The connection stays open, unless a close code follows.',
  ended: 'The last frame of this task was sent.',
  pong: 'Answers `ping`.',
  event: 'A public event, as on `/api/events`; `id` is its position.',
  frame: 'A frame of a task; `id` is its sequence number.',
}

/** The schema of a client message, with its `type`. The server accepts `type` in upper or lower case. */
const typed = (type: string, { properties }: { properties: Record<string, TSchema> }): TSchema =>
  Type.Object({ type: Type.Literal(type), ...properties })

const closes = Object.entries(closeCodes)
  .map(([reason, code]) => `\`${code}\` ${reason.replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)}`)
  .join(', ')

/** `schemaOf` converts a TypeBox value to a JSON Schema. `server`: the place of the server, and its protocol. */
export const socketParts = (schemaOf: (schema: TSchema) => Json, server: AsyncServer) => {
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
        ...server,
        protocol: server.protocol === 'https' ? 'wss' : 'ws',
        description: 'The same server, for the channel `socket`',
      },
    },
    channel: {
      address: '/ws',
      title: operation?.summary,
      description: `${operation?.about}\n\nThe server closes the connection with one of these codes: ${closes}. The server reads \`type\` in upper or lower case. The other fields of a message may also be in an object \`data\`.`,
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
