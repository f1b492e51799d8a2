// A task whose agent is a statechart: what readers see of the chart, and the events that it gets.
import t from 'tap'
import { assign, setup } from 'xstate'
import { machineAgent } from '../../../library/agent/definition.ts'
import { machineOf } from '../../../src/contract/charts/machines.ts'
import type { MachineEvent } from '../../../src/contract/wire.ts'
import { admin, givenSystem, quiet, restarted, type TestSystem } from '../../support/system.ts'
import { hostsHere } from './hosts-here.ts'

const approval = setup({
  types: {} as { events: { type: 'approve'; by: string } | { type: 'refuse' }; context: { by: string } },
}).createMachine({
  id: 'approval',
  context: { by: '' },
  initial: 'waiting',
  states: {
    waiting: {
      on: {
        approve: { target: 'approved', actions: assign({ by: ({ event }) => event.by }) },
        refuse: 'refused',
      },
    },
    approved: { type: 'final' },
    refused: { type: 'final' },
  },
  output: ({ context }) => ({ by: context.by }),
})

const given = async (agents: Record<string, unknown> = { mine: machineAgent(approval) }) => {
  const hosts = hostsHere(agents)
  const system = await givenSystem({ codeAgents: hosts.served })
  const id = await system.create({ agent_config: { agent_id: 'mine' } })
  await quiet(system)
  return { hosts, system, id }
}
const send = async (system: TestSystem, id: string, event: MachineEvent, how: object = {}) => {
  const said = await system.commands.message(
    admin,
    id,
    'r',
    { event },
    { key: undefined, isRetry: false, ...how },
  )
  await quiet(system)
  return said
}
const shown = async (system: TestSystem, id: string, position?: number) =>
  machineOf(await system.recall.placed(id, position === undefined ? undefined : { position }))

t.test('readers see the chart of the agent, that of the task beside it, and both as they were', async t => {
  const { system, id } = await given()
  const before = system.log.head()
  const chart = { id: 'approval', initial: 'waiting', states: { waiting: { on: { approve: [{}] } } } }
  const waiting = {
    ...{ machine: chart, state: 'working', value: 'waiting', context: { by: '' } },
    ...{ next_events: ['approve', 'refuse'], task: { state: 'working', value: { working: 'waiting' } } },
  }
  t.match(await shown(system, id), waiting)
  await send(system, id, { type: 'approve', by: 'Ada' })
  const done = {
    ...{ machine: chart, state: 'completed', value: 'approved', context: { by: 'Ada' } },
    ...{ next_events: [], task: { state: 'completed', value: 'completed' } },
  }
  t.match(await shown(system, id), done)
  t.match(await shown(system, id, before), waiting)
  const charts = (await system.stored()).filter(
    ({ data }) => 'chart' in ((data as { machine?: object }).machine ?? {}),
  )
  t.equal(charts.length, 1, 'the log has the chart once')
  const later = await restarted(system, { codeAgents: hostsHere({}).served })
  t.match(await shown(later, id), done, 'also when no host has the agent any more')
})

t.test('an event moves the chart, and a repeated request does not move it twice', async t => {
  const { system, id } = await given()
  t.match(await send(system, id, { type: 'unknown' }, { key: 'one' }), { made: { status: 'working' } })
  t.match(await send(system, id, { type: 'unknown' }, { key: 'one' }), { replay: { id } })
  await send(system, id, { type: 'approve', by: 'Ada' }, { key: 'two' })
  t.match(await send(system, id, { type: 'approve', by: 'Ada' }, { key: 'two' }), { replay: { id } })
  t.match(system.get(id), { status: 'completed' })
  t.equal((await system.factsOf(id)).filter(type => type === 'InputAccepted').length, 2)
})

t.test('an event whose request is repeated without a key counts once', async t => {
  const { system, id } = await given()
  await send(system, id, { type: 'unknown' })
  await send(system, id, { type: 'unknown' }, { isRetry: true })
  t.equal((await system.factsOf(id)).filter(type => type === 'InputAccepted').length, 1)
  await send(system, id, { type: 'other' }, { isRetry: true })
  t.equal((await system.factsOf(id)).filter(type => type === 'InputAccepted').length, 2)
})

t.test('code that is a function gets the event with its message; other agents take no events', async t => {
  const { system, id } = await given({
    mine: async (ctx: { message(): Promise<object> }) => JSON.stringify(await ctx.message()),
  })
  await send(system, id, { type: 'go', to: 5 })
  const { output } = system.get(id)
  t.match(JSON.parse(output[0].message_content[0].text), {
    text: '{"type":"go","to":5}',
    event: { type: 'go', to: 5 },
  })
  const other = await system.create({ agent_config: { agent_id: 'script', script: [{ pause: 'later' }] } })
  await quiet(system)
  const problems = await send(system, other, { type: 'go' }).catch(error => error.problems)
  t.match(problems, [{ loc: ['body', 'event'] }])
})
