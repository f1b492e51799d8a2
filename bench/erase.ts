import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { newFolder } from './support/folder.ts'
import { load } from './support/load.ts'
import { makeLog } from './support/made-history.ts'
import { startPinger } from './support/pinger.ts'
import { cpuSecondsOf } from './support/process-use.ts'
import { adminToken, type Server, startOurs } from './support/server.ts'
import { percentile, short } from './support/stats.ts'
import { steadyLoad } from './support/steady-load.ts'

export const about = 'erasing many tasks, and retention of many, while echo tasks of other users run'

/** Echo tasks a second of the users who stay. */
const perSecond = 50
const factsPerTask = 7

const ask = async (server: Server, method: string, at: string) => {
  const headers = { authorization: `Bearer ${adminToken}` }
  const answer = await fetch(`${server.url}${at}`, { method, headers })
  return { status: answer.status, text: await answer.text() }
}

type Held = { p50: number; p99: number; longest: number }

/** Runs the load of other users while `work` runs, or for `seconds`. */
const heldDuring = async (server: Server, work: Promise<unknown>): Promise<Held & { unanswered: number }> => {
  const pinger = startPinger(server.url)
  let isDone = false
  const statuses: number[] = []
  const done = work.finally(() => {
    isDone = true
  })
  const lists = async () => {
    while (!isDone) {
      statuses.push((await ask(server, 'GET', '/v1/tasks?limit=5')).status)
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  }
  const times: { p50: number; p99: number }[] = []
  const loads = async () => {
    const all: number[] = []
    while (!isDone) {
      const { times: more } = await steadyLoad(server, { perSecond, seconds: 1 })
      all.push(...more)
    }
    times.push({ p50: percentile(all, 0.5), p99: percentile(all, 0.99) })
  }
  await Promise.all([done, lists(), loads()])
  const waits = await pinger.waits()
  await pinger.stop()
  const { p50, p99 } = times[0] ?? { p50: Number.NaN, p99: Number.NaN }
  return {
    p50,
    p99,
    longest: Math.max(...waits),
    unanswered: statuses.filter(status => status !== 200).length,
  }
}

const said = (what: string, { p50, p99, longest, unanswered }: Held & { unanswered: number }): void =>
  console.log(
    `  ${what.padEnd(8)}  p50 ${short(p50)} ms, p99 ${short(p99)} ms, longest wait of the loop ${short(longest)} ms, lists without an answer ${unanswered}`,
  )

const sleep = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

const alone = (server: Server) => heldDuring(server, sleep(6000))

const erasure = async (tasks: number, others: number, nodeArgs: string[]): Promise<void> => {
  const folder = newFolder(`erase-${tasks}`)
  await makeLog(folder, { events: others * factsPerTask })
  const server = await startOurs(folder, nodeArgs)
  await load(server, {
    clients: 32,
    amount: tasks,
    body: n =>
      JSON.stringify({
        user_message_content: `Message ${n}: ${'the quick brown fox jumps over the lazy dog '.repeat(4)}`,
        client_id: 'echo',
        user_id: 'leaver',
        session_id: `s${n}`,
        stream: false,
      }),
  })
  await alone(server)
  const before = await alone(server)
  const cpu = cpuSecondsOf(server.pid) ?? 0
  const began = performance.now()
  let seconds = 0
  const work = ask(server, 'DELETE', '/v1/users/leaver/data?reason=bench').then(({ status, text }) => {
    if (status !== 200) throw new Error(`${status} ${text}`)
    seconds = (performance.now() - began) / 1000
  })
  const during = await heldDuring(server, work)
  const used = (cpuSecondsOf(server.pid) ?? 0) - cpu
  console.log(`\nerasing ${tasks} tasks of one user, with ${others} tasks of others`)
  console.log(`  ratio     ${short(during.p99 / before.p99)} of the p99 alone`)
  said('during', during)
  said('alone', before)
  console.log(`  tasks     ${short(tasks / seconds)} a second (${short(seconds)} s, CPU ${short(used)} s)`)
  await server.stop()
}

const countOf = async (server: Server, metric: string): Promise<number> => {
  const { text } = await ask(server, 'GET', '/metrics')
  return Number(new RegExp(`^${metric} (\\d+)`, 'm').exec(text)?.[1])
}

const retention = async (tasks: number, nodeArgs: string[]): Promise<void> => {
  const folder = newFolder(`retention-${tasks}`)
  await makeLog(folder, { events: tasks * factsPerTask })
  await (await startOurs(folder)).stop() // makes the read models
  const rules = path.join(folder, 'retention.json')
  writeFileSync(rules, '[{"agent": "echo", "older_than_days": 0.0001}]')
  await sleep(10_000)
  const began = performance.now()
  const server = await startOurs(folder, nodeArgs, { RETENTION: rules })
  await sleep(2000) // what a start costs does not count
  let seconds = 0
  const work = (async () => {
    let pending = true
    while (pending) {
      await sleep(100)
      const erased = await countOf(server, 'reprise_retention_erased_total')
      pending = erased < tasks || (await countOf(server, 'reprise_erasures_pending')) > 0
    }
    seconds = (performance.now() - began) / 1000
  })()
  const during = await heldDuring(server, work)
  console.log(`\nretention of ${tasks} tasks`)
  said('during', during)
  console.log(`  tasks     ${short(tasks / seconds)} a second (${short(seconds)} s)`)
  await server.stop()
}

export const run = async (args: string[]): Promise<void> => {
  const [what = 'all', tasks = '10000', others = '20000', ...nodeArgs] = args
  if (what !== 'retention') await erasure(Number(tasks), Number(others), nodeArgs)
  if (what !== 'erasure') await retention(what === 'all' ? 100_000 : Number(tasks), nodeArgs)
}
