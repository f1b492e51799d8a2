// Several requests have the same idempotency key and overlap. The write of the first request fails, but the disk has its
// events. The other requests wait for the first one, and must not do its work again.
import t from 'tap'
import { isBehind } from '../../../src/contract/refusals.ts'
import { StorageFailure } from '../../../src/contract/stored.ts'
import type { OutputItem } from '../../../src/contract/wire.ts'
import { noRetry } from '../../cron/jobs.ts'
import { admin, failingStore, givenSystem, type TestSystem } from '../../support/system.ts'
import { clientTool } from '../../support/tools.ts'
import { settle } from '../../support/world.ts'
import { rested } from './kills.ts'

/** Asks again until there is an answer, as a client does that gets 503. */
const insisting = async (ask: () => Promise<unknown>): Promise<unknown> => {
  for (let n = 0; n < 20; n++) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof StorageFailure || isBehind(error))) throw error
      await settle() // so that requests that have waited come first
    }
  }
  throw new Error('no answer to twenty calls')
}

type Way = {
  /** Returns a function that sends the request with the key `k`. */
  prepare(system: TestSystem): Promise<() => Promise<unknown>>
  /** The event that the request stores. */
  event: string
}
const asked = { principal: admin, requestId: 'req' }
const withKey = { key: 'k', isRetry: false }
const cronRetry = { ...noRetry, key: 'k' }
const asks = [{ tools: [{ tool: 'ask', arguments: {} }] }, { message: 'done' }]

const ways: Record<string, Way> = {
  'a create': {
    prepare: async system => () => system.create({}, { key: 'k' }),
    event: 'TaskCreated',
  },
  'a create that continues a task which waits': {
    async prepare(system) {
      const id = await system.play(asks, { client_tools: [clientTool('ask')], session_id: 's' })
      await rested(system)
      const call_id = system
        .get(id)
        .output.flatMap((item: OutputItem) => (item.type === 'tool_call' ? [item.call_id] : []))[0]
      const result = {
        type: 'tool_result' as const,
        call_id: call_id ?? '',
        message_content: 'yes',
        block_list: [],
      }
      return () => system.create({ session_id: 's', history_messages: [result] }, { key: 'k' })
    },
    event: 'TaskCreated',
  },
  'a message': {
    async prepare(system) {
      const id = await system.play(asks, { client_tools: [clientTool('ask')] })
      return () => system.commands.message(admin, id, 'req', 'on', withKey).then(() => id)
    },
    event: 'InputAccepted',
  },
  'a fork': {
    async prepare(system) {
      const id = await system.create({})
      return async () => {
        const forked = await system.commands.fork(admin, id, 'req', { at: 1 }, withKey)
        return 'made' in forked ? forked.made.created?.task_id : forked.replay.id
      }
    },
    event: 'TaskCreated',
  },
  'a create of a cron job': {
    prepare: async system => async () => {
      const body = { name: 'job', schedule: '0 0 1 1 *', task: { user_message_content: 'go' } }
      return (await system.cron.commands.create(asked, { body, found: [] }, cronRetry)).row.id
    },
    event: 'CronJobCreated',
  },
  'a run of a cron job': {
    async prepare(system) {
      const body = { name: 'job', schedule: '0 0 1 1 *', task: { user_message_content: 'go' } }
      const { row } = await system.cron.commands.create(asked, { body, found: [] }, noRetry)
      return async () => (await system.cron.commands.trigger(asked, row.id, cronRetry)).run?.id
    },
    event: 'CronJobTriggered',
  },
  'a create of a webhook': {
    prepare: async system => async () => {
      const given = { body: { url: 'https://x.example/' }, found: [] }
      return (await system.webhooks.commands.create(asked, given, 'k')).webhook.id
    },
    event: 'WebhookCreated',
  },
}

for (const [name, { prepare, event }] of Object.entries(ways)) {
  t.test(`${name} is carried out once`, async t => {
    const { store, failNext } = failingStore()
    const system = await givenSystem({ store })
    const ask = await prepare(system)
    await rested(system)
    const count = async () => (await system.stored()).filter(({ header }) => header.type === event).length
    const before = await count()
    failNext('kept')
    const answers = Promise.all([insisting(ask), insisting(ask), insisting(ask)])
    await rested(system)
    const [first, ...others] = await answers
    for (const other of others) t.same(other, first)
    t.equal((await count()) - before, 1)
    await system.close()
  })
}
