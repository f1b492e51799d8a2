// How long a task may rest in each state: told to everybody, kept over a restart, and never longer or shorter.
import t from 'tap'
import {
  admin,
  givenSystem,
  noTtls,
  quiet,
  refused,
  restarted,
  rowsOf,
  storeOf,
  type TestSystem,
} from '../support/system.ts'

const seconds = (system: TestSystem) => Math.floor(system.world.clock.now() / 1000)
/** A queued task behind one that sleeps. */
const lineUp = async (system: TestSystem) => {
  const first = await system.play([{ sleep_ms: 60_000 }], { session_id: 's1' })
  const second = await system.create({ session_id: 's1' })
  await quiet(system)
  return { first, second }
}

t.test('a queued task shows its deadline and expires at it, never having started', async t => {
  const system = await givenSystem({ ttls: { ...noTtls, queued: 10 } })
  const { first, second } = await lineUp(system)
  t.equal(system.get(second).metadata.expires_at, seconds(system) + 10)
  await system.world.advance(9_900)
  t.equal(system.get(second).status, 'queued')
  await system.world.advance(600)
  t.equal(system.get(second).status, 'expired')
  t.notOk(system.get(second).metadata?.expires_at, 'an ended task has no deadline')
  t.same(
    await system.factsOf(second),
    ['TaskCreated', 'TaskQueued', 'TaskExpired'],
    'no agent, so no end of one',
  )
  t.equal(system.get(first).status, 'working')
})

t.test('a paused task expires at its deadline, its agent ended without success', async t => {
  const system = await givenSystem({ ttls: { ...noTtls, paused: 10 } })
  const taskId = await system.play([{ message: 'kept' }, { pause: 'tea' }])
  await quiet(system)
  t.equal(system.get(taskId).metadata.expires_at, seconds(system) + 10)
  await system.world.advance(10_500)
  t.match(system.get(taskId), { status: 'expired', output: [{ status: 'completed' }] })
  t.same((await system.factsOf(taskId)).slice(-3), ['TaskPaused', 'AgentCompleted', 'TaskExpired'])
})

t.test('a resumed task has left its deadline behind', async t => {
  const system = await givenSystem({ ttls: { ...noTtls, paused: 10 } })
  const taskId = await system.play([{ pause: 'tea' }, { sleep_ms: 30_000 }])
  await system.world.advance(9_000)
  await system.commands.resume(admin, taskId, 'req')
  await system.world.advance(20_000)
  t.equal(system.get(taskId).status, 'working')
})

t.test('a resume that was accepted is not undone by the deadline of the pause it ended', async t => {
  const system = await givenSystem({ ttls: { ...noTtls, paused: 10 } })
  await system.world.advance(101)
  const taskId = await system.play([{ pause: 'tea' }, { sleep_ms: 30_000 }])
  await quiet(system)
  await system.world.advance(10_000) // over this very moment, and not noticed yet
  const who = { principal: 'admin', causation: 'req' }
  const resumed = system.runtime.ask(`task-${taskId}`, { type: 'ResumeTask', ...who })
  system.expireOverdue() // finds it overdue, as the read models still say; its turn comes second
  t.equal((await resumed).status, 'working')
  await quiet(system)
  t.equal(system.get(taskId).status, 'working')
})

t.test('a working task counts from its last event and shows no deadline', async t => {
  const system = await givenSystem({ ttls: { ...noTtls, working: 10 } })
  const quietOne = await system.play([{ sleep_ms: 60_000 }])
  const busyOne = await system.play(Array.from({ length: 10 }, () => ({ sleep_ms: 5_000 })))
  await system.world.advance(5_100)
  t.notOk(system.get(quietOne).metadata?.expires_at)
  t.equal(system.get(quietOne).status, 'working')
  await system.world.advance(5_500)
  t.equal(system.get(quietOne).status, 'expired')
  t.same((await system.factsOf(quietOne)).slice(-4), [
    'AgentStepStarted',
    'AgentStepAbandoned',
    'AgentCompleted',
    'TaskExpired',
  ])
  t.equal(system.get(busyOne).status, 'working', 'each step gives it time again')
  await system.world.advance(45_000)
  t.equal(system.get(busyOne).status, 'completed')
})

