// Cancel: asked for first, then everything is told to stop, receipts, and the end; and what may cross its way.
import t from 'tap'
import type { Agent } from '../../src/contract/agent.ts'
import type { Refusal } from '../../src/contract/refusals.ts'
import { eventsOf, framesOf } from '../history/told.ts'
import { admin, crashed, givenSystem, quiet, refused, restarted, type TestSystem } from '../support/system.ts'
import { settle } from '../support/world.ts'

/** Says a word and then waits for the test; `stubborn` ones do not look at their signal. */
const waiting = (name: string, stubborn: boolean) => {
  let release = () => {}
  const aborted: string[] = []
  const agent: Agent = {
    name,
    async *step({ signal }) {
      yield { say: 'delta', item: 'message', part: 'output_text', text: 'so far' }
      await new Promise<void>(resolve => {
        release = resolve
        signal().addEventListener('abort', () => {
          aborted.push(name)
          if (!stubborn) resolve()
        })
      })
      return { end: 'answer' }
    },
  }
  return { agent, aborted, release: () => release() }
}
const typesOf = (system: TestSystem, taskId: string) => system.factsOf(taskId)
const receiptsOf = async (system: TestSystem, taskId: string) =>
  (await eventsOf(system, taskId))
    .filter(({ header }) => header.type === 'EffectStopped')
    .map(({ data }) => data as { effect_id: string; stopped: boolean })

t.test('a working task is canceled in this order: wish, receipt, step, agent, task', async t => {
  const { agent } = waiting('polite', false)
  const system = await givenSystem({ agents: [agent] })
  const taskId = await system.create({ client_id: 'polite' })
  await system.world.advance(100)
  const view = await system.commands.cancel(admin, taskId, 'req_c', 'enough')
  t.equal(view.status, 'canceled')
  t.same(await typesOf(system, taskId), [
    'TaskCreated',
    'AgentSpawned',
    'TaskStarted',
    'AgentStepStarted',
    'ItemDelta',
    'CancelRequested',
    'EffectStopped',
    'AgentStepAbandoned',
    'AgentCompleted',
    'TaskCanceled',
  ])
  const events = await eventsOf(system, taskId)
  const started = events.find(({ header }) => header.type === 'AgentStepStarted')?.data as {
    effect_id: string
  }
  t.same(await receiptsOf(system, taskId), [{ effect_id: started.effect_id, stopped: true }])
  t.match(
    events.find(({ header }) => header.type === 'AgentCompleted')?.data,
    { success: false },
    'the agent did not succeed',
  )
  t.match(system.get(taskId), { status: 'canceled', output: [{ status: 'incomplete' }] })
  const [partDone, itemDone, last] = (await framesOf(system, taskId)).slice(-3)
  t.equal(partDone?.type, 'task.content_part.done')
  t.match(itemDone, { type: 'task.output_item.done', item: { status: 'incomplete' } })
  t.match(last, { type: 'task.canceled', task: { status: 'canceled' } })
})

t.test('the wish is stored before the step is told to stop', async t => {
  const { agent, aborted } = waiting('polite', false)
  const system = await givenSystem({ agents: [agent] })
  const taskId = await system.create({ client_id: 'polite' })
  await system.world.advance(100)
  let storedAtAbort: string[] = []
  const seen = new Promise<void>(resolve => {
    const look = setInterval(async () => {
      if (aborted.length === 0) return
      clearInterval(look)
      storedAtAbort = await typesOf(system, taskId)
      resolve()
    }, 0)
  })
  const over = system.commands.cancel(admin, taskId, 'req_c')
  t.same(aborted, [], 'not before it is stored')
  await seen
  await over
  t.ok(storedAtAbort.includes('CancelRequested'))
})

t.test('a step that does not stop within a second is given up, and the receipt says so', async t => {
  const { agent, aborted, release } = waiting('stubborn', true)
  const system = await givenSystem({ agents: [agent] })
  const taskId = await system.create({ client_id: 'stubborn' })
  await system.world.advance(100)
  const over = system.commands.cancel(admin, taskId, 'req_c')
  await system.world.advance(999)
  t.same(aborted, ['stubborn'])
  t.equal(system.get(taskId).status, 'working', 'it has a second')
  await system.world.advance(1)
  t.equal((await over).status, 'canceled')
  t.match(await receiptsOf(system, taskId), [{ stopped: false }])
  const facts = await typesOf(system, taskId)
  release()
  await quiet(system)
  t.same(await typesOf(system, taskId), facts, 'what it says later is not recorded')
})

t.test('a second cancel joins the first and gets the same answer', async t => {
  const { agent } = waiting('stubborn', true)
  const system = await givenSystem({ agents: [agent] })
  const taskId = await system.create({ client_id: 'stubborn' })
  await system.world.advance(100)
  const both = Promise.all([
    system.commands.cancel(admin, taskId, 'req_1'),
    system.commands.cancel(admin, taskId, 'req_2'),
  ])
  await system.world.advance(500)
  const third = system.commands.cancel(admin, taskId, 'req_3')
  await system.world.advance(500)
  t.same(
    (await both).map(view => view.status),
    ['canceled', 'canceled'],
  )
  t.equal((await third).status, 'canceled')
  const facts = await typesOf(system, taskId)
  t.equal(facts.filter(type => type === 'CancelRequested').length, 1)
  t.equal(facts.filter(type => type === 'TaskCanceled').length, 1)
  t.equal((await system.commands.cancel(admin, taskId, 'req_4')).status, 'canceled', 'and later still')
  t.same(await typesOf(system, taskId), facts)
})

