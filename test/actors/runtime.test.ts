// The mailbox of an actor: turns one after the other, memory after the log, and what happens around a fault.
import path from 'node:path'
import t, { type Test } from 'tap'
import type { Agent } from '../../src/contract/agent.ts'
import { isPausing } from '../../src/contract/charts/task-state.ts'
import type { TaskEvent } from '../../src/contract/events/task-events.ts'
import { frameCount } from '../../src/history/frames.ts'
import { sqliteStore } from '../../src/log/file/sqlite-store.ts'
import { eventsOf, framesOf } from '../history/told.ts'
import { until } from '../support/http.ts'
import { admin, failingStore, givenSystem, quiet, type TestSystem } from '../support/system.ts'
import { settle } from '../support/world.ts'

const reports = () => {
  const lines: string[] = []
  return {
    lines,
    report: (level: string, message: string, fields?: object) =>
      void lines.push(`${level} ${message} ${JSON.stringify(fields)}`),
  }
}

t.test('a turn whose actor is put away meanwhile is answered with what was stored', async t => {
  const { lines, report } = reports()
  const system = await givenSystem({ report })
  const taskId = await system.play([{ sleep_ms: 10_000 }])
  await system.world.advance(100)
  const paused = system.commands.pause(admin, taskId, 'req')
  system.runtime.passivate(`task-${taskId}`)
  t.ok(isPausing((await paused).state))
  const canceled = system.commands.cancel(admin, taskId, 'req')
  await settle(0)
  t.equal((await canceled).status, 'canceled')
  t.same(lines, [])
})

t.test('a create whose actor is put away while it is stored keeps its place', async t => {
  const system = await givenSystem()
  const first = system.play([{ sleep_ms: 1000 }], { session_id: 's1', task_id: 'first' })
  await settle(0)
  const second = system.play([{ sleep_ms: 1000 }], { session_id: 's1', task_id: 'second' })
  while (system.log.revisionOf('task-first') === -1) await Promise.resolve()
  system.runtime.passivate('task-first')
  t.equal(await first.catch(error => error.message), 'first')
  await second
  await quiet(system)
  t.equal(system.get('second').status, 'queued')
})

t.test('a task that ends while its actor is put away gives its place back', async t => {
  const system = await givenSystem()
  const first = await system.play([{ sleep_ms: 1000 }], { session_id: 's1' })
  const second = await system.create({ session_id: 's1' })
  await system.world.advance(999)
  const stream = `task-${first}`
  // Put away at the moment between the order of the last append and its commit.
  const advancing = system.world.advance(1)
  const before = system.log.revisionOf(stream)
  for (let n = 0; n < 1000 && system.log.revisionOf(stream) === before; n++) await new Promise(setImmediate)
  system.runtime.passivate(stream)
  await advancing
  await system.runtime.activate(stream)
  await system.world.advance(5000)
  t.equal(system.get(first).status, 'completed')
  t.equal(system.get(second).status, 'completed')
})

t.test('an actor that is idle leaves memory after a while and comes back as it was', async t => {
  const system = await givenSystem()
  const taskId = await system.play([{ message: 'a' }, { pause: 'tea' }, { message: 'b' }])
  await quiet(system)
  t.equal([...system.runtime.views()].length, 1)
  await system.world.advance(95_000)
  t.equal([...system.runtime.views()].length, 0)
  await system.commands.resume(admin, taskId, 'req')
  await quiet(system)
  t.equal(system.get(taskId).status, 'completed')
})

/** A working task on a file, whose actor is put away. Its long request is read again only once `release` is called. */
const heldTask = async (t: Test) => {
  const inner = sqliteStore(path.join(t.testdir(), 'log.db'), () => 'log_test')
  let release = () => {}
  const held = new Promise<void>(resolve => {
    release = resolve
  })
  const openLong: typeof inner.openLong = (...row) => held.then(() => inner.openLong(...row))
  let begun = 0
  const agent: Agent = {
    name: 'slow',
    async *step({ signal }) {
      begun++
      await new Promise(resolve => signal().addEventListener('abort', resolve))
      return { end: 'answer' }
    },
  }
  const system = await givenSystem({ agents: [agent], store: { ...inner, openLong } })
  t.teardown(system.close)
  await system.world.advance(90_000)
  const taskId = await system.create({ client_id: 'slow', user_message_content: 'x'.repeat(300_000) })
  await until(() => begun === 1)
  system.runtime.passivate(`task-${taskId}`)
  return { system, taskId, release, begun: () => begun }
}