t.test('a working task is given its time anew by the start of the server', async t => {
  const system = await givenSystem({ ttls: { ...noTtls, working: 10 } })
  const taskId = await system.play([{ sleep_ms: 60_000 }])
  await system.world.advance(9_000)
  await system.close()
  await system.world.advance(3_600_000 / 60)
  const again = await givenSystem(system.options)
  await again.world.advance(9_000)
  t.equal(again.get(taskId).status, 'working')
  await again.world.advance(2_000)
  t.equal(again.get(taskId).status, 'expired')
})

t.test('deadlines are kept over a restart, and what was overdue meanwhile expires soon after', async t => {
  const system = await givenSystem({ ttls: { ...noTtls, paused: 10, queued: 30 } })
  const paused = await system.play([{ pause: 'tea' }])
  const { second } = await lineUp(system)
  const deadline = system.get(paused).metadata.expires_at
  await system.close()
  await system.world.advance(11_000)
  // Other limits now: what was promised at the move holds.
  const again = await givenSystem({ ...system.options, ttls: noTtls })
  t.equal(again.get(paused).metadata.expires_at, deadline)
  await again.world.advance(500)
  t.equal(again.get(paused).status, 'expired')
  t.equal(again.get(second).status, 'queued')
  await again.world.advance(19_500)
  t.equal(again.get(second).status, 'expired')
})

t.test('a limit of 0 is no limit', async t => {
  const system = await givenSystem()
  const taskId = await system.play([{ pause: 'tea' }])
  const { second } = await lineUp(system)
  t.notOk(system.get(taskId).metadata?.expires_at)
  t.notOk(system.get(second).metadata?.expires_at)
  await system.world.advance(50_000)
  t.equal(system.get(taskId).status, 'paused')
  t.equal(system.get(second).status, 'queued')
})

t.test('the place of an expired task goes to the next one in line', async t => {
  const system = await givenSystem({ ttls: { ...noTtls, working: 10 } })
  const { first, second } = await lineUp(system)
  await system.world.advance(11_000)
  t.equal(system.get(first).status, 'expired')
  t.equal(system.get(second).status, 'completed')
})

t.test('an expired task stays what it is over a restart', async t => {
  const system = await givenSystem({ ttls: { ...noTtls, paused: 1 } })
  const taskId = await system.play([{ pause: 'tea' }, { message: 'never' }])
  await system.world.advance(2_000)
  const facts = await system.factsOf(taskId)
  const again = await restarted(system)
  await again.world.advance(1_000)
  t.same(await again.factsOf(taskId), facts)
  await t.rejects(async () => again.commands.resume(admin, taskId, 'req'), refused('WrongState'))
})

t.test('a queued task whose time ran out while the server was down never starts', async t => {
  const system = await givenSystem({ ttls: { ...noTtls, queued: 10 }, maxRunningTasks: 1 })
  const { first, second } = await lineUp(system)
  // The first one's end is stored, the start of the second is not: a crash in between.
  await system.commands.cancel(admin, first, 'req').catch(() => {})
  const rows = (await system.stored()).findIndex(({ header }) => header.type === 'TaskCanceled') + 1
  const store = await storeOf(rowsOf(system.store).slice(0, rows))
  await system.close()
  await system.world.advance(60_000)
  const again = await givenSystem({ ...system.options, store })
  await again.world.advance(1_000)
  t.equal(again.get(second).status, 'expired')
})

t.test(
  'a caller does not expire while its subagent works, however long, and hears when that one expires',
  async t => {
    const system = await givenSystem({ ttls: { ...noTtls, working: 5 } })
    const calling = (input: object[]) => [
      { subagent: 'script', input: JSON.stringify(input) },
      { message: 'on' },
    ]
    const patient = await system.play(calling(Array.from({ length: 8 }, () => ({ sleep_ms: 2000 }))))
    await system.world.advance(20_000)
    t.equal(system.get(patient).status, 'completed', 'longer than it could have been silent itself')

    const caller = await system.play(calling([{ sleep_ms: 60_000 }]))
    await system.world.advance(4000)
    t.equal(system.get(caller).status, 'working')
    await system.world.advance(4000)
    const { status, output } = system.get(caller)
    t.equal(status, 'completed')
    t.match(output, [
      { type: 'tool_call', status: 'completed' },
      { type: 'tool_result', status: 'incomplete', message_content: /expired/ },
      { type: 'message', status: 'completed' },
    ])
    await system.close()
  },
)
