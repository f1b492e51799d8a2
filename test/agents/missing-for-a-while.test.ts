// Tasks whose agent is missing after a restart, for example because the server was started without the settings of the
// model: they wait, and go on by themselves when a later start has the agent.
import t from 'tap'
import type { Agent } from '../../src/contract/agent.ts'
import type { Report } from '../../src/contract/ports.ts'
import { givenSystem, quiet, restarted } from '../support/system.ts'

const answering: Agent = {
  name: 'mine',
  async *step() {
    yield { say: 'delta', item: 'message', part: 'output_text', text: 'done' }
    return { end: 'answer' }
  },
}
/** Its first step never ends. */
const hanging: Agent = {
  name: 'mine',
  async *step({ signal }) {
    await new Promise<void>(resolve => signal.addEventListener('abort', () => resolve()))
    return { end: 'again' }
  },
}
const mine = { client_id: 'mine' }

t.test('a task whose agent was missing at one start goes on when the agent is back', async t => {
  const said: [string, unknown][] = []
  const report: Report = (_, message, fields) => said.push([message, fields])
  let system = await givenSystem({ agents: [hanging], report })
  const working = await system.create({ ...mine, session_id: 'one' })
  const waiting = await system.play([{ pause: 'tea' }], { session_id: 'two' })
  await quiet(system)

  system = await restarted(system, { agents: [] })
  await quiet(system)
  t.match(system.get(working), { status: 'paused', metadata: { reason: 'agent_missing' } })
  const warnings = () => said.filter(([message]) => message.includes('no such agent'))
  t.match(
    warnings().map(([, fields]) => fields),
    [{ agent: 'mine', tasks: 1 }],
  )

  system = await restarted(system, { agents: [] })
  await quiet(system)
  t.equal(system.get(working).status, 'paused', 'a second start without it changes nothing')
  t.equal(warnings().length, 2)

  system = await restarted(system, { agents: [answering] })
  await quiet(system)
  t.equal(system.get(working).status, 'completed')
  t.match(system.get(waiting), { status: 'paused', metadata: { reason: 'tea' } }, 'its agent paused it')
  await system.close()
})
