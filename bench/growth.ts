// What each operation costs with more data, and nothing else different. Three servers have logs of real use of three
// sizes, and answer the same requests in turns. The figure is the processor time of the server, with all its threads.
import path from 'node:path'
import { commands, type Given } from './growth/commands.ts'
import { type Operation, oneUser, operations, result, type Target } from './growth/operations.ts'
import { newFolder, removeFolder } from './support/folder.ts'
import { openFileLog } from './support/open-log.ts'
import { cpuSecondsOf, runNanosOf } from './support/process-use.ts'
import { copyRealData } from './support/real-data.ts'
import { adminToken, type Server, startOurs } from './support/server.ts'
import { short } from './support/stats.ts'

export const about =
  'every operation, command and work of maintenance with 10 k, 100 k and 1 M events of real use'

const sizes = (process.env.SIZES ?? '10000,100000,1000000').split(',').map(Number)
const rounds = 3
const usualCalls = 40
/** The ratio of the largest to the smallest size up to which a cost counts as flat. */
const flat = 1.15
/** Groups whose operations leave work that follows the answer: rows of read models, files, erased pages. */
const writing = new Set(['creates and changes', 'the rest', 'erasures'])
const pause = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms))

const requestsTo = ({ url }: Server): Pick<Target, 'ask' | 'follow'> => {
  const authorization = `Bearer ${adminToken}`
  return {
    async ask(method, where, body, headers = {}) {
      const answer = await fetch(`${url}${path.posix.join('/v1', where)}`, {
        method,
        headers: {
          authorization,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${method} ${where}: ${answer.status} ${text.slice(0, 300)}`)
      return text
    },
    async follow(where, events) {
      const stopping = new AbortController()
      const answer = await fetch(url + where, {
        headers: { authorization, accept: 'text/event-stream' },
        signal: stopping.signal,
      })
      if (!answer.ok || answer.body === null) throw new Error(`GET ${where}: ${answer.status}`)
      let seen = 0
      const decoder = new TextDecoder()
      for await (const chunk of answer.body) {
        seen += decoder.decode(chunk, { stream: true }).split('\nid: ').length - 1
        if (seen >= events) break
      }
      stopping.abort()
      return seen
    },
  }
}

/** Users of the first day whose tasks have all ended. */
const usersToErase = ['004', '006', '008', '009', '013', '016', '018', '019'].map(n => `user-${n}-000`)

/** The number of events: the second line of the first checkpoint, for which a start reads the whole log. */
const headOn = async (ask: Target['ask']): Promise<number> => {
  for (;;) {
    const note = await ask('GET', '/audit/checkpoint').catch(() => undefined)
    if (note !== undefined) return Number(note.split('\n')[1])
    await pause(200)
  }
}

type Listed = { id: string; session_id: string; output?: { type: string }[] }
/** What the operations use on one server. */
const targetOn = async (server: Server): Promise<Target> => {
  const { ask, follow } = requestsTo(server)
  const head = await headOn(ask)
  const list = async (query: string) =>
    result(await ask('GET', `/tasks?order=asc&limit=100&${query}`)) as unknown as Listed[]
  const idOf = (tasks: Listed[]): string => {
    if (tasks[0] === undefined) throw new Error('no such task')
    return tasks[0].id
  }
  const [scripts, echos, spare, all] = await Promise.all([
    list(`user_id=${oneUser}&agent=script&status=completed`),
    list(`user_id=${oneUser}&agent=echo&status=completed`),
    list('user_id=user-014-000&agent=echo&status=completed'),
    list(''),
  ])
  const tools = scripts.filter(({ output }) => output?.some(item => item.type === 'tool_result') === true)
  // Only these are in a session of their own, so no other task quotes them.
  const alone = spare.filter(({ session_id }) => session_id.startsWith('sess_'))
  const read = async <T>(where: string): Promise<T> => JSON.parse(await ask('GET', where))
  const { data: jobs } = await read<{ data: { job_id: string }[] }>('/cron/jobs?user_id=user-001-000')
  const { data: webhooks } = await read<{ data: { id: string }[] }>('/webhooks')
  type Streams = { data: { stream: string }[] }
  const { data: streams } = await read<Streams>(`/audit/streams?after=${Math.floor(head / 2)}`)
  const middle = streams.find(({ stream }) => stream.startsWith('task-'))?.stream.slice('task-'.length)
  const session = 'stepped'
  await ask('POST', '/env/create', { session_id: session, env_id: 'gridworld', user_id: oneUser })
  const users = [...usersToErase]
  return {
    ask,
    follow,
    tasks: { tools: idOf(tools), echo: idOf(echos), other: idOf(echos.slice(1)) },
    spare: async () => alone.pop()?.id ?? '',
    users: () => users.shift() ?? '',
    job: jobs[0]?.job_id ?? '',
    webhook: webhooks[0]?.id ?? '',
    session,
    head,
    oldest: idOf(all),
    ownSession: echos[0]?.session_id ?? '',
    middle: middle ?? '',
  }
}

type Opened = { size: number; server: Server; target: Target; idle: number }

const open = async (size: number): Promise<Opened> => {
  const folder = await copyRealData(size, newFolder(`served-${size}`))
  const server = await startOurs(folder, [], {
    ...{ ENV_UID_BASE: '0', ALLOW_PRIVATE_URLS: '1', ENV_SESSION_IDLE_SECONDS: '1000000000' },
    ...Object.fromEntries(
      ['TASKS', 'SESSIONS', 'STREAMS', 'SOCKETS', 'WEBHOOKS', 'CRON_JOBS'].map(name => [
        `QUOTA_${name}`,
        '0',
      ]),
    ),
    MAX_SESSIONS: '0',
  })
  await pause(3000) // the work that a start leaves behind
  const target = await targetOn(server)
  return { size, server, target, idle: 0 }
}

/** Resolves to the nanoseconds that a server runs in a millisecond without requests. */
const idleOf = async ({ server }: Opened): Promise<number> => {
  let least = Number.POSITIVE_INFINITY
  for (let n = 0; n < 5; n++) {
    const [before, began] = [runNanosOf(server.pid), performance.now()]
    await pause(500)
    least = Math.min(least, (runNanosOf(server.pid) - before) / (performance.now() - began))
  }
  return least
}

/** Resolves to the microseconds of processor time of one call. */
const cost = async ({ server, target, idle }: Opened, operation: Operation): Promise<number> => {
  const calls = operation.calls ?? usualCalls
  const nanosOf = operation.threads ? (pid: number) => 1e9 * (cpuSecondsOf(pid) ?? Number.NaN) : runNanosOf
  const [before, began] = [nanosOf(server.pid), performance.now()]
  for (let n = 0; n < calls; n++) await operation.call(target, n)
  if (writing.has(operation.group)) await pause(300)
  const used = nanosOf(server.pid) - before - idle * (performance.now() - began)
  return used / calls / 1000
}

const cell = (value: number): string => {
  if (value >= 1_000_000) return `${short(value / 1_000_000)} s`
  if (value >= 1000) return `${short(value / 1000)} ms`
  return `${Math.round(value)} µs`
}

/** The least cost of the rounds counts, since other work of the machine only adds to it. */
const row = (title: string, depends: string, costs: number[][], grows = false): string => {
  const least = costs.map(all => Math.min(...all))
  const ratio = (least.at(-1) ?? Number.NaN) / (least[0] ?? Number.NaN)
  const verdict = ratio <= flat ? '' : grows ? ' (there is more of it)' : ' **not flat**'
  return `| ${title} | ${depends} | ${least.map(cell).join(' | ')} | ${ratio.toFixed(2)}${verdict} |`
}

const heading = (what: string): string =>
  `\n| ${what} | Depends on | 10 k | 100 k | 1 M | Ratio |\n|---|---|---|---|---|---|`

const measureOperations = async (wanted: Operation[]): Promise<void> => {
  const opened: Opened[] = []
  for (const size of sizes) opened.push(await open(size))
  for (const one of opened) one.idle = await idleOf(one)
  let group = ''
  for (const operation of wanted) {
    if (operation.group !== group) console.log(heading(operation.group))
    group = operation.group
    const costs: number[][] = opened.map(() => [])
    try {
      for (let round = -1; round < rounds; round++) {
        for (const [n, one] of opened.entries()) {
          const value = await cost(one, operation)
          if (round >= 0) costs[n]?.push(value)
        }
      }
      console.log(row(operation.title, operation.depends, costs, operation.grows))
    } catch (error) {
      console.log(`| ${operation.title} | failed: ${String(error)} |`)
    }
  }
  for (const { server } of opened) await server.stop()
}

const measureCommands = async (): Promise<void> => {
  const costs = new Map(commands.map(({ title }) => [title, [] as number[][]]))
  for (const size of sizes) {
    const folder = await copyRealData(size, newFolder(`commands-${size}`))
    const log = openFileLog(folder)
    const head = log.head()
    let task = ''
    for await (const page of log.readAll()) {
      const found = page.find(({ header }) => header.type === 'EffectCompleted' && header.owner === oneUser)
      if (found === undefined) continue
      task = found.header.correlation_id
      break
    }
    await log.close()
    const given: Given = { folder, task, user: oneUser }
    for (const { title, perEvent, run } of commands) {
      const seconds: number[] = []
      for (let round = 0; round < (size > 500_000 && perEvent ? 1 : rounds); round++)
        seconds.push(((await run(given)) * 1_000_000) / (perEvent ? head : 1))
      costs.get(title)?.push(seconds)
    }
    removeFolder(folder)
  }
  console.log(heading('commands; the log: for each event'))
  for (const { title, depends, grows } of commands)
    console.log(row(title, depends, costs.get(title) ?? [], grows))
}

/** With arguments, only operations whose title or group has one of these texts; `commands`: only the commands. */
export const run = async (args: string[]): Promise<void> => {
  const named = operations.filter(
    ({ title, group }) =>
      args.length === 0 || args.some(text => title.includes(text) || group.includes(text)),
  )
  if (named.length > 0) await measureOperations(named)
  if (args.length === 0 || args.includes('commands')) await measureCommands()
}
