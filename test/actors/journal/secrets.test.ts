// Secrets of requests while the disk fails: what a stored task needs is never removed. And what a request holds whose
// secrets cannot be stored.
import t from 'tap'
import { StorageFailure } from '../../../src/contract/stored.ts'
import type { ScriptStep } from '../../../src/contract/wire.ts'
import { noQuotas } from '../../../src/fairness/quotas.ts'
import { noRetry } from '../../cron/jobs.ts'
import { admin, failingStore, givenSystem, memorySecrets, type TestSystem } from '../../support/system.ts'
import { clientTool } from '../../support/tools.ts'
import { rested } from './kills.ts'

const waits: ScriptStep[] = [{ tool: 'ask' }, { message: 'done' }]
const withSecret = { client_tools: [clientTool('ask')], env: { KEY: 'value' } }
const refs = ({ options }: TestSystem) => options.secrets.refs()

const asked = { principal: admin, requestId: 'req' }
const agent_config = { agent_id: 'script', script: waits }
const job = {
  name: 'job',
  schedule: '0 0 1 1 *',
  task: { user_message_content: 'go', ...withSecret, agent_config },
}

type Given = { system: TestSystem; first: string; jobId: string }
/** Each makes something with one secret value. There are already a task that waits, and a cron job. */
const ways: Record<string, (given: Given) => Promise<unknown>> = {
  'a task': ({ system }) => system.play(waits, withSecret),
  'a fork': ({ system, first }) =>
    system.commands.fork(admin, first, 'req', { at: 1 }, { key: undefined, isRetry: false }),
  'a run of a cron job': ({ system, jobId }) => system.cron.commands.trigger(asked, jobId, noRetry),
}

const given = async () => {
  const { store, failNext } = failingStore()
  const system = await givenSystem({ store })
  const first = await system.play(waits, withSecret)
  const { row } = await system.cron.commands.create(asked, { body: job, found: [] }, noRetry)
  await rested(system)
  return { system, failNext, first, jobId: row.id, count: refs(system).length }
}

for (const [name, make] of Object.entries(ways)) {
  t.test(`${name} that is stored although its write failed keeps its secrets`, async t => {
    const { failNext, count, ...there } = await given()
    const { system } = there
    failNext('kept')
    await t.rejects(make(there), /could not be written/)
    await rested(system)
    t.equal(refs(system).length, count + 1)
    await system.close()
  })

  t.test(`${name} that is made while the log is opened again keeps its secrets`, async t => {
    const { failNext, count, ...there } = await given()
    const { system } = there
    failNext('lost')
    await t.rejects(system.create({}), /could not be written/)
    await make(there)
    await rested(system)
    t.equal(refs(system).length, count + 1)
    await system.close()
  })
}

t.test('a create whose secrets cannot be stored does not count in the quota', async t => {
  const secrets = memorySecrets()
  let isFull = true
  const put: typeof secrets.put = (ref, values) => {
    if (isFull) throw new StorageFailure('secret values cannot be stored')
    secrets.put(ref, values)
  }
  const system = await givenSystem({ quotas: { ...noQuotas, tasks: 1 }, secrets: { ...secrets, put } })
  const principal = { id: 'tok-ann', role: 'user', userId: 'ann', expiresAt: undefined } as const
  const create = () => system.create({ env: { KEY: 'value' } }, { principal })
  for (let n = 0; n < 2; n++) await t.rejects(create(), /cannot be stored/)
  isFull = false
  await create()
  await system.close()
})