t.test('an actor that loads for long stays in memory, so its step begins once', async t => {
  const { system, taskId, release, begun } = await heldTask(t)
  const first = system.runtime.activate(`task-${taskId}`)
  await system.world.advance(60_000)
  const second = system.runtime.activate(`task-${taskId}`)
  release()
  await Promise.all([first, second])
  await system.world.advance(1000)
  t.equal(begun(), 2)
})

t.test('an actor that is put away while it loads begins nothing; who waits is answered', async t => {
  const { system, taskId, release, begun } = await heldTask(t)
  const waiting = system.commands.atRest(taskId)
  system.runtime.passivate(`task-${taskId}`)
  const loaded = system.runtime.activate(`task-${taskId}`)
  release()
  await loaded
  await system.world.advance(1000)
  t.equal(begun(), 2)
  await system.commands.cancel(admin, taskId, 'req')
  t.equal((await waiting).status, 'canceled')
})

t.test('an actor that ended leaves memory at once; one that works stays', async t => {
  const system = await givenSystem()
  await system.create({})
  await system.play([{ sleep_ms: 200_000 }])
  await quiet(system)
  t.equal([...system.runtime.views()].length, 1)
  await system.world.advance(190_000)
  t.equal([...system.runtime.views()].length, 1)
  t.equal(system.runtime.busy(), 1)
})

t.test('a whole item that was said is stored soon, though its step goes on', async t => {
  const agent: Agent = {
    name: 'slow',
    async *step({ signal }) {
      await new Promise(resolve => system.world.timers.after(200, () => resolve(undefined)))
      yield { say: 'item', item: 'message', part: 'output_text', texts: ['here'] }
      await new Promise(resolve => {
        system.world.timers.after(60_000, () => resolve(undefined))
        signal().addEventListener('abort', () => resolve(undefined))
      })
      return { end: 'answer' }
    },
  }
  const system = await givenSystem({ agents: [agent] })
  const taskId = await system.create({ client_id: 'slow' })
  await system.world.advance(1000)
  t.equal(system.get(taskId).output.length, 1)
})

t.test('text that belongs together travels together, the first at once', async t => {
  const system = await givenSystem()
  const words = Array.from({ length: 40 }, (_, n) => `w${n}`).join(' ')
  const taskId = await system.play([{ message: words, delta_ms: 2 }])
  await system.world.advance(5)
  t.equal((await framesOf(system, taskId)).filter(frame => frame.type === 'task.text.delta').length, 1)
  await system.world.advance(1000)
  const deltas = (await framesOf(system, taskId)).filter(frame => frame.type === 'task.text.delta')
  t.ok(deltas.length >= 5 && deltas.length <= 12, `${deltas.length} deltas for 40 words in 80 ms`)
  t.equal(deltas.map(frame => frame.delta).join(''), words)
})

t.test('when nothing could be stored, the caller is told and the task goes on from the log', async t => {
  const { store, failNext } = failingStore()
  const system = await givenSystem({ store })
  const taskId = await system.play([{ sleep_ms: 1000 }, { message: 'b' }])
  await system.world.advance(500)
  failNext('lost')
  await t.rejects(system.commands.pause(admin, taskId, 'req'), { message: /could not be written/ })
  await system.world.advance(10_000)
  t.equal(system.get(taskId).status, 'completed')
  t.ok(system.queries.isCurrent())
})

t.test(
  'when the end of a task was stored though its write failed, the next one of its session starts',
  async t => {
    const { store, failNext } = failingStore()
    const system = await givenSystem({ store })
    const first = await system.play([{ sleep_ms: 1000 }], { session_id: 's1' })
    const second = await system.create({ session_id: 's1' })
    await system.world.advance(900)
    failNext('kept')
    await system.world.advance(10_000)
    t.equal(system.get(first).status, 'completed')
    t.equal(system.get(second).status, 'completed')
    t.same(system.scheduler.counts(), { running: 0, waiting: 0 })
  },
)

