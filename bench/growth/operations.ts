// The operations of the API whose cost is measured at several sizes of the log, and what each cost may depend on.
import { busyUser, longSession } from '../support/day-of-use.ts'

type Json = Record<string, unknown>
/** Requests to one server, and the ids that the operations use. */
export type Target = {
  ask(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<string>
  /** Reads a stream of server-sent events until it ends or has this many events. */
  follow(path: string, events: number): Promise<number>
  /** Tasks of one user of the first day, whose data are the same in every log. */
  tasks: { tools: string; echo: string; other: string }
  /** Tasks of that user to destroy, one each time. */
  spare(): Promise<string>
  users(): string
  job: string
  webhook: string
  session: string
  head: number
  /** The session of a task that is alone in it. */
  ownSession: string
  oldest: string
  middle: string
}

/** What a cost must not grow with is everything that `depends` does not name. */
export type Operation = {
  group: string
  title: string
  depends: string
  /** How many calls a round makes. */
  calls?: number
  /** It begins and ends threads, whose time only the coarser clock of the system still has when they have ended. */
  threads?: true
  /** What `depends` names is more in a longer log, so the cost may grow. */
  grows?: true
  call: (target: Target, n: number) => Promise<unknown>
}

/** A user of the first day: the data of this user are the same in every log. */
export const oneUser = 'user-003-000'

const json = (text: string): Json => JSON.parse(text) as Json
export const result = (text: string): Json => json(text).result as Json

const inGroup = (group: string, all: Omit<Operation, 'group'>[]): Operation[] =>
  all.map(operation => ({ group, ...operation }))

let made = 0
const fresh = (name: string): string => `${name}-${process.pid}-${++made}`
const echo = { stream: false, client_id: 'echo', user_message_content: 'How are you?' }
const script = (...steps: object[]) => ({
  ...echo,
  client_id: 'script',
  agent_config: { agent_id: 'script', script: steps },
})
const calculated = script(
  { message: 'Let me see.' },
  { tool: 'calculator', arguments: { expression: '6*7' } },
  { message: '$result' },
)

const creates = inGroup('creates and changes', [
  {
    title: 'echo task of a new user',
    depends: 'the request',
    call: ({ ask }) => ask('POST', '/tasks', { ...echo, user_id: fresh('new-user') }),
  },
  {
    title: 'echo task of a busy user',
    depends: 'the request',
    call: ({ ask }) => ask('POST', '/tasks', { ...echo, user_id: busyUser }),
  },
  {
    title: 'echo task with an idempotency key',
    depends: 'the request',
    call: ({ ask }) =>
      ask('POST', '/tasks', { ...echo, user_id: oneUser }, { 'idempotency-key': fresh('key') }),
  },
  {
    title: 'echo task in a new session of a busy user',
    depends: 'the request',
    call: ({ ask }) => ask('POST', '/tasks', { ...echo, user_id: busyUser, session_id: fresh('session') }),
  },
  {
    title: 'echo task in a session of 500 turns',
    depends: 'the items of the session',
    calls: 5,
    call: ({ ask }) => ask('POST', '/tasks', { ...echo, user_id: 'long-user-000', session_id: longSession }),
  },
  {
    title: 'task with a tool',
    depends: 'the request',
    calls: 20,
    call: ({ ask }) => ask('POST', '/tasks', { ...calculated, user_id: oneUser }),
  },
  {
    title: 'streamed task',
    depends: 'the request',
    calls: 20,
    call: ({ ask }) => ask('POST', '/tasks', { ...echo, user_id: oneUser, stream: true }),
  },
  {
    title: 'task that is canceled',
    depends: 'the request',
    calls: 20,
    call: async ({ ask }) => {
      const task = { ...script({ sleep_ms: 3_600_000 }), background: true, user_id: oneUser }
      const { id } = result(await ask('POST', '/tasks', task))
      await ask('POST', `/tasks/${id}/cancel`, {})
    },
  },
  {
    title: 'task that is deleted',
    depends: 'the request',
    calls: 20,
    call: async ({ ask }) => {
      const { id } = result(await ask('POST', '/tasks', { ...echo, user_id: oneUser }))
      await ask('DELETE', `/tasks/${id}`)
    },
  },
  {
    title: 'reward of an old task',
    depends: 'the events of the task',
    calls: 20,
    call: ({ ask, tasks }) => ask('POST', `/tasks/${tasks.other}/reward`, { value: 1, name: fresh('r') }),
  },
  {
    title: 'fork of an old task',
    depends: 'the events of the task',
    calls: 10,
    call: ({ ask, tasks }) =>
      ask('POST', `/tasks/${tasks.tools}/fork`, { at: 3, user_message_content: 'And now?' }),
  },
])

const get = (
  title: string,
  path: (target: Target) => string,
  depends = 'the events of the task',
): Operation => ({
  group: 'one task',
  title,
  depends,
  call: target => target.ask('GET', path(target)),
})
const reads: Operation[] = [
  get('get', ({ tasks }) => `/tasks/${tasks.tools}`, 'the output'),
  get('get, as of a frame', ({ tasks }) => `/tasks/${tasks.tools}?as_of=5`),
  get('get, as of a position', ({ tasks, head }) => `/tasks/${tasks.tools}?as_of=position:${head}`),
  get('page of its frames', ({ tasks }) => `/tasks/${tasks.tools}/events`),
  get('rollouts', ({ tasks }) => `/tasks/${tasks.tools}/rollouts`),
  get('rollouts, ATIF', ({ tasks }) => `/tasks/${tasks.tools}/rollouts?format=atif`),
  get('machine', ({ tasks }) => `/tasks/${tasks.tools}/machine`),
  get('diff with another task', ({ tasks }) => `/tasks/${tasks.tools}/diff/${tasks.echo}`),
  {
    ...get('replay', () => '', 'the events of the task'),
    call: ({ ask, tasks }) => ask('POST', `/tasks/${tasks.tools}/replay`),
  },
  {
    ...get('stream from frame 3', () => ''),
    call: ({ follow, tasks }) => follow(`/v1/tasks/${tasks.tools}/events?after=3`, 1000),
  },
]

/** What there is more of in a longer log. */
const growing = new Set([
  'the tasks',
  'the failed tasks',
  'the tasks of the busy user',
  'the tasks of the agent',
])
const list = (
  title: string,
  query: string | ((target: Target) => string),
  depends = 'the rows of the page',
): Operation => ({
  group: 'lists of tasks',
  title,
  depends,
  ...(growing.has(depends) ? { grows: true } : {}),
  call: target => target.ask('GET', `/tasks?${typeof query === 'string' ? query : query(target)}`),
})
const lists: Operation[] = [
  list('newest 10', ''),
  list('newest 100, summaries', 'limit=100&fields=summary'),
  list('oldest 10', 'order=asc'),
  list('deep page: 10 after a task in the middle', ({ middle }) => `starting_after=${middle}`),
  list('deep page: the last one', ({ oldest }) => `ending_before=${oldest}`),
  list('of one user', `user_id=${oneUser}`),
  list('of a busy user', `user_id=${busyUser}`),
  list('of an unknown user', 'user_id=nobody'),
  list('of a session with one task', ({ ownSession }) => `session_id=${ownSession}`),
  list('of a session with 500 turns', `session_id=${longSession}`),
  list('with subtasks', 'include_subtasks=true'),
  list('completed', 'status=completed'),
  list('failed', 'status=failed'),
  list('input-required or paused', 'limit=3&status=input-required&status=paused'),
  list('of a user, failed', `user_id=${oneUser}&status=failed`),
  list('of a busy user, failed (none)', `user_id=${busyUser}&status=failed`),
  list('of the agent echo', 'agent=echo'),
  list('of the agent group', 'limit=3&agent=group'),
  list('of an agent without tasks', 'agent=nobody'),
  list('of a user and an agent', `user_id=${oneUser}&agent=script`),
  list(
    'of a busy user and an agent without tasks',
    `user_id=${busyUser}&agent=group`,
    'the tasks of the busy user',
  ),
  list('error with a text', 'error=the model said'),
  list('error with a text that none has', 'error=nothing like that', 'the failed tasks'),
  list('error of one user', `user_id=${oneUser}&error=nothing like that`, 'the failed tasks of the user'),
  list('created before a time', 'created_before=2026-01-01'),
  list('created after a time', 'created_after=2026-01-01'),
  list('as of a position', ({ head }) => `as_of=position:${head}`),
  list('as of an early position', 'as_of=position:5000'),
  list('counts', 'fields=counts', 'the tasks'),
  list('counts of one user', `fields=counts&user_id=${oneUser}`, 'the tasks of the user'),
  list('counts of a busy user', `fields=counts&user_id=${busyUser}`, 'the tasks of the busy user'),
  list('counts of an agent', 'fields=counts&agent=group', 'the tasks of the agent'),
  list('counts of failed tasks', 'fields=counts&status=failed', 'the failed tasks'),
]

const events = inGroup('events', [
  {
    title: '100 events from the end',
    depends: 'the events that are read',
    call: ({ follow, head }) => follow(`/api/events?starting_after=${head - 200}`, 20),
  },
  {
    title: '100 events from the earliest',
    depends: 'the events that are read',
    call: ({ follow }) => follow('/api/events?starting_after=earliest', 100),
  },
  {
    title: '20 events of one session from the earliest',
    depends: 'the events that are read',
    call: ({ follow }) => follow(`/api/events?starting_after=earliest&session_id=${longSession}`, 20),
  },
  {
    title: '3 events of one task at the end, from the earliest',
    depends: 'the events that are read',
    calls: 1,
    call: async ({ ask, follow }) => {
      const { id } = result(await ask('POST', '/tasks', { ...echo, user_id: oneUser }))
      return follow(`/api/events?starting_after=earliest&task_id=${id}`, 3)
    },
  },
  {
    title: 'page of all rollouts, from the start',
    depends: 'the entries of the page',
    calls: 5,
    call: ({ ask }) => ask('GET', '/rollouts?limit=100'),
  },
  {
    title: 'page of all rollouts, after a position',
    depends: 'the entries of the page',
    calls: 5,
    call: ({ ask }) => ask('GET', '/rollouts?limit=100&after=6000'),
  },
])

const audit: Operation[] = [
  ['events after a position', () => '/audit/events?limit=100&after=5000', 'the page'],
  [
    'events of a stream',
    ({ tasks }: Target) => `/audit/events?stream=task-${tasks.tools}`,
    'the events of the stream',
  ],
  ['streams', () => '/audit/streams', 'the page'],
  ['streams, near the end', ({ head }: Target) => `/audit/streams?after=${head - 2000}`, 'the page'],
  ['checkpoint', () => '/audit/checkpoint', 'nothing'],
  ['inclusion proof', () => '/audit/proof?position=4321', 'the logarithm of the log'],
  ['consistency proof', () => '/audit/consistency?from=5000', 'the logarithm of the log'],
  ['holds', () => '/audit/holds', 'the holds'],
].map(([title, path, depends]) => ({
  group: 'audit',
  title: title as string,
  depends: depends as string,
  ...(depends === 'the logarithm of the log' ? { grows: true as const } : {}),
  calls: 20,
  call: (target: Target) => target.ask('GET', (path as (target: Target) => string)(target)),
}))
audit.push(
  {
    group: 'audit',
    title: 'export of a task',
    threads: true,
    depends: 'the events of the task, and the logarithm of the log',
    grows: true,
    calls: 6,
    call: ({ ask, tasks }) => ask('GET', `/audit/export?task_id=${tasks.tools}`),
  },
  {
    group: 'audit',
    title: 'export of a user',
    threads: true,
    depends: 'the events of the user',
    calls: 1,
    call: ({ ask }) => ask('GET', `/audit/export?user_id=${oneUser}`),
  },
  {
    group: 'audit',
    title: 'hold placed and lifted',
    depends: 'nothing',
    calls: 5,
    call: async ({ ask }, n) => {
      const hold = { user_id: `held-${n}`, reason: 'case' }
      await ask('POST', '/audit/holds', hold)
      await ask('DELETE', '/audit/holds', hold)
    },
  },
)

const step = (session: string) => ({
  session_id: session,
  tool_name: 'move',
  tool_args: { direction: 'east' },
  stream: false,
})
const others = inGroup('the rest', [
  {
    title: 'environment session: created, stepped, closed',
    depends: 'the request',
    threads: true,
    calls: 20,
    call: async ({ ask }) => {
      const session = fresh('env')
      await ask('POST', '/env/create', { session_id: session, env_id: 'gridworld', user_id: oneUser })
      await ask('POST', '/env/step', step(session))
      await ask('POST', '/env/close', { session_id: session })
    },
  },
  {
    title: 'environment session: a step',
    depends: 'the step',
    calls: 20,
    call: ({ ask, session }) => ask('POST', '/env/step', step(session)),
  },
  {
    title: 'environment session: get',
    depends: 'the state',
    call: ({ ask, session }) => ask('GET', `/env/session/${session}`),
  },
  {
    title: 'environment sessions of a user',
    depends: 'the sessions of the user',
    call: ({ ask }) => ask('GET', '/env/sessions?user_id=user-002-000'),
  },
  {
    title: 'environment sessions, all',
    depends: 'the sessions, which are all in the answer',
    grows: true,
    calls: 5,
    call: ({ ask }) => ask('GET', '/env/sessions'),
  },
  {
    title: 'cron jobs: list',
    depends: 'the page',
    call: ({ ask }) => ask('GET', '/cron/jobs'),
  },
  {
    title: 'cron jobs of a user',
    depends: 'the jobs of the user',
    call: ({ ask }) => ask('GET', '/cron/jobs?user_id=user-001-000'),
  },
  {
    title: 'cron jobs: those that ended (none)',
    depends: 'the page',
    call: ({ ask }) => ask('GET', '/cron/jobs?status=ended'),
  },
  {
    title: 'cron job: get and runs',
    depends: 'the page',
    call: async ({ ask, job }) => {
      await ask('GET', `/cron/jobs/${job}`)
      await ask('GET', `/cron/jobs/${job}/runs`)
    },
  },
  {
    title: 'cron job: triggered',
    depends: 'the request',
    calls: 20,
    call: ({ ask, job }) => ask('POST', `/cron/jobs/${job}/trigger`),
  },
  {
    title: 'webhooks: list',
    depends: 'the page',
    call: ({ ask }) => ask('GET', '/webhooks?limit=2'),
  },
  {
    title: 'webhook: get and deliveries',
    depends: 'the page',
    call: async ({ ask, webhook }) => {
      await ask('GET', `/webhooks/${webhook}`)
      await ask('GET', `/webhooks/${webhook}/deliveries`)
    },
  },
  {
    title: 'token: created, used and revoked',
    depends: 'nothing',
    calls: 10,
    call: async ({ ask }) => {
      const { id, token } = json(
        await ask('POST', '/auth/tokens', { role: 'user', user_id: oneUser, ttl: 3600 }),
      )
      await ask('GET', '/tasks', undefined, { authorization: `Bearer ${token}` })
      await ask('DELETE', `/auth/tokens/${id}`)
    },
  },
  {
    title: 'agents',
    depends: 'nothing',
    call: ({ ask }) => ask('GET', '/agents'),
  },
  {
    title: 'readiness and metrics',
    depends: 'nothing',
    calls: 20,
    call: async ({ ask }) => {
      await ask('GET', '/../readyz')
      await ask('GET', '/../metrics')
    },
  },
])

const erasures: Operation[] = [
  {
    group: 'erasures',
    title: 'of a new task',
    depends: 'the events of the task',
    calls: 3,
    call: async ({ ask }) => {
      const { id } = result(await ask('POST', '/tasks', { ...echo, user_id: oneUser }))
      await ask('DELETE', `/tasks/${id}?erase=true&reason=asked`)
    },
  },
  {
    group: 'erasures',
    title: 'of an old task',
    depends: 'the events of the task',
    calls: 1,
    call: async ({ ask, spare }) => ask('DELETE', `/tasks/${await spare()}?erase=true&reason=asked`),
  },
  {
    group: 'erasures',
    title: 'of a user with 30 tasks',
    depends: 'the events of the user',
    calls: 1,
    call: ({ ask, users }) => ask('DELETE', `/users/${users()}/data?reason=asked`),
  },
]

export const operations: Operation[] = [
  ...creates,
  ...reads,
  ...lists,
  ...events,
  ...audit,
  ...others,
  ...erasures,
]
