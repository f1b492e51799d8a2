// Retries after a kill -9, when every answer counts as lost: the same request is never done twice, and another one, be
// it as alike as it may, is never taken for it.
import t from 'tap'
import { counter, envCalls, kept, modules } from '../http/env-calls.ts'
import { read } from '../support/http.ts'
import { type Api, launch, spawnServer } from '../support/server.ts'

const again = { 'x-stainless-retry-count': '1' }
const keyed = { 'idempotency-key': 'a key' }
type Body = Record<string, unknown>
type Stored = { type: string; data: { client_id?: string; session_id?: string } }

/** A request that is made before the kill, and others that look like it. */
type Subject = {
  what: string
  where: string
  body: Body
  /** Of these none has been made; each is told from the one before it. */
  others: Body[]
  /** The event that is stored when it is done. */
  type: string
  /** Where such events stand: one stream, or all. */
  stream?: string
}

const storedIn = async (api: Api, { stream, type, body }: Subject): Promise<number> => {
  const where = stream === undefined ? '' : `&stream=${stream}`
  const lines = { accept: 'application/x-ndjson' }
  const { text } = await read(api('GET', `/audit/events?after=0${where}`, undefined, lines))
  const events = text
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as Stored)
  const name = type === 'EnvSessionCreated' ? 'client_id' : 'session_id'
  return events.filter(event => {
    return event.type === type && (stream !== undefined || event.data[name] === body[name])
  }).length
}

const steps = async (api: Api): Promise<Subject[]> => {
  const { made } = envCalls(api)
  const add = { tool_name: 'add', tool_args: { by: 1 } }
  const found: Subject[] = []
  for (const [kind, stream] of [
    [counter, false],
    [counter, true],
    [kept, false],
  ] as const) {
    const session_id = await made({ env_class_path: kind })
    const body = { session_id, ...add, request_id: 'r1', stream }
    const others: Body[] = [
      { ...body, request_id: 'r2' },
      { session_id, ...add, stream },
      { ...body, task_id: 't1' },
      { ...body, user_id: 'default' },
      { ...body, stream: !stream },
      { ...body, env_vars: { A: 'x' } },
      { ...body, tool_args: { by: 2 } },
    ]
    const what = `a step of ${kind}${stream ? ', streamed' : ''}`
    found.push({
      what,
      where: '/env/step',
      body,
      others,
      type: 'EnvStepCompleted',
      stream: `env-${session_id}`,
    })
  }
  const session_id = await made()
  found.push({
    what: 'a reset',
    where: '/env/reset',
    body: { session_id, seed: 5, options: { a: 1 } },
    others: [{ session_id, seed: 6, options: { a: 1 } }, { session_id, seed: 5 }, { session_id }],
    type: 'EnvSessionReset',
    stream: `env-${session_id}`,
  })
  return found
}

const creates = (mark: string): Subject[] => {
  const session = { env_class_path: counter, client_id: `session ${mark}` }
  const task = (stream: boolean) => {
    const body = {
      user_message_content: 'x',
      client_id: 'echo',
      session_id: `tasks-${mark}-${stream}`,
      stream,
    }
    return { ...body, request_id: 'r1' }
  }
  return [
    {
      what: 'a create of an environment session',
      where: '/env/create',
      body: session,
      others: [
        { ...session, env_init_kwargs: { start: 1 } },
        { ...session, env_vars: { A: 'x' } },
        { ...session, user_id: 'somebody' },
      ],
      type: 'EnvSessionCreated',
    },
    ...[false, true].map(stream => ({
      what: `a create of a task${stream ? ', streamed' : ''}`,
      where: '/tasks',
      body: task(stream),
      others: [
        { ...task(stream), request_id: 'r2' },
        { ...task(stream), user_message_content: 'y' },
        { ...task(stream), user_id: 'somebody' },
        { ...task(stream), stream: !stream, request_id: 'r3' },
      ],
      type: 'TaskCreated',
    })),
  ]
}

