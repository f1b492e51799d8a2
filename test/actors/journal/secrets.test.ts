// Secrets of requests while the disk fails: what a stored task needs is never removed.
import t from 'tap'
import type { ScriptStep } from '../../../src/contract/wire.ts'
import { admin, failingStore, givenSystem, type TestSystem } from '../../support/system.ts'
import { clientTool } from '../../support/tools.ts'
import { rested } from './kills.ts'

const waits: ScriptStep[] = [{ tool: 'ask' }, { message: 'done' }]
const withSecret = { client_tools: [clientTool('ask')], env: { KEY: 'value' } }
const refs = ({ options }: TestSystem) => options.secrets.refs()

/** Each makes something with one secret value. `first`: a task that is there before. */
const ways: Record<string, (system: TestSystem, first: string) => Promise<unknown>> = {
  'a task': system => system.play(waits, withSecret),
  'a fork': (system, first) =>
    system.commands.fork(admin, first, 'req', { at: 1 }, { key: undefined, isRetry: false }),
}

const given = async () => {
  const { store, failNext } = failingStore()
  const system = await givenSystem({ store })
  const first = await system.play(waits, withSecret)
  await rested(system)
  return { system, failNext, first, count: refs(system).length }
}

for (const [name, make] of Object.entries(ways)) {
  t.test(`${name} that is stored although its write failed keeps its secrets`, async t => {
    const { system, failNext, first, count } = await given()
    failNext('kept')
    await t.rejects(make(system, first), /could not be written/)
    await rested(system)
    t.equal(refs(system).length, count + 1)
    await system.close()
  })

  t.test(`${name} that is made while the log is opened again keeps its secrets`, async t => {
    const { system, failNext, first, count } = await given()
    failNext('lost')
    await t.rejects(system.create({}), /could not be written/)
    await make(system, first)
    await rested(system)
    t.equal(refs(system).length, count + 1)
    await system.close()
  })
}
