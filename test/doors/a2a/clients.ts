// The official client of A2A, over each of its bindings, with a token of the server.
import { Role, type SendMessageConfiguration, type SendMessageRequest, type Task } from '@a2a-js/sdk'
import {
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  createAuthenticatingFetchWithRetry,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client'
import { adminToken } from '../../support/server.ts'

export const bindings = ['JSONRPC', 'HTTP+JSON'] as const
export type BindingName = (typeof bindings)[number]

const withToken = (token: string): typeof fetch =>
  createAuthenticatingFetchWithRetry(fetch, {
    headers: async () => ({ authorization: `Bearer ${token}` }),
    shouldRetryWithHeaders: async () => undefined,
  })

/** `where`: the address of the server, or of an agent below it. */
export const clientOf = (where: string, binding: BindingName, token = adminToken): Promise<Client> => {
  const fetchImpl = withToken(token)
  const transports = [new JsonRpcTransportFactory({ fetchImpl }), new RestTransportFactory({ fetchImpl })]
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports,
    preferredTransports: [binding],
  })
  return new ClientFactory(options).createFromUrl(where)
}

let messages = 0
/** A request with a message of one text. `metadata`: that of its part. */
export const messageOf = (
  text: string,
  more: { taskId?: string; contextId?: string } = {},
  metadata?: Record<string, unknown>,
): SendMessageRequest => ({
  tenant: '',
  message: {
    messageId: `message ${++messages}`,
    taskId: '',
    contextId: '',
    role: Role.ROLE_USER,
    parts: [{ content: { $case: 'text', value: text }, metadata, filename: '', mediaType: '' }],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
    ...more,
  },
  configuration: undefined,
  metadata: undefined,
})

/** Sends a text, and returns the task. */
export const send = async (
  client: Client,
  text: string,
  configuration: Partial<SendMessageConfiguration> = {},
  more: { contextId?: string } = {},
): Promise<Task> =>
  (await client.sendMessage({
    ...messageOf(text, more),
    configuration: {
      acceptedOutputModes: [],
      taskPushNotificationConfig: undefined,
      returnImmediately: false,
      ...configuration,
    },
  })) as Task

/** The texts of the artifacts of a task. */
export const textsIn = ({ artifacts }: Task): string[] =>
  artifacts.map(({ parts }) =>
    parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join(''),
  )

export const all = async <Event>(stream: AsyncIterable<Event>): Promise<Event[]> => {
  const events: Event[] = []
  for await (const event of stream) events.push(event)
  return events
}
