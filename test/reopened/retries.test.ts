// Retries without a key of requests whose writes failed although they were stored. Equal requests were carried out
// before, and their answers have arrived.
import t from 'tap'
import { rested } from '../actors/journal/kills.ts'
import { asked, noRetry } from '../cron/jobs.ts'
import { admin, failingStore, givenSystem, type TestSystem } from '../support/system.ts'

type Way = {
  /** Returns a function that sends the request. */
  prepare(system: TestSystem): Promise<(isRetry: boolean) => Promise<unknown>>
  /** The event that the request stores. */
  event: string
}
const job = { name: 'job', schedule: '0 0 1 1 *', task: { user_message_content: 'go' } }
const makeJob = ({ cron }: TestSystem, isRetry: boolean) =>
  cron.commands.create(asked, { body: job, found: [] }, { ...noRetry, isRetry })

const ways: Record<string, Way> = {
  'a create': {
    prepare: async system => isRetry => system.create({}, { isRetry }),
    event: 'TaskCreated',
  },
  'a fork': {
    async prepare(system) {
      const id = await system.create({})
      return isRetry => system.commands.fork(admin, id, 'req', { at: 1 }, { key: undefined, isRetry })
    },
    event: 'TaskCreated',
  },
  'a create of a cron job': {
    prepare: async system => isRetry => makeJob(system, isRetry),
    event: 'CronJobCreated',
  },
  'a run of a cron job': {
    async prepare(system) {
      const { row } = await makeJob(system, false)
      return isRetry => system.cron.commands.trigger(asked, row.id, { ...noRetry, isRetry })
    },
    event: 'CronJobTriggered',
  },
}

for (const [name, { prepare, event }] of Object.entries(ways)) {
  t.test(`a retry of ${name} finds what is stored`, async t => {
    const { store, failNext } = failingStore()
    const system = await givenSystem({ store })
    const send = await prepare(system)
    const count = async () => (await system.stored()).filter(({ header }) => header.type === event).length
    await send(false)
    await rested(system)
    failNext('kept')
    await t.rejects(send(false), /could not be written/)
    await rested(system)
    const before = await count()
    await send(true)
    t.equal(await count(), before)
    await system.close()
  })
}
