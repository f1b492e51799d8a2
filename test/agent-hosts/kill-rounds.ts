// Tasks of users' agents while their server, their hosts and a worker are killed at random moments: each task must come to the
// same end, no side effect may happen twice, and what a client has read of a stream must stay as it was. Used by kills.test.ts
// and by the soak test.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type Api, launch, type ServerProcess } from '../support/server.ts'
import { randomOf } from '../support/world.ts'

const support = path.join(import.meta.dirname, 'support')
const sleep = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

type Victim = 'server' | 'host' | 'worker'
type Task = {
  id: string
  status: string
  metadata: { reason?: string }
  input_required?: { call_id: string }
  error?: unknown
  output: { message_content?: { text: string }[] }[]
}
/** What an answer of the agent must be. */
const expected = JSON.stringify(['1', 0, '2', 1, 'blue', '3', 2, '4', 3])

/** The processes whose command line has a text. */
const processesWith = (text: string): number[] =>
  readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .filter(pid => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text)
      } catch {
        return false // it has ended
      }
    })
    .map(Number)

/** The frames in what a stream has sent, by their numbers. The end of a stream that was cut does not count. */
const framesIn = (text: string): Map<string, string> =>
  new Map(
    text
      .split('\n\n')
      .slice(0, -1)
      .flatMap(part => {
        const [, id] = part.match(/^id: (\d+)$/m) ?? []
        const at = part.indexOf('"result":')
        return id === undefined || at < 0 ? [] : [[id, part.slice(at)] as const]
      }),
  )

