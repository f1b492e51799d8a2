// One user asks for a hundred large answers of all kinds at once. The work of another user must hardly be slower.
import { newFolder } from './support/folder.ts'
import { cpuSecondsOf, residentOf } from './support/process-use.ts'
import { adminToken, type Server, startOurs } from './support/server.ts'
import { short } from './support/stats.ts'

export const about = "a hundred large answers at once: another user's /healthz and echo tasks, and memory"

const tasks = 30
const mebibytes = 10
const atOnce = 100
const targets = { healthMs: 200, memoryMiB: 1024 }

const tokenFor = async (server: Server, user_id: string): Promise<string> => {
  const answer = await fetch(`${server.url}/v1/auth/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ user_id, role: 'user' }),
  })
  return ((await answer.json()) as { token: string }).token
}

const callerOf =
  ({ url }: Server, token: string) =>
  (method: string, path: string, { body, accept }: { body?: unknown; accept?: string } = {}) =>
    fetch(`${url}/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(accept === undefined ? {} : { accept }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
type Caller = ReturnType<typeof callerOf>

const made = async (call: Caller): Promise<string[]> => {
  const ids: string[] = []
  const user_message_content = 'x'.repeat(mebibytes * 1024 * 1024)
  for (let n = 0; n < tasks; n++) {
    const body = { client_id: 'echo', user_message_content, stream: false, background: true }
    const answer = await call('POST', '/tasks', { body })
    const { result } = (await answer.json()) as { result: { id: string } }
    ids.push(result.id)
  }
  const open = async () =>
    (await (await call('GET', '/tasks?limit=1&status=working&status=queued&status=created')).text()).includes(
      '"object":"task"',
    )
  while (await open()) await new Promise(resolve => setTimeout(resolve, 50))
  return ids
}

/** The n-th of the hundred requests. */
const asked = (n: number, ids: string[]): [method: string, path: string, accept?: string] => {
  const id = ids[n % ids.length]
  const kinds: [string, string, string?][] = [
    ['GET', '/tasks?limit=20'],
    ['GET', `/tasks/${id}`],
    ['GET', `/tasks/${id}/events?limit=1000`],
    ['GET', `/tasks/${id}/events?limit=1000&after=5`],
    ['GET', `/tasks/${id}/events`, 'text/event-stream'],
    ['GET', `/tasks/${id}?as_of=8`],
    ['GET', `/tasks/${id}/rollouts`],
    ['GET', `/tasks/${id}/rollouts?format=atif`],
    ['GET', '/rollouts?limit=10'],
    ['GET', `/audit/events?stream=task-${id}&limit=1000`],
    ['GET', '/audit/events?limit=5', 'application/x-ndjson'],
    ['POST', `/tasks/${id}/replay`],
  ]
  return kinds[n % kinds.length] as [string, string, string?]
}

/** Reads an answer to the end and drops it. Resolves to the number of bytes. */
const drained = async (answer: Response): Promise<number> => {
  let bytes = 0
  for await (const chunk of answer.body ?? []) bytes += (chunk as Uint8Array).length
  return bytes
}

const percentile = (times: number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN

/** Repeats a request until it is stopped, and collects the milliseconds of each. */
const probe = (ask: () => Promise<unknown>, everyMs: number) => {
  const times: number[] = []
  let isOver = false
  const done = (async () => {
    while (!isOver) {
      const began = performance.now()
      await ask()
      times.push(performance.now() - began)
      await new Promise(resolve => setTimeout(resolve, everyMs))
    }
  })()
  return {
    async stop(): Promise<number[]> {
      isOver = true
      await done
      return times
    },
  }
}

export const run = async (): Promise<void> => {
  const server = await startOurs(newFolder('large-answers'))
  const [greedy, other] = [
    callerOf(server, await tokenFor(server, 'greedy')),
    callerOf(server, await tokenFor(server, 'other')),
  ]
  const ids = await made(greedy)
  const before = residentOf(server.pid) ?? Number.NaN
  console.log(
    `\n${atOnce} large answers at once, of ${tasks} tasks of ${mebibytes} MiB (${short(before)} MiB before)`,
  )

  const health = probe(() => fetch(`${server.url}/healthz`).then(answer => answer.text()), 5)
  const body = { client_id: 'echo', user_message_content: 'hi', stream: false }
  const echo = probe(() => other('POST', '/tasks', { body }).then(answer => answer.text()), 20)
  let most = before
  const watch = setInterval(() => {
    most = Math.max(most, residentOf(server.pid) ?? 0)
  }, 20)
  const cpu = cpuSecondsOf(server.pid) ?? Number.NaN
  const began = performance.now()
  const statuses = new Map<string, number>()
  let bytes = 0
  await Promise.all(
    Array.from({ length: atOnce }, async (_, n) => {
      const [method, path, accept] = asked(n, ids)
      const outcome = await greedy(method, path, accept === undefined ? {} : { accept })
        .then(async answer => {
          const read = await drained(answer)
          bytes += read
          return String(answer.status)
        })
        .catch(() => 'broken')
      statuses.set(outcome, (statuses.get(outcome) ?? 0) + 1)
    }),
  )
  const seconds = (performance.now() - began) / 1000
  const cpuSeconds = (cpuSecondsOf(server.pid) ?? Number.NaN) - cpu
  clearInterval(watch)
  const [healthTimes, echoTimes] = [await health.stop(), await echo.stop()]
  const p99 = percentile(healthTimes, 0.99)
  const said = (ok: boolean) => (ok ? 'met' : 'MISSED')
  const counts = [...statuses].map(([status, count]) => `${count} x ${status}`).join(', ')
  console.log(
    `  answers    ${counts}; ${short(bytes / 1024 / 1024)} MiB in ${short(seconds)} s, ${short(cpuSeconds)} s of CPU`,
  )
  console.log(
    `  /healthz   p50 ${short(percentile(healthTimes, 0.5))} ms, p99 ${short(p99)} ms, most ${short(Math.max(...healthTimes))} ms, of ${healthTimes.length}` +
      ` (target: p99 below ${targets.healthMs} ms, ${said(p99 < targets.healthMs)})`,
  )
  console.log(
    `  echo       p50 ${short(percentile(echoTimes, 0.5))} ms, p99 ${short(percentile(echoTimes, 0.99))} ms, of ${echoTimes.length}`,
  )
  console.log(
    `  memory     ${short(most)} MiB at most (target: below ${targets.memoryMiB} MiB, ${said(most < targets.memoryMiB)})`,
  )
  await server.stop()
}
