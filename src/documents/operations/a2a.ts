// The operations of A2A. Each of them is there twice: for the default agent, and below the name of an agent.
import Type from 'typebox'
import * as objects from '../../contract/a2a/objects.ts'
import * as requests from '../../contract/a2a/requests.ts'
import {
  type Answer,
  defineOperations,
  eventStream,
  json,
  type Operation,
  type Parameter,
  refusalsOfMessages,
} from '../operation.ts'
import { header, idempotencyKey, query, retryCount, taskId, text } from '../parameters.ts'

const ofTask = ['X-Task-Id', 'X-Session-Id'] as const
const agent: Parameter = { in: 'path', name: 'agent', schema: text, about: 'The name of the agent.' }
const taskCall: Parameter = {
  in: 'path',
  name: 'call',
  schema: text,
  about: 'The task, with `:cancel` or `:subscribe` behind its id.',
}
const configId: Parameter = { in: 'path', name: 'config_id', schema: text, about: 'The configuration.' }
const version = [
  header('A2A-Version', text, 'The version of the protocol, `1.0`. Another one is refused.'),
  query('A2A-Version', text, 'The same as a parameter.'),
]
const tenant = query('tenant', text, 'The name of the agent: another way to write it than in the path.')
const resume = header(
  'Last-Event-ID',
  text,
  'The id of an event of the stream: the stream goes on after it, without a task at its beginning.',
)
const historyLength = query(
  'historyLength',
  Type.Integer({ minimum: 0 }),
  'The largest number of messages of the history, the newest ones.',
)

const answer = (about: string, schema: Answer['schema'] & object, headers?: Answer['headers']): Answer => ({
  status: 200,
  about,
  type: json,
  schema,
  ...(headers === undefined ? {} : { headers }),
})
const events = (about: string): Answer => ({
  status: 200,
  about,
  type: eventStream,
  items: objects.A2AStreamResponse,
  headers: [...ofTask],
})

const hello = { message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'Hello' }] } }
const sent = {
  schema: requests.SendMessageRequest,
  examples: { text: { summary: 'A text', value: hello } },
}
const http = { tag: 'A2A', errors: 'a2a-http' } as const
const refusals: Operation['refusals'] & object = ['RouteNotFound', ...refusalsOfMessages]
const ofOne: Operation['refusals'] & object = ['RouteNotFound', 'TaskNotFound']

