// What cron jobs cost: the processor time of jobs that wait, and triggers a second against plain creates a
// second in the same process, on a log in memory.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { memoryStore } from '../src/log/memory-store.ts'
import { realWorld } from '../src/platform/world.ts'
import { admin, givenSystem } from '../test/support/system.ts'

const jobs = 10_000
const triggers = 2000
const idleMs = 5000
const folder = mkdtempSync(path.join(tmpdir(), 'reprise-bench-'))
const world = { ...realWorld(), advance: () => Promise.resolve() }
const system = await givenSystem({ world, store: memoryStore(), readModels: path.join(folder, 'read.db') })
const task = { user_message_content: 'go', client_id: 'echo' }
const make = (more: object) =>
  system.cron.commands.create(
    { principal: admin, requestId: 'bench' },
    { body: { name: 'job', task, ...more } as never, found: [] },
  )
let begun = 0
system.log.onCommit(events => {
  begun += events.filter(({ header }) => header.type === 'CronJobTriggered').length
})
/** The part of the time in which the process works, while nothing is due. */
const workWhileIdle = async (): Promise<number> => {
  const before = process.cpuUsage()
  await sleep(idleMs)
  const { user, system: kernel } = process.cpuUsage(before)
  return (user + kernel) / 1000 / idleMs
}

const started = performance.now()
for (let n = 0; n < triggers; n++) await system.create({ client_id: 'echo' })
const creates = triggers / ((performance.now() - started) / 1000)

await sleep(1000)
const withoutJobs = await workWhileIdle()
for (let n = 0; n < jobs; n++) await make({ schedule: '@yearly' })
// Actors leave memory within a minute; their memory is no part of the cost of an idle job.
await sleep(65_000)
const idleCpu = await workWhileIdle()

const due = new Date(Date.now() + 10_000).toISOString()
for (let n = 0; n < triggers; n++) await make({ at: due })
await sleep(Math.max(0, Date.parse(due) - Date.now()))
const from = performance.now()
while (begun < triggers) await sleep(10)
const perSecond = triggers / ((performance.now() - from) / 1000)
console.log(
  JSON.stringify({ jobs, withoutJobs, idleCpu, creates, triggers: perSecond, ratio: perSecond / creates }),
)
await system.close()
rmSync(folder, { recursive: true, force: true })