t.test('queued and paused tasks are canceled at once; one that never started never starts', async t => {
  const system = await givenSystem()
  const session_id = 's1'
  const first = await system.play([{ sleep_ms: 1000 }], { session_id })
  const queued = await system.play([{ message: 'never' }], { session_id })
  t.equal(system.get(queued).status, 'queued')
  t.equal((await system.commands.cancel(admin, queued, 'req')).status, 'canceled')
  await system.world.advance(2000)
  t.equal(system.get(first).status, 'completed')
  t.same(await typesOf(system, queued), ['TaskCreated', 'TaskQueued', 'CancelRequested', 'TaskCanceled'])

  const paused = await system.play([{ pause: 'tea' }, { message: 'never' }])
  await quiet(system)
  t.equal(system.get(paused).status, 'paused')
  await system.commands.cancel(admin, paused, 'req')
  t.same((await typesOf(system, paused)).slice(-4), [
    'TaskPaused',
    'CancelRequested',
    'AgentCompleted',
    'TaskCanceled',
  ])
  t.notOk(system.get(paused).metadata?.reason, 'why it waited is no longer said')
})

t.test('a task that ended otherwise cannot be canceled', async t => {
  const system = await givenSystem()
  const taskId = await system.create({})
  await quiet(system)
  await t.rejects(system.commands.cancel(admin, taskId, 'req'), refused('NotCancelable'))
})

t.test('a cancel that meets the completion at any moment leaves exactly one terminal fact', async t => {
  const ends = new Set<string>()
  for (let turns = 0; turns < 40; turns++) {
    const system = await givenSystem()
    const taskId = await system.play([{ message: 'a' }, { message: 'b', delta_ms: 0 }, { message: 'c' }])
    await settle(turns)
    const answer = await system.commands
      .cancel(admin, taskId, 'req')
      .then(view => view.status)
      .catch(error => (error as Refusal).reason)
    await quiet(system)
    const facts = await typesOf(system, taskId)
    const terminal = facts.filter(type => /^Task(Completed|Canceled|Failed|Expired)$/.test(type))
    t.equal(terminal.length, 1, `after ${turns} turns`)
    t.equal(answer, terminal[0] === 'TaskCanceled' ? 'canceled' : 'NotCancelable', 'and the answer fits it')
    ends.add(terminal[0] ?? '')
    await system.close()
  }
  t.same([...ends].sort(), ['TaskCanceled', 'TaskCompleted'], 'both were met')
})

t.test('a crash between the wish and the end goes on canceling after the restart', async t => {
  const { agent } = waiting('stubborn', true)
  const system = await givenSystem({ agents: [agent] })
  const taskId = await system.create({ client_id: 'stubborn' })
  await system.world.advance(100)
  void system.commands.cancel(admin, taskId, 'req', 'enough').catch(() => {})
  await quiet(system)
  t.equal((await typesOf(system, taskId)).at(-1), 'CancelRequested')
  const again = await crashed(system)
  await quiet(again)
  t.same((await typesOf(again, taskId)).slice(-5), [
    'CancelRequested',
    'EffectStopped',
    'AgentStepAbandoned',
    'AgentCompleted',
    'TaskCanceled',
  ])
  t.match(again.get(taskId), { status: 'canceled', metadata: { reason: 'enough' } })
})

t.test('a cancel that is asked while the server goes down is finished by the next one', async t => {
  const { agent } = waiting('stubborn', true)
  const system = await givenSystem({ agents: [agent] })
  const taskId = await system.create({ client_id: 'stubborn' })
  await system.world.advance(100)
  const asked = system.commands.cancel(admin, taskId, 'req')
  asked.catch(() => {})
  await quiet(system)
  const again = await restarted(system)
  await quiet(again)
  t.equal(again.get(taskId).status, 'canceled')
})

t.test('the place of a canceled task goes to the next one in line', async t => {
  const system = await givenSystem()
  const session_id = 's1'
  const first = await system.play([{ sleep_ms: 100_000 }], { session_id })
  const second = await system.play([{ message: 'mine' }], { session_id })
  await quiet(system)
  await system.commands.cancel(admin, first, 'req')
  await quiet(system)
  t.equal(system.get(second).status, 'completed')
})

t.test('delete cancels first, answers with the task as it was last, and then it is not there', async t => {
  const system = await givenSystem()
  const taskId = await system.play([{ sleep_ms: 100_000 }])
  await system.world.advance(100)
  const view = await system.commands.remove(admin, taskId, 'req')
  t.equal(view.status, 'canceled')
  t.same((await typesOf(system, taskId)).slice(-2), ['TaskCanceled', 'TaskDeleted'])
  t.throws(() => system.get(taskId), refused('TaskNotFound'))
  await t.rejects(system.commands.remove(admin, taskId, 'req'), refused('TaskNotFound'))
  t.equal((await system.stored()).at(-1)?.header.type, 'TaskDeleted', 'its history stays')
})

t.test('a pause is refused once a cancel was asked, and an expiry leaves it alone', async t => {
  const { agent } = waiting('stubborn', true)
  const system = await givenSystem({
    agents: [agent],
    ttls: { created: 1, queued: 1, working: 1, paused: 1, 'input-required': 1 },
  })
  const taskId = await system.create({ client_id: 'stubborn' })
  await system.world.advance(800)
  const over = system.commands.cancel(admin, taskId, 'req')
  await quiet(system)
  await t.rejects(system.commands.pause(admin, taskId, 'req'), refused('WrongState'))
  await system.world.advance(1000)
  t.equal((await over).status, 'canceled')
})