const ofDefault = defineOperations({
  a2aCall: {
    method: 'POST',
    path: '/a2a',
    tag: 'A2A',
    errors: 'a2a-rpc',
    access: 'read',
    summary: 'Call a method of A2A',
    about:
      'JSON-RPC: `SendMessage`, `SendStreamingMessage`, `GetTask`, `ListTasks`, `CancelTask`, `SubscribeToTask`, and the methods of push notifications; the names of version 0.3 work, too. The answer of a method that streams is a stream. Methods that change something need a token that allows changes.',
    parameters: [idempotencyKey, retryCount, resume, ...version],
    body: {
      schema: Type.Unknown(),
      examples: {
        text: { summary: 'A text', value: { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: hello } },
      },
    },
    answers: [
      {
        status: 200,
        about: 'The result, or the error of the method.',
        type: json,
        schema: objects.RpcAnswer,
        headers: [...ofTask],
      },
      {
        status: 200,
        about: 'Of methods that stream: results as server-sent events.',
        type: eventStream,
        items: objects.RpcAnswer,
        headers: [...ofTask],
      },
    ],
    refusals,
  },
  a2aSendMessage: {
    ...http,
    method: 'POST',
    path: '/a2a/message:send',
    access: 'write',
    summary: 'Send a message',
    about:
      'Makes a task, or brings the message to the task that it names: as the answer to its question, or while it works. The answer comes when the task has ended or waits for its client; with `returnImmediately` it comes at once.',
    parameters: [idempotencyKey, retryCount, ...version],
    body: sent,
    answers: [answer('The task.', objects.SentMessage, [...ofTask, 'Idempotency-Replayed'])],
    refusals,
  },
  a2aStreamMessage: {
    ...http,
    method: 'POST',
    path: '/a2a/message:stream',
    access: 'write',
    summary: 'Send a message, and follow its task',
    about:
      'As `message:send`. The stream begins with the task, and closes when the task has ended or waits for its client.',
    parameters: [idempotencyKey, retryCount, ...version],
    body: sent,
    answers: [events('The task, and what becomes of it.')],
    refusals,
  },
  a2aListTasks: {
    ...http,
    method: 'GET',
    path: '/a2a/tasks',
    access: 'read',
    summary: 'List the tasks of an agent',
    about: 'The tasks of the agent that the token reaches, newest first.',
    parameters: [
      query('contextId', text, 'Only tasks of this context.'),
      query(
        'status',
        Type.Enum([...objects.taskStates, 'TASK_STATE_UNSPECIFIED']),
        'Only tasks with this state.',
      ),
      query(
        'pageSize',
        Type.Integer({ minimum: 1, maximum: 100 }),
        'The largest number of tasks; otherwise 50.',
      ),
      query('pageToken', text, 'The `nextPageToken` of a page: the answer is the page after it.'),
      historyLength,
      query('statusTimestampAfter', text, 'Only tasks whose status changed after this time.'),
      query('includeArtifacts', Type.Boolean(), 'true: with the artifacts of each task.'),
      tenant,
      ...version,
    ],
    answers: [answer('A page of tasks.', objects.A2ATaskList)],
    refusals: ['RouteNotFound'],
  },
  a2aGetTask: {
    ...http,
    method: 'GET',
    path: '/a2a/tasks/{task_id}',
    access: 'read',
    summary: 'Get a task of an agent, or follow it',
    about:
      'The task as it is now. With `:subscribe` behind the id, the answer is a stream: the task, and then what becomes of it, until it has ended.',
    parameters: [taskId, historyLength, tenant, resume, ...version],
    answers: [
      answer('The task.', objects.A2ATask, [...ofTask]),
      events('With `:subscribe`: the task, and what becomes of it.'),
    ],
    refusals: [...ofOne, 'OverQuota'],
  },
  a2aTaskVerb: {
    ...http,
    method: 'POST',
    path: '/a2a/tasks/{call}',
    access: 'read',
    summary: 'Cancel a task of an agent, or follow it',
    about:
      'With `:cancel` behind the id, the task is canceled; this needs a token that allows changes. With `:subscribe`, the answer is a stream.',
    parameters: [taskCall, tenant, resume, ...version],
    answers: [
      answer('With `:cancel`: the task.', objects.A2ATask, [...ofTask]),
      events('With `:subscribe`: the task, and what becomes of it.'),
    ],
    refusals: [...ofOne, 'NotCancelable', 'OverQuota'],
  },
  a2aCreatePush: {
    ...http,
    method: 'POST',
    path: '/a2a/tasks/{task_id}/pushNotificationConfigs',
    access: 'write',
    summary: 'Have the changes of a task sent',
    about:
      'Makes a webhook for the task, which sends each change of its status with the given `authentication`. A configuration with the same id is replaced. It ends with the task.',
    parameters: [taskId, ...version],
    body: {
      schema: objects.PushConfig,
      examples: {
        bearer: {
          summary: 'With a token',
          value: {
            url: 'https://hooks.example.com/a2a',
            authentication: { scheme: 'Bearer', credentials: 'secret' },
          },
        },
      },
    },
    answers: [answer('The configuration, without its secrets.', objects.PushConfig)],
    refusals: [...ofOne, 'OverQuota'],
  },
  a2aListPushes: {
    ...http,
    method: 'GET',
    path: '/a2a/tasks/{task_id}/pushNotificationConfigs',
    access: 'read',
    summary: 'List what is sent for a task',
    about: 'The configurations of the task, oldest first.',
    parameters: [
      taskId,
      query('pageSize', Type.Integer({ minimum: 1, maximum: 100 }), 'The largest number of configurations.'),
      query('pageToken', text, 'The `nextPageToken` of a page: the answer is the page after it.'),
      tenant,
      ...version,
    ],
    answers: [answer('The configurations.', objects.PushConfigList)],
    refusals: ofOne,
  },
  a2aGetPush: {
    ...http,
    method: 'GET',
    path: '/a2a/tasks/{task_id}/pushNotificationConfigs/{config_id}',
    access: 'read',
    summary: 'Get a configuration of push notifications',
    about: 'The configuration, without its secrets.',
    parameters: [taskId, configId, tenant, ...version],
    answers: [answer('The configuration.', objects.PushConfig)],
    refusals: ofOne,
  },
  a2aDeletePush: {
    ...http,
    method: 'DELETE',
    path: '/a2a/tasks/{task_id}/pushNotificationConfigs/{config_id}',
    access: 'write',
    summary: 'Delete a configuration of push notifications',
    about: 'Nothing more is sent to it. If there is none with this id, nothing changes.',
    parameters: [taskId, configId, tenant, ...version],
    answers: [answer('An empty object.', Type.Object({}))],
    refusals: ofOne,
  },
  a2aExtendedCard: {
    ...http,
    method: 'GET',
    path: '/a2a/extendedAgentCard',
    access: 'read',
    summary: 'Get the extended card of an agent',
    about: 'Agents have no extended cards, as their cards say: it is refused with 400.',
    parameters: [tenant, ...version],
    answers: [],
    refusals: ['RouteNotFound'],
  },
})

type OfDefault = typeof ofDefault
type OfAgent = {
  [Id in keyof OfDefault as `${Id}OfAgent`]: Omit<OfDefault[Id], 'path'> & {
    path: OfDefault[Id]['path'] extends `/a2a${infer Rest}` ? `/a2a/{agent}${Rest}` : never
  }
}
/** The same operations below the name of an agent. */
const ofAgent = Object.fromEntries(
  Object.entries(ofDefault).map(([id, operation]: [string, Omit<Operation, 'id'>]) => [
    `${id}OfAgent`,
    {
      ...operation,
      path: operation.path.replace('/a2a', '/a2a/{agent}'),
      summary: `${operation.summary}, by its name`.replace(
        'Send a message, and follow its task, by its name',
        'Send a message to a named agent, and follow its task',
      ),
      parameters: [agent, ...(operation.parameters ?? [])],
    },
  ]),
) as unknown as OfAgent

const card = {
  method: 'GET',
  tag: 'A2A',
  access: 'open',
  errors: 'a2a-http',
  about:
    'What the agent says of itself: its addresses, what it takes, and how to authenticate. It needs no token; with one, own agents of its user have cards, too.',
  answers: [{ status: 200, about: 'The card.', type: json, schema: objects.AgentCard }],
} satisfies Partial<Operation>

export const a2aOperations = {
  ...defineOperations({
    a2aCard: {
      ...card,
      path: '/.well-known/agent-card.json',
      summary: 'Get the card of the default agent',
    },
    a2aCardOfAgent: {
      ...card,
      path: '/a2a/{agent}/.well-known/agent-card.json',
      summary: 'Get the card of an agent',
      parameters: [agent],
      refusals: ['RouteNotFound'],
    },
  }),
  ...ofDefault,
  ...ofAgent,
}