t.test('who follows a task sees its end though the write of it was reported as failed', async t => {
  const { store, failNext } = failingStore()
  const system = await givenSystem({ store })
  const taskId = await system.play([{ sleep_ms: 1000 }])
  const feed = system.streams.open({ stream: `task-${taskId}`, after: -1, endsAtWait: true })
  const seen: string[] = []
  const following = (async () => {
    for await (const frames of feed.frames()) seen.push(...frames.map(frame => frame.type))
  })()
  await system.world.advance(900)
  failNext('kept')
  await system.world.advance(10_000)
  t.equal(seen.at(-1), 'task.completed')
  feed.close()
  await following
})

t.test('a start that could not be stored does not let a later task go first', async t => {
  const { store, failNext } = failingStore()
  const system = await givenSystem({ store })
  await system.play([{ sleep_ms: 1000 }], { session_id: 's1' })
  const second = await system.play([{ sleep_ms: 1000 }], { session_id: 's1' })
  const third = await system.play([{ sleep_ms: 1000 }], { session_id: 's1' })
  let failed = false
  system.log.onCommit(events => {
    if (failed || !events.some(({ header }) => header.type === 'TaskCompleted')) return
    failed = true
    failNext('lost') // the next write is the start of the second
  })
  await system.world.advance(10_000)
  const starts = (await system.stored()).flatMap(({ header }) =>
    header.type === 'TaskStarted' ? [header.stream] : [],
  )
  t.same(starts.slice(1), [`task-${second}`, `task-${third}`])
})

/** Writes to a task's stream past its actor, as another node would. */
const writePast = async (system: TestSystem, taskId: string, facts: [string, object][]) => {
  const last = (await eventsOf(system, taskId)).at(-1)?.header
  if (last === undefined) throw new Error('no such task')
  let seq = (last.seq ?? 0) + (last.frames ?? 0)
  const events = facts.map(([type, data]) => {
    const frames = frameCount({ type, data } as TaskEvent)
    seq += frames
    return { type, schema_version: 1, data, seq: seq - frames, frames }
  })
  const { stream, owner, session_id, correlation_id } = last
  const who = { principal: 'other', owner, session_id, correlation_id, causation_id: 'req' }
  await system.log.append([{ stream, expectedRevision: last.revision, ...who, events }])
}

t.test('when somebody else wrote first, the turn is taken again on what they wrote', async t => {
  const system = await givenSystem()
  const taskId = await system.play([{ sleep_ms: 10_000 }])
  await system.world.advance(100)
  await writePast(system, taskId, [['PauseRequested', {}]])
  t.ok(isPausing((await system.commands.pause(admin, taskId, 'req')).state))
  const paused = (await system.factsOf(taskId)).filter(type => type === 'PauseRequested')
  t.equal(paused.length, 1)
  await writePast(system, taskId, [['PauseRequested', {}]])
  t.equal((await system.commands.cancel(admin, taskId, 'req')).status, 'canceled')
})

t.test('an end that somebody else wrote is noticed: who waits is answered and the place is free', async t => {
  const system = await givenSystem()
  const taskId = await system.play([{ sleep_ms: 10_000 }], { session_id: 's1' })
  const next = await system.create({ session_id: 's1' })
  await system.world.advance(100)
  let answered = ''
  void system.commands.atRest(taskId).then(view => {
    answered = view.status
  })
  await writePast(system, taskId, [
    ['CancelRequested', {}],
    ['TaskCanceled', { from: 'working' }],
  ])
  await system.commands.cancel(admin, taskId, 'req')
  await quiet(system)
  t.equal(answered, 'canceled')
  t.equal(system.get(next).status, 'completed')
})

t.test('a place is given back when its create could not be stored', async t => {
  const { store, failNext } = failingStore()
  const system = await givenSystem({ store, maxRunningTasks: 1 })
  failNext('lost')
  await t.rejects(system.create({ session_id: 's1' }))
  t.same(system.scheduler.counts(), { running: 0, waiting: 0 })
  const taskId = await system.create({ session_id: 's1' })
  await quiet(system)
  t.equal(system.get(taskId).status, 'completed')
})
