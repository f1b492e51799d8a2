// Tasks whose agent is missing after a restart, for example because the server was started without the settings of the
// model: they wait, and go on by themselves when a later start has the agent.
import t from 'tap'
import type { Agent } from '../../src/contract/agent.ts'
import type { Report } from '../../src/contract/ports.ts'
import { admin, givenSystem, quiet, restarted } from '../support/system.ts'

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
    await new Promise<void>(resolve => signal().addEventListener('abort', () => resolve()))
    return { end: 'again' }
  },
}
async function* tea(): ReturnType<Agent['step']> {
  yield { say: 'delta', item: 'message', part: 'output_text', text: 'tea first' }
  return { end: 'pause', reason: 'tea' }
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

/** Paused tasks whose agent is missing, all of one user: `sessions` names the session of each, oldest first. */
const pausedTasks = async (sessions: string[], maxRunningTasks: number) => {
  const system = await givenSystem({ agents: [hanging], maxRunningTasks })
  const tasks: string[] = []
  for (const session_id of sessions) tasks.push(await system.create({ ...mine, session_id }))
  await quiet(system)
  const without = await restarted(system, { agents: [] })
  await quiet(without)
  t.same(
    statusesOf(without, tasks),
    tasks.map(() => 'paused'),
  )
  return { without, tasks }
}
const statusesOf = (system: { get(id: string): { status: string } }, tasks: string[]) =>
  tasks.map(id => system.get(id).status)

const returns: [what: string, sessions: string[], maxRunningTasks: number, statuses: string[]][] = [
  ['one after another in a session', ['a', 'a', 'a'], 0, ['working', 'paused', 'paused']],
  ['at once in different sessions', ['a', 'b', 'c'], 0, ['working', 'working', 'working']],
  ['as many as may work', ['a', 'b', 'c'], 2, ['working', 'working', 'paused']],
  ['the oldest first', ['a', 'b', 'c'], 1, ['working', 'paused', 'paused']],
  [
    'as many as may work, one in a session',
    ['a', 'a', 'b', 'c'],
    2,
    ['working', 'paused', 'working', 'paused'],
  ],
]
for (const [what, sessions, limit, statuses] of returns)
  t.test(`tasks whose agent is back go on like queued tasks: ${what}`, async t => {
    const { without, tasks } = await pausedTasks(sessions, limit)
    let system = await restarted(without, { agents: [hanging] })
    await quiet(system)
    t.same(statusesOf(system, tasks), statuses)
    system = await restarted(system, { agents: [answering] })
    await quiet(system)
    t.same(
      statusesOf(system, tasks),
      tasks.map(() => 'completed'),
      'each goes on when another has ended',
    )
    await system.close()
  })

t.test('a task that somebody resumed, and that is paused again, does not go on by itself', async t => {
  const { without, tasks } = await pausedTasks(['a', 'b'], 1)
  let steps = 0
  const pausing: Agent = {
    name: 'mine',
    step: given => (steps++ === 0 ? hanging.step(given) : tea()),
  }
  const system = await restarted(without, { agents: [pausing] })
  await quiet(system)
  const [first = '', second = ''] = tasks
  await system.tasks.commands.resume(admin, second, 'r1')
  await quiet(system)
  t.match(system.get(second), { status: 'paused', metadata: { reason: 'tea' } })
  await system.tasks.commands.cancel(admin, first, 'r2')
  await quiet(system)
  t.match(system.get(second), { status: 'paused', metadata: { reason: 'tea' } }, 'although there is room now')
  t.equal(steps, 2)
  await system.close()
})

t.test('one line warns of an agent, whether its tasks worked or were paused before', async t => {
  const said: unknown[] = []
  const { without, tasks } = await pausedTasks(['a', 'b'], 1)
  const working = await restarted(without, { agents: [hanging] })
  await quiet(working)
  t.same(statusesOf(working, tasks), ['working', 'paused'])
  const report: Report = (_, message, fields) => message.includes('no such agent') && said.push(fields)
  const system = await restarted(working, { agents: [], report })
  await quiet(system)
  t.same(said, [{ agent: 'mine', tasks: 2 }])
  await system.close()
})
