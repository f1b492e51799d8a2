// A pause that is asked for while tools run: only after their results, and not forgotten by a kill.
import t from 'tap'
import type { Task } from '../../../src/contract/wire.ts'
import { admin, crashed, givenSystem, quiet, refused } from '../../support/system.ts'
import { settle, testWorld } from '../../support/world.ts'
import { problemsIn, tasksIn } from './checks.ts'
import { rested, takenUp, told } from './kills.ts'
import { outsideWorld, unsafeCounts } from './outside.ts'

const child = { subagent: 'script', input: JSON.stringify([{ tool: 'note' }, { message: 'mine' }]) }
const stories = { pay: { tool: 'pay' }, note: { tool: 'note' }, child }

for (const [name, step] of Object.entries(stories)) {
  t.test(`killed around a pause while "${name}" runs, it pauses after the result`, async t => {
    const snapshots = await told(async system => {
      const taskId = await system.play([step, { message: 'got $result' }])
      await system.world.advance(10)
      await system.commands.pause(admin, taskId, 'req')
      await system.world.advance(0)
      t.equal((system.get(taskId) as Task).status, 'working', 'while the call runs')
      await system.world.advance(500)
      const task = system.get(taskId) as Task
      t.match(task, { status: 'paused', metadata: { reason: 'pause_requested' } })
      t.equal(task.output.filter(({ type }) => type === 'tool_result').length, 1, 'with its result')
      await system.commands.resume(admin, taskId, 'req')
    })
    for (const snapshot of snapshots) {
      const { at } = snapshot
      const { system, outside } = await takenUp(snapshot)
      const [taskId] = await tasksIn(system)
      if (taskId === undefined) continue
      const facts = await system.factsOf(taskId)
      if (facts.includes('PauseRequested')) t.ok(facts.includes('TaskPaused'), `${at}: it is not forgotten`)
      for (let n = 0; n < 3 && (system.get(taskId) as Task).status === 'paused'; n++) {
        const { metadata } = system.get(taskId) as Task
        if (metadata?.reason === 'outcome_unknown') {
          t.equal(name, 'pay', `${at}: only of what must not be repeated`)
          const { call_id } = metadata.effect as { call_id: string }
          const answer = { callId: call_id, itemId: 'tr_by-hand', content: 'it was', blocks: [] }
          await system.commands.input(admin, taskId, 'req', [answer])
        } else await system.commands.resume(admin, taskId, 'req')
        await rested(system)
      }
      t.equal((system.get(taskId) as Task).status, 'completed', at)
      t.same(await problemsIn(system), [], at)
      for (const [effectId, count] of unsafeCounts(outside)) t.equal(count, 1, `${at}: ${effectId}`)
      await system.close()
    }
  })
}

const unknown = async (ttlSeconds = 0) => {
  const world = testWorld()
  const outside = outsideWorld()
  const ttls = { created: 0, queued: 0, working: 0, paused: ttlSeconds, 'input-required': 0 }
  const system = await givenSystem({ world, ttls, tools: outside.tools(world) })
  const taskId = await system.play([{ tool: 'hang' }, { message: 'on' }])
  await system.world.advance(100)
  const again = await crashed(system)
  await quiet(again)
  return { system: again, outside, taskId }
}

t.test('a task whose outcome nobody knows expires as any paused task', async t => {
  const { system, taskId, outside } = await unknown(60)
  t.match(system.get(taskId), { status: 'paused', metadata: { expires_at: Number } })
  await system.world.advance(59_000)
  t.equal((system.get(taskId) as Task).status, 'paused')
  await system.world.advance(1500)
  t.equal((system.get(taskId) as Task).status, 'expired')
  await t.rejects(system.commands.resume(admin, taskId, 'req'), refused('WrongState'))
  t.equal(outside.happened.length, 1)
  t.same(await problemsIn(system), [])
  await system.close()
})

// PauseNow is told twice when a turn falls between its wish and its turn; the second one pauses what was resumed.
t.test('a resume that meets the pause of a task just taken up leaves it working', async t => {
  for (let turns = 0; turns < 12; turns++) {
    const world = testWorld()
    const outside = outsideWorld()
    const first = await givenSystem({ world, tools: outside.tools(world) })
    const taskId = await first.play([{ tool: 'pay' }, { message: 'on' }])
    await world.advance(10)
    // Nobody takes the task up but who writes to it.
    const system = await crashed(first, { idle: true })
    const said = system.commands.message(admin, taskId, 'req', 'hello', { key: undefined, isRetry: false })
    for (let n = 0; n < turns; n++) await Promise.resolve()
    if (turns >= 6) await settle(turns - 5)
    await system.commands.resume(admin, taskId, 'req')
    await said
    await rested(system)
    const { status, metadata } = system.get(taskId) as Task
    if (status === 'paused') t.equal(outside.begun.length, 1, `${turns}: it does not run behind a pause`)
    else t.equal(status, 'completed', `${turns}: ${JSON.stringify(metadata)}`)
    if (status === 'paused') await system.commands.resume(admin, taskId, 'req')
    await rested(system)
    t.equal((system.get(taskId) as Task).status, 'completed', `${turns}: in the end`)
    t.equal(outside.begun.length, 2, `${turns}: run again once`)
    t.same(await problemsIn(system), [])
    await system.close()
  }
})

for (const [name, steps] of Object.entries({
  'a tool': [{ tool: 'hang' }, { message: 'never' }],
  'a tool of a child': [
    { subagent: 'script', input: JSON.stringify([{ tool: 'hang' }, { message: 'never' }]) },
    { message: 'on' },
  ],
})) {
  t.test(
    `a task expires that works too long on ${name}: the tool is stopped and never runs again`,
    async t => {
      const world = testWorld()
      const outside = outsideWorld()
      const ttls = { created: 0, queued: 0, working: 60, paused: 0, 'input-required': 0 }
      const system = await givenSystem({ world, ttls, tools: outside.tools(world) })
      await system.play(steps)
      await world.advance(59_000)
      t.equal(outside.stopped.length, 0)
      await world.advance(2000)
      await rested(system)
      const ends = (await tasksIn(system)).map(id => (system.get(id) as Task).status)
      t.same(ends, name === 'a tool' ? ['expired'] : ['completed', 'expired'])
      t.equal(outside.stopped.length, 1)
      const again = await crashed(system)
      await rested(again)
      t.equal(outside.begun.length, 1)
      t.same(await problemsIn(again), [])
      await again.close()
    },
  )
}