const messages = async (api: Api): Promise<Subject> => {
  const task = {
    user_message_content: 'x',
    stream: false,
    background: true,
    agent_config: { agent_id: 'script', script: [{ pause: 'tea' }] },
  }
  const { id } = (await read(api('POST', '/tasks', task))).body.result
  return {
    what: 'a message',
    where: `/tasks/${id}/messages`,
    body: { content: 'go on' },
    others: [{ content: 'go on!' }, { content: 'go on' }],
    type: 'InputAccepted',
    stream: `task-${id}`,
  }
}

const everything = async (api: Api, mark: string) => [
  ...(await steps(api)),
  ...creates(mark),
  await messages(api),
]

t.test('over a kill -9 no request is done twice, and none is taken for another', async t => {
  const dataDir = t.testdir()
  const env = { ENV_PATH: modules, LOG_LEVEL: 'error' }
  const first = await launch(dataDir, env)
  t.teardown(() => first.end('SIGKILL'))
  const send = async (api: Api, { where, what }: Subject, body: Body, headers: Record<string, string>) => {
    const answer = await read(api('POST', where, body, headers))
    if (answer.status !== 200) throw new Error(`${what}: ${answer.status} ${answer.text}`)
    return answer.headers.get('idempotency-replayed') === 'true'
  }
  const plain = await everything(first.api, 'plain')
  for (const subject of plain) await send(first.api, subject, subject.body, {})
  const withKeys = await everything(first.api, 'keyed')
  for (const [n, subject] of withKeys.entries()) {
    await send(first.api, subject, subject.body, { 'idempotency-key': `key ${n}` })
  }
  await first.end('SIGKILL')
  const { api, output } = await spawnServer(t, dataDir, env)

  for (const subject of plain) {
    const { what, body, others } = subject
    const before = await storedIn(api, subject)
    t.equal(before, 1, `${what} was done`)
    const isTold = await send(api, subject, body, again)
    if (what !== 'a message') t.ok(isTold, `${what}: a retry is told so`)
    t.equal(await storedIn(api, subject), before, `${what}: and does nothing`)
    for (const [n, other] of others.entries()) {
      const count = async () => storedIn(api, { ...subject, body: { ...body, ...other } })
      const stood = await count()
      t.equal(await send(api, subject, other, again), false, `${what}: ${JSON.stringify(other)} is another`)
      t.equal(await count(), stood + 1, `${what}: and is done (${n})`)
    }
  }
  for (const [n, subject] of withKeys.entries()) {
    const { what, body } = subject
    const key = { 'idempotency-key': `key ${n}` }
    for (const headers of [key, { ...key, ...again }]) {
      t.equal(await send(api, subject, body, headers), true, `${what}: with its key it is the same`)
    }
    t.equal(await storedIn(api, subject), 1, `${what}: done once`)
    t.equal(await send(api, subject, body, again), false, `${what}: without its key it is another`)
    t.equal(await storedIn(api, subject), 2, `${what}: and done`)
  }
  t.notMatch(output(), /error/i)
})

t.test('a step that was made under a key is not what a later one without a key was', async t => {
  const dataDir = t.testdir()
  const env = { ENV_PATH: modules, LOG_LEVEL: 'error' }
  const first = await launch(dataDir, env)
  t.teardown(() => first.end('SIGKILL'))
  const { made, call } = envCalls(first.api)
  const session_id = await made()
  const body = { session_id, tool_name: 'add', tool_args: { by: 1 } }
  await call('POST', '/env/step', { ...body, request_id: 'r1' }, keyed)
  await first.end('SIGKILL')
  const second = envCalls((await spawnServer(t, dataDir, env)).api)
  const other = await second.call('POST', '/env/step', { ...body, request_id: 'r2' }, again)
  t.match(other.body, { step: 2, state: { total: 2 } })
  const same = await second.call('POST', '/env/step', { ...body, request_id: 'r1' }, { ...keyed, ...again })
  t.match(same.body, { step: 1, state: { total: 1 } })
})
