// What an operation reads and writes does not grow with the log: the statements that it runs and the rows that it gets are
// counted on a log of real use, and on one with ten times as much. The plans of the statements are held by
// test/projections/query-plans.test.ts.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import Database from 'better-sqlite3'
import t from 'tap'
import { busyUser, longSession } from '../../bench/support/day-of-use.ts'
import { copyRealData } from '../../bench/support/real-data.ts'
import { read, type TaskJson } from '../support/http.ts'
import { serveHere } from '../support/server.ts'

let work = 0
type Method = (this: unknown, ...values: unknown[]) => unknown
const prototype = Object.getPrototypeOf(new Database(':memory:').prepare('SELECT 1')) as Record<
  string,
  Method
>
for (const name of ['run', 'get', 'all'] as const) {
  const method = prototype[name] as Method
  prototype[name] = function (...values) {
    const found = method.apply(this, values)
    work += 1 + (name === 'all' ? (found as unknown[]).length : 0)
    return found
  }
}
const iterate = prototype.iterate as Method
prototype.iterate = function* (...values: unknown[]) {
  work++
  for (const row of iterate.apply(this, values) as Iterable<unknown>) {
    work++
    yield row
  }
} as Method

const root = mkdtempSync(path.join(tmpdir(), 'reprise-growth-'))
t.teardown(() => rmSync(root, { recursive: true, force: true }))

const oneUser = 'user-000-000'
const open = async (size: 'small' | 'ten small') => {
  const dataDir = await copyRealData(size, path.join(root, size))
  const server = await serveHere(t, { DATA_DIR: dataDir, ENV_SESSION_IDLE_SECONDS: '1000000000' })
  const ask = async (method: string, where: string, body?: object, headers?: Record<string, string>) => {
    const answer = await read(server.api(method, where, body, headers))
    if (answer.status !== 200) throw new Error(`${method} ${where}: ${answer.status} ${answer.text}`)
    return answer.body.result
  }
  const ofUser = `/tasks?user_id=${oneUser}&order=asc&status=completed&limit=100`
  const tasks = (await ask('GET', ofUser)) as unknown as TaskJson[]
  return { ask, tasks, head: server.system.log.head(), flush: server.system.projector.flush }
}
type Opened = Awaited<ReturnType<typeof open>>

const echo = { stream: false, client_id: 'echo', user_message_content: 'How are you?' }
const script = (...steps: object[]) => ({ ...echo, agent_config: { agent_id: 'script', script: steps } })
const idOf = ({ tasks }: Opened, n = 0): string => tasks[n]?.id ?? ''

/**
 * How the tasks of a log overlap depends on the machine that wrote it: at one position, the newest tasks of two logs are different
 * ones, with more or fewer frames.
 */
const newestOfThePast = 'the newest tasks of the past'

const operations: Record<string, (opened: Opened, n: number) => Promise<unknown>> = {
  'a create by a new user': ({ ask }, n) => ask('POST', '/tasks', { ...echo, user_id: `new-${n}` }),
  'a create by a busy user': ({ ask }) => ask('POST', '/tasks', { ...echo, user_id: busyUser }),
  'a create with an idempotency key': ({ ask }, n) =>
    ask('POST', '/tasks', { ...echo, user_id: oneUser }, { 'idempotency-key': `key-${n}` }),
  'a create in a new session of a busy user': ({ ask }, n) =>
    ask('POST', '/tasks', { ...echo, user_id: busyUser, session_id: `new-session-${n}` }),
  'a create in a session of an old conversation': ({ ask }) =>
    ask('POST', '/tasks', { ...echo, user_id: 'long-user-000', session_id: longSession }),
  'a task with a tool': ({ ask }) =>
    ask(
      'POST',
      '/tasks',
      script({ tool: 'calculator', arguments: { expression: '6*7' } }, { message: '$result' }),
    ),
  'a task that is canceled': async ({ ask }) => {
    const { id } = await ask('POST', '/tasks', { ...script({ sleep_ms: 3_600_000 }), background: true })
    await ask('POST', `/tasks/${id}/cancel`, {})
  },
  'a delete': async ({ ask }) => {
    const { id } = await ask('POST', '/tasks', { ...echo, user_id: oneUser })
    await ask('DELETE', `/tasks/${id}`)
  },
  'a reward of an old task': opened =>
    opened.ask('POST', `/tasks/${idOf(opened, 1)}/reward`, { value: 1, name: 'quality' }),
  'a fork of an old task': opened => opened.ask('POST', `/tasks/${idOf(opened)}/fork`, { at: 3 }),
  'a task': opened => opened.ask('GET', `/tasks/${idOf(opened)}`),
  'a task as of a frame': opened => opened.ask('GET', `/tasks/${idOf(opened)}?as_of=3`),
  'the frames of a task': opened => opened.ask('GET', `/tasks/${idOf(opened)}/events`),
  'the rollouts of a task': opened => opened.ask('GET', `/tasks/${idOf(opened)}/rollouts`),
  'the newest tasks': ({ ask }) => ask('GET', '/tasks'),
  'the oldest tasks': ({ ask }) => ask('GET', '/tasks?order=asc'),
  'tasks after one in the middle': opened => opened.ask('GET', `/tasks?ending_before=${idOf(opened, 2)}`),
  'tasks of a user': ({ ask }) => ask('GET', `/tasks?user_id=${oneUser}`),
  'tasks of a busy user': ({ ask }) => ask('GET', `/tasks?user_id=${busyUser}&limit=3`),
  'tasks of a session': ({ ask }) => ask('GET', `/tasks?session_id=${longSession}`),
  'completed tasks': ({ ask }) => ask('GET', '/tasks?status=completed'),
  'failed tasks of a user': ({ ask }) => ask('GET', `/tasks?status=failed&user_id=${oneUser}`),
  'tasks of an agent': ({ ask }) => ask('GET', '/tasks?agent=script'),
  'tasks with an error': ({ ask }) => ask('GET', '/tasks?error=the model&limit=2'),
  'the oldest tasks of the past': ({ ask }) => ask('GET', '/tasks?order=asc&as_of=position:500'),
  [newestOfThePast]: ({ ask }) => ask('GET', '/tasks?as_of=position:500'),
  'tasks of now, as of a position': ({ ask, head }) => ask('GET', `/tasks?as_of=position:${head}`),
  'counts of a user': ({ ask }) => ask('GET', `/tasks?fields=counts&user_id=${oneUser}`),
  'stored events': ({ ask }) => ask('GET', '/audit/events?after=300&limit=50'),
}

/** The least work of a few calls: at other times, rows of earlier calls may be written meanwhile. */
const costOf = async (opened: Opened, operation: (opened: Opened, n: number) => Promise<unknown>) => {
  const costs: number[] = []
  for (let n = 0; n < 4; n++) {
    opened.flush()
    const before = work
    await operation(opened, n)
    opened.flush()
    costs.push(work - before)
  }
  return Math.min(...costs)
}

const few = await open('small')
const many = await open('ten small')
t.ok(many.head > 9 * few.head, `${few.head} and ${many.head} events`)

for (const [name, operation] of Object.entries(operations)) {
  t.test(`${name}: the work is the same with ten times as many events`, async t => {
    const [ofFew, ofMany] = [await costOf(few, operation), await costOf(many, operation)]
    t.ok(ofFew > 0, 'something is counted')
    const most = name === newestOfThePast ? 2 * ofFew : 1.1 * ofFew + 1
    t.ok(ofMany <= most, `${ofFew} and ${ofMany} statements and rows`)
  })
}