/** `tasks`: how many there are at a time. `between`: the longest time between two kills, in milliseconds. */
export const agentKills = async (options: {
  dataDir: string
  seed: number
  kills: number
  tasks: number
  between: number
  victims: readonly Victim[]
  onKill?: (n: number) => void
}) => {
  const { seed, kills, victims } = options
  const random = randomOf(seed)
  const file = path.join(options.dataDir, 'effects')
  const agents = path.join(options.dataDir, 'agents')
  const dataDir = path.join(options.dataDir, 'data')
  mkdirSync(agents, { recursive: true })
  cpSync(path.join(support, 'agents'), agents, { recursive: true })
  const env = { AGENT_PATH: agents, ENV_UID_BASE: '0', LOG_LEVEL: 'error', DRAIN_SECONDS: '0' }
  const problems: string[] = []
  const seen = { server: 0, host: 0, worker: 0, ended: 0, resumed: 0, frames: 0 }

  let server: ServerProcess = await launch(dataDir, env)
  let isOver = false
  const made = await server.api('POST', '/auth/tokens', { role: 'worker' })
  const { token } = (await made.json()) as { token: string }
  let worker: ChildProcess | undefined
  const startWorker = () => {
    worker = spawn(process.execPath, [path.join(support, 'errands-worker.mjs')], {
      env: { PATH: process.env.PATH, URL: server.url, TOKEN: token },
      stdio: 'ignore',
    })
  }
  const hasWorker = victims.includes('worker')
  const names = hasWorker ? ['errands', 'remote'] : ['errands']
  // The port stays the same, since the worker comes back to it.
  const port = new URL(server.url).port
  if (hasWorker) startWorker()

  /** Asks until the server answers, however often it dies meanwhile. */
  const insist = async (...given: Parameters<Api>): Promise<{ status: number; body: unknown }> => {
    for (;;) {
      try {
        const answer = await server.api(...given)
        const body: unknown = await answer.json()
        if (answer.status < 500) return { status: answer.status, body }
      } catch {} // the server has died
      await sleep(100)
    }
  }
  const taskOf = ({ body }: { body: unknown }) => (body as { result: Task }).result

  /** What a stream says within some time. */
  const streamOf = async (id: string, ms: number): Promise<Map<string, string>> => {
    let text = ''
    try {
      const headers = { accept: 'text/event-stream', authorization: 'Bearer test-admin-token' }
      const answer = await fetch(`${server.url}/v1/tasks/${id}/events`, {
        headers,
        signal: AbortSignal.timeout(ms),
      })
      for await (const chunk of (answer.body ?? []) as AsyncIterable<Uint8Array>)
        text += Buffer.from(chunk).toString()
    } catch {} // the time is over, or the server has died
    return framesIn(text)
  }

  const effectsOf = (id: string): string[] =>
    existsSync(file)
      ? readFileSync(file, 'utf8')
          .split('\n')
          .filter(line => line.startsWith(`${id} `))
      : []

  const judge = async (task: Task, before: ReadonlyMap<string, string>, resumed: number) => {
    const answer = task.output.at(-1)?.message_content?.[0]?.text
    if (task.status !== 'completed' || answer !== expected)
      problems.push(`${task.id} is ${task.status} with ${answer} ${JSON.stringify(task.error)}`)
    const effects = effectsOf(task.id)
    const different = new Set(effects).size
    if (different !== 4) problems.push(`${task.id} has ${different} of 4 side effects`)
    if (effects.length - different > resumed)
      problems.push(
        `${task.id} has ${effects.length - different} side effects twice, and was resumed ${resumed} times`,
      )
    const after = await streamOf(task.id, 10_000)
    for (const [id, frame] of before)
      if (after.get(id) !== frame)
        problems.push(`frame ${id} of ${task.id} was ${frame}, is ${after.get(id)}`)
    seen.frames += before.size
    seen.ended++
  }

  const open = new Set<string>()
  /** The life of one task, as its client sees it. */
  const follow = async (name: string, n: number): Promise<void> => {
    const id = `task_${seed}_${name}_${n}`
    const body = {
      ...{ task_id: id, user_message_content: JSON.stringify({ file }), stream: false, background: true },
      agent_config: { agent_id: name },
    }
    const before = new Map<string, string>()
    let resumed = 0
    open.add(id)
    for (;;) {
      const created = await insist('POST', '/tasks', body)
      if (created.status < 300) break
      // No worker has connected yet.
      await sleep(200)
    }
    for (;;) {
      const task = taskOf(await insist('GET', `/tasks/${id}`))
      if (['completed', 'failed', 'canceled', 'expired'].includes(task.status)) {
        open.delete(id)
        return judge(task, before, resumed)
      }
      for (const [key, frame] of await streamOf(id, 200)) before.set(key, frame)
      if (task.status === 'input-required') {
        const tool_results = [{ call_id: task.input_required?.call_id, message_content: 'blue' }]
        await insist('POST', `/tasks/${id}/input`, { tool_results })
      } else if (task.status === 'paused') {
        if (task.metadata.reason !== 'outcome_unknown')
          problems.push(`${id} is paused: ${JSON.stringify(task.metadata)}`)
        resumed++
        seen.resumed++
        await insist('POST', `/tasks/${id}/resume`, {})
      }
    }
  }
  const follows = Array.from({ length: options.tasks }, async (_, from) => {
    for (let n = from; !isOver; n += options.tasks) await follow(names[n % names.length] ?? '', n)
  })

  const killOne: Record<Victim, () => Promise<void>> = {
    async server() {
      await server.end('SIGKILL')
      server = await launch(dataDir, { ...env, PORT: port })
    },
    async host() {
      for (const pid of processesWith(path.join(agents, 'errands.mjs')))
        try {
          process.kill(pid, 'SIGKILL')
        } catch {} // it has ended by itself
    },
    async worker() {
      const exited = worker && once(worker, 'exit')
      worker?.kill('SIGKILL')
      await exited
      startWorker()
    },
  }
  try {
    let inRow = 0
    for (let n = 0; n < kills; n++) {
      await sleep(random() * options.between)
      // A task fails when its hosts die four times before it comes any further. A server that starts again counts anew.
      const chosen = victims[Math.floor(random() * victims.length)] as Victim
      const victim = inRow === 3 && chosen !== 'server' ? 'server' : chosen
      inRow = victim === 'server' ? 0 : inRow + 1
      await killOne[victim]()
      seen[victim]++
      options.onKill?.(n + 1)
    }
    isOver = true
    const late = sleep(60_000).then(() => 'late')
    if ((await Promise.race([Promise.all(follows), late])) === 'late')
      problems.push(`these tasks have not come to an end: ${[...open].join(', ')}`)
  } finally {
    isOver = true
    worker?.kill('SIGKILL')
    await server.end('SIGKILL')
  }
  return { problems, ...seen }
}
