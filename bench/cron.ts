// What cron jobs cost that wait: heap and processor time of a server with 10,000 idle jobs, against the same server
// without them. And triggers a second, against plain creates a second.
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../src/platform/free-port.ts'
import { newFolder } from './support/folder.ts'
import { openHeap } from './support/heap.ts'
import { cpuSecondsOf } from './support/process-use.ts'
import { adminToken, type Server, startOurs } from './support/server.ts'
import { short } from './support/stats.ts'

export const about =
  'an idle cron job: bytes of heap and processor time; triggers a second against creates a second (no target)'

const jobs = Number(process.env.JOBS ?? 10_000)
const triggers = 2000
/** How long the processor time of an idle server is measured, in milliseconds. */
const idleMs = 10_000
/** Actors without work leave memory within this time, in milliseconds: they are no part of the cost of an idle job. */
const restMs = 70_000
const atOnce = 16
const task = { user_message_content: 'go', client_id: 'echo' }

const post = async ({ url }: Server, where: string, body: object): Promise<void> => {
  const answer = await fetch(`${url}/v1${where}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (answer.status !== 200) throw new Error(`${where}: ${answer.status} ${await answer.text()}`)
  await answer.arrayBuffer()
}
const postMany = async (server: Server, where: string, amount: number, body: object): Promise<number> => {
  const started = performance.now()
  let left = amount
  const work = async () => {
    while (left-- > 0) await post(server, where, body)
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return amount / ((performance.now() - started) / 1000)
}

/** The part of a processor that an idle server uses. */
const idleShare = async ({ pid }: Server): Promise<number> => {
  const before = cpuSecondsOf(pid) ?? Number.NaN
  await sleep(idleMs)
  return ((cpuSecondsOf(pid) ?? Number.NaN) - before) / (idleMs / 1000)
}

/** How many runs have begun, as the metrics say. */
const triggered = async ({ url }: Server): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/reprise_cron_runs_total\{outcome="triggered"\} (\d+)/.exec(text)?.[1] ?? 0)
}

export const run = async (): Promise<void> => {
  const port = await freePort()
  const server = await startOurs(newFolder('cron'), [`--inspect=127.0.0.1:${port}`])
  const heap = await openHeap(port)
  const create = { ...task, stream: false, background: true }
  const creates = await postMany(server, '/tasks', triggers, create)
  await sleep(restMs)
  const [heapBefore, shareBefore] = [await heap.kept(), await idleShare(server)]
  await postMany(server, '/cron/jobs', jobs, { name: 'idle', schedule: '@yearly', task })
  await sleep(restMs)
  const [heapAfter, shareAfter] = [await heap.kept(), await idleShare(server)]
  console.log(`\nan idle server with ${jobs.toLocaleString('en')} cron jobs`)
  console.log(`  heap       ${short(heapBefore)} -> ${short(heapAfter)} MiB, after a collection`)
  console.log(`  a job      ${short(((heapAfter - heapBefore) * 2 ** 20) / jobs)} bytes`)
  console.log(`  processor  ${short(shareBefore * 100)} -> ${short(shareAfter * 100)} %`)

  const at = Date.now() + 15_000
  await postMany(server, '/cron/jobs', triggers, { name: 'due', at: new Date(at).toISOString(), task })
  await sleep(Math.max(0, at - Date.now()))
  while ((await triggered(server)) < triggers) await sleep(20)
  const rate = triggers / ((Date.now() - at) / 1000)
  console.log(`  ${short(rate)} triggers a second, ${short(creates)} creates a second from ${atOnce} clients`)
  heap.close()
  await server.stop()
}
