// Saved folds in the streams of cron jobs: a job with a long history is loaded from the newest one, and is the same.
import t from 'tap'
import { cronEvents } from '../../src/contract/decoders/cron.ts'
import { restoredCronJob, savedEvery } from '../../src/history/cron-fold.ts'
import { emptyCronJob, evolveCronJob } from '../../src/history/cron-job.ts'
import { admin, crashed, givenSystem, quiet, type TestSystem } from '../support/system.ts'
import { randomOf } from '../support/world.ts'
import { asked, dataOf, givenJob, noRetry, settableWorld } from './jobs.ts'

const eventsOf = async ({ stored }: TestSystem, id: string) =>
  (await stored()).filter(({ header }) => header.stream === `cron-${id}`)

/** A log in which a stream has only its first events. */
const upTo = (events: Awaited<ReturnType<typeof eventsOf>>, length: number) => ({
  revisionOf: () => length - 1,
  async *readStream(_: string, after = -1) {
    yield events.slice(Math.max(0, after + 1), length)
  },
})

/** Does something to a job, as a caller or the clock would. */
const disturb = async (system: TestSystem, id: string, random: () => number): Promise<void> => {
  const { commands } = system.cron
  const acts: (() => Promise<unknown>)[] = [
    () => commands.pause(asked, id),
    () => commands.resume(asked, id),
    () => commands.trigger(asked, id, noRetry),
    () => commands.trigger(asked, id, noRetry),
    () => commands.change(asked, id, { body: { jitter_seconds: Math.floor(random() * 9) }, found: [] }),
  ]
  await acts[Math.floor(random() * acts.length)]?.()
}

t.test(
  'from every point of a long stream, the saved fold and what follows it give the view of the whole stream',
  async t => {
    const world = settableWorld('2026-06-01T12:00:00Z')
    const system = await givenSystem({ world })
    const random = randomOf(7)
    const script = [{ sleep_ms: 20_000 }, { message: 'done' }]
    const task = { user_message_content: 'go', agent_config: { agent_id: 'script', script } }
    const id = await givenJob(system, { every_seconds: 30, overlap: 'allow', task } as never)
    for (let n = 0; n < 2 * savedEvery; n++) {
      await disturb(system, id, random)
      if (n % 10 === 0) await world.advance(3000)
    }
    const events = await eventsOf(system, id)
    t.ok(dataOf(events, 'CronFoldSaved').length >= 2)
    const whole = emptyCronJob()
    let restored = 0
    for (const [n, event] of events.entries()) {
      evolveCronJob(whole, cronEvents.read(event))
      if (n % 23 !== 0 && n !== events.length - 1) continue
      const log = upTo(events, n + 1)
      const view = await restoredCronJob(log, `cron-${id}`)
      if (view.revision >= 0) restored++
      for await (const page of log.readStream('', view.revision)) {
        for (const later of page) evolveCronJob(view, cronEvents.read(later))
      }
      t.strictSame(view, whole)
    }
    t.ok(restored > 5)
    await system.close()
  },
)

t.test(
  'a killed server loads a long job from its saved fold: open runs end once, and waiting runs begin',
  async t => {
    const world = settableWorld('2026-06-01T12:00:00Z')
    let system = await givenSystem({ world })
    const script = [{ sleep_ms: 5000 }, { message: 'done' }]
    const task = { user_message_content: 'go', agent_config: { agent_id: 'script', script } }
    const id = await givenJob(system, { schedule: '@yearly', overlap: 'queue', task } as never)
    await system.cron.commands.trigger(asked, id, noRetry)
    await system.cron.commands.trigger(asked, id, noRetry)
    for (let n = 0; n < savedEvery / 2 + 5; n++) {
      await system.cron.commands.pause(asked, id)
      await system.cron.commands.resume(asked, id)
    }
    t.equal(dataOf(await eventsOf(system, id), 'CronFoldSaved').length, 1)
    system = await crashed(system)
    await world.advance(20_000)
    await quiet(system)
    const ended = dataOf(await eventsOf(system, id), 'CronJobCompleted').map(({ run_id }) => run_id)
    t.equal(new Set(ended).size, 2)
    t.equal(ended.length, 2)
    t.equal(system.cron.queries.visible(admin, id).state, 'active')
    await system.close()
  },
)
