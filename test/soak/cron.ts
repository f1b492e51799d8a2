// Ten thousand jobs that are due in one second: each runs once, at most as many tasks run at a time as the operator
// allows, and the server still answers others. JOBS=n changes the number.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { flawsOf, storedEvents } from '../server/stored-log.ts'
import { ask, createTask, sleep } from '../server/wire.ts'
import { apiOf, launch } from '../support/server.ts'

const jobs = Number(process.env.JOBS ?? 10_000)
const places = 32
const atOnce = 16
/** Time to make the jobs before they are due, in milliseconds for each job. */
const msForJob = 15
/** The longest time until all runs have ended, in milliseconds. */
const patience = 600_000
/** The longest answer to another user that passes, in milliseconds. */
const slowest = 5000

const dataDir = mkdtempSync(path.join(tmpdir(), 'reprise-cron-'))
const server = await launch(dataDir, {
  MAX_RUNNING_TASKS: `${places}`,
  QUOTA_CRON_JOBS: `${jobs}`,
  QUOTA_TASKS: `${2 * jobs}`,
})
const userNamed = async (user_id: string) => {
  const { token } = await ask<{ token: string }>(server.api, 'POST', '/auth/tokens', {
    role: 'user',
    user_id,
  })
  return apiOf(server.url, token)
}
const [owner, other] = [await userNamed('owner'), await userNamed('other')]
const problems: string[] = []

const due = Date.now() + 10_000 + jobs * msForJob
const task = {
  user_message_content: 'go',
  agent_config: { agent_id: 'script', script: [{ sleep_ms: 10 }, { message: 'done' }] },
}
const body = { name: 'due', at: new Date(due).toISOString(), task }
let left = jobs
const make = async () => {
  while (left-- > 0) await ask(owner, 'POST', '/cron/jobs', body)
}
const started = Date.now()
await Promise.all(Array.from({ length: atOnce }, make))
const madeIn = Date.now() - started
const over = await owner('POST', '/cron/jobs', body)
if (over.status !== 429) problems.push(`a job beyond the limit got ${over.status}`)
if (Date.now() > due) problems.push('the jobs were not made in time')
await sleep(Math.max(0, due - Date.now() - 1000))

/** Other users meanwhile: how long each answer took, in milliseconds. */
const waits: Record<'healthz' | 'echo', number[]> = { healthz: [], echo: [] }
let isOver = false
const timed = async (into: number[], work: () => Promise<unknown>, everyMs: number) => {
  while (!isOver) {
    const asked = performance.now()
    await work()
    into.push(performance.now() - asked)
    await sleep(everyMs)
  }
}
const others = [
  timed(waits.healthz, () => fetch(`${server.url}/healthz`).then(answer => answer.text()), 20),
  timed(waits.echo, () => createTask(other, { user_message_content: 'x', client_id: 'echo' }), 100),
]
let mostRunning = 0
const counts = async () => {
  const { tasks } = (await (await fetch(`${server.url}/readyz`)).json()) as { tasks: { running: number } }
  mostRunning = Math.max(mostRunning, tasks.running)
  const text = await (await fetch(`${server.url}/metrics`)).text()
  const of = (outcome: string) =>
    Number(new RegExp(`reprise_cron_runs_total\\{outcome="${outcome}"\\} (\\d+)`).exec(text)?.[1] ?? 0)
  return { triggered: of('triggered'), ended: of('completed') + of('failed') }
}
let triggeredIn = 0
for (;;) {
  const { triggered, ended } = await counts()
  if (triggered >= jobs && triggeredIn === 0) triggeredIn = Date.now() - due
  if (ended >= jobs || Date.now() - due > patience) break
  await sleep(50)
}
const endedIn = Date.now() - due
isOver = true
await Promise.all(others)
const [code] = await server.end('SIGTERM')
if (code !== 0) problems.push(`the stop ended with ${code}: ${server.output().slice(-1000)}`)

const events = storedEvents(dataDir)
const streamsOf = (type: string) => events.filter(event => event.type === type).map(({ stream }) => stream)
for (const type of ['CronJobCreated', 'CronJobTriggered', 'CronJobCompleted', 'CronJobEnded']) {
  const streams = streamsOf(type).filter(stream => stream.startsWith('cron-'))
  if (streams.length !== jobs || new Set(streams).size !== jobs) {
    problems.push(`${streams.length} ${type} of ${new Set(streams).size} jobs`)
  }
}
problems.push(...flawsOf(dataDir))
if (mostRunning > places) problems.push(`${mostRunning} tasks ran at a time`)
const seen = Object.fromEntries(
  Object.entries(waits).map(([name, all]) => {
    const sorted = all.toSorted((a, b) => a - b)
    const at = (part: number) => Math.round(sorted[Math.floor((sorted.length - 1) * part)] ?? 0)
    if (at(1) > slowest) problems.push(`${name} of another user took ${at(1)} ms`)
    return [name, { count: sorted.length, p50: at(0.5), p99: at(0.99), most: at(1) }]
  }),
)
console.log(`cron: ${JSON.stringify({ jobs, madeIn, triggeredIn, endedIn, mostRunning, ...seen })}`)
for (const problem of problems) console.log(`cron: ${problem}`)
if (problems.length === 0) rmSync(dataDir, { recursive: true })
else console.log(`cron: the data folder is kept: ${dataDir}`)
process.exitCode = problems.length === 0 ? 0 : 1
