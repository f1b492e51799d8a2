// The streams of the server as an AsyncAPI 3.0 document: every stream, and every message on it, from the TypeBox values
// of the contract.
import Type, { type TSchema } from 'typebox'
import { Gap, publicEventSchemas } from '../contract/events/public-events.ts'
import { frameSchemas } from '../contract/frames.ts'
import { apiVersion, Position, stepFrameSchemas } from '../contract/responses.ts'
import { type AsyncServer, socketParts } from './asyncapi-socket.ts'
import { components } from './components.ts'
import type { Operation } from './operation.ts'
import { operations } from './operations.ts'
import { type Json, schemaWriter } from './schemas.ts'

const about = `The channel \`socket\` is a WebSocket. The messages of all other channels are server-sent events over HTTP. Each has a line \`event:\` with the name of the message, a line \`id:\` with the cursor if the stream can be resumed, a line \`data:\` with the message as JSON, and a blank line. Comment lines (\`: open\`, \`: heartbeat\`) keep the connection alive: the server sends one at the beginning, and then one every 10 seconds unless the client is behind.

- \`id:\` is the position in the log on \`/api/events\`, and the \`sequence_number\` on the stream of a task. A client that reconnects with \`Last-Event-ID\` or \`starting_after\` receives each message exactly once.
- A connection may break while the task continues: reconnect with the cursor.
- Later versions may send further kinds of messages: ignore the kinds that you do not know.`

type Channel = { name: string; operation: string; messages: string[] }

const frames = Object.keys(frameSchemas)
const channels: Channel[] = [
  {
    name: 'events',
    operation: 'followEvents',
    messages: [...Object.keys(publicEventSchemas), 'Gap', 'Position'],
  },
  { name: 'task', operation: 'getTaskEvents', messages: frames },
  { name: 'createdTask', operation: 'createTask', messages: frames },
  { name: 'step', operation: 'stepEnv', messages: Object.keys(stepFrameSchemas) },
]

const operationOf = (id: string): Operation => {
  const operation = operations.find(one => one.id === id)
  if (operation === undefined) throw new Error(`the table of operations has no operation ${id}`)
  return operation
}
const refs = (folder: string, names: string[]): Json[] => names.map(name => ({ $ref: `#/${folder}/${name}` }))

const aboutOf = (schema: TSchema): string | undefined =>
  Object.values(components).find(component => component.schema === schema)?.about

const inEnvelope = (frame: TSchema) =>
  Type.Object({ jsonrpc: Type.Literal('2.0'), id: Type.String(), result: frame })

/** A channel in the document; the schemas of its parameters are in the OpenAPI document. */
const channelOf = ({ name, operation: id, messages }: Channel): [string, Json] => {
  const { path, summary, about, parameters = [] } = operationOf(id)
  const inPath = parameters
    .filter(parameter => parameter.in === 'path')
    .map(parameter => [parameter.name, { description: parameter.about }])
  return [
    name,
    {
      address: path,
      servers: [{ $ref: '#/servers/local' }],
      title: summary,
      description: about,
      ...(inPath.length > 0 && { parameters: Object.fromEntries(inPath) }),
      messages: Object.fromEntries(messages.map(each => [each, { $ref: `#/components/messages/${each}` }])),
    },
  ]
}

const securitySchemes: Json = {
  token: { type: 'http', scheme: 'bearer', description: 'An access token.' },
  ticket: {
    type: 'httpApiKey',
    in: 'query',
    name: 'ticket',
    description: 'A ticket, with which a browser can open a stream without a token.',
  },
}

const defaultServer: AsyncServer = { host: '127.0.0.1:8080', protocol: 'http' }
const serverAt = (address: string): AsyncServer => {
  const { host, pathname, protocol } = new URL(address)
  return {
    host,
    ...(pathname === '/' ? {} : { pathname }),
    protocol: protocol === 'https:' ? 'https' : 'http',
  }
}

/** `publicUrl`: where clients reach the server, if the server knows it. */
export const asyncApi = (publicUrl?: string): Json => {
  const server = publicUrl === undefined ? defaultServer : serverAt(publicUrl)
  const schemas = schemaWriter('#/components/schemas/')
  const message = (name: string, schema: TSchema, payload: TSchema): [string, Json] => [
    name,
    { name, title: name, summary: aboutOf(schema), payload: schemas.of(payload) },
  ]
  const messages = Object.fromEntries([
    ...Object.entries(publicEventSchemas).map(([name, schema]) => message(name, schema, schema)),
    message('Position', Position, Position),
    message('Gap', Gap, Gap),
    ...Object.entries({ ...frameSchemas, ...stepFrameSchemas }).map(([name, schema]) =>
      message(name, schema, inEnvelope(schema)),
    ),
  ])

  const queryOf = ({ parameters = [] }: Operation): [string, Json][] =>
    parameters
      .filter(parameter => parameter.in === 'query')
      .map(({ name, schema, about }) => [name, { ...schemas.of(schema), description: about }])

  const sendOf = ({ name, operation: id }: Channel): [string, Json] => {
    const operation = operationOf(id)
    const query = queryOf(operation)
    return [
      id,
      {
        action: 'send',
        channel: { $ref: `#/channels/${name}` },
        summary: operation.summary,
        security: refs(
          'components/securitySchemes',
          operation.method === 'GET' ? ['token', 'ticket'] : ['token'],
        ),
        bindings: {
          http: {
            method: operation.method,
            ...(query.length > 0 && { query: { type: 'object', properties: Object.fromEntries(query) } }),
            bindingVersion: '0.3.0',
          },
        },
      },
    ]
  }

  const socket = socketParts(schemas.of, server)
  const document = {
    asyncapi: '3.0.0',
    info: { title: 'Reprise', version: apiVersion, description: about, license: { name: 'Apache-2.0' } },
    defaultContentType: 'application/json',
    servers: {
      local: {
        ...server,
        description: publicUrl === undefined ? 'The default address of a server' : 'This server',
      },
      ...socket.servers,
    },
    channels: { ...Object.fromEntries(channels.map(channelOf)), socket: socket.channel },
    operations: { ...Object.fromEntries(channels.map(sendOf)), ...socket.operations },
  }
  return {
    ...document,
    components: {
      schemas: schemas.named(),
      messages: { ...messages, ...socket.messages },
      securitySchemes,
    },
  }
}
