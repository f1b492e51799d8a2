// Who works and who waits: one of a session at a time, users in turn, nobody forgotten.
import t from 'tap'
import { createScheduler } from '../../actors/task/places/scheduler.ts'
import type { Place } from '../../actors/task/places/waiting-line.ts'
import {
  admin,
  crashed,
  failingStore,
  givenSystem,
  holdReadModels,
  quiet,
  restarted,
} from '../support/system.ts'
import { randomOf } from '../support/world.ts'

const place = (taskId: string, userId = 'u1', sessionId = taskId): Place => ({
  ...{ taskId, userId, sessionId, agent: 'echo' },
})
const given = (limit: number) => {
  const started: string[] = []
  const scheduler = createScheduler(limit)
  scheduler.onTurn(({ taskId }) => void started.push(taskId))
  return { scheduler, started }
}

t.test('one task of a session works, the next ones follow in the order of creation', async t => {
  const { scheduler, started } = given(0)
  t.equal(scheduler.admit(place('a', 'u1', 's')), true)
  for (const id of ['b', 'c', 'd']) t.equal(scheduler.admit(place(id, 'u1', 's')), false)
  scheduler.release('a')
  t.same(started, ['b'])
  scheduler.release('c')
  scheduler.release('b')
  t.same(started, ['b', 'd'], 'one that left while it waited is passed over')
})

t.test('two users may use the same session id and never meet', async t => {
  const { scheduler } = given(0)
  t.equal(scheduler.admit(place('a', 'u1', 's')), true)
  t.equal(scheduler.admit(place('b', 'u2', 's')), true)
  t.equal(scheduler.admit(place('c', 'u1', '["u2","s"]')), true)
})

t.test('at the limit users take turns, whatever one of them piles up', async t => {
  const { scheduler, started } = given(1)
  scheduler.admit(place('first'))
  for (const id of ['a1', 'a2', 'a3']) scheduler.admit(place(id, 'anna'))
  for (const id of ['b1', 'b2']) scheduler.admit(place(id, 'bert'))
  scheduler.admit(place('c1', 'carl'))
  let working = 'first'
  for (let n = 0; n < 6; n++) {
    scheduler.release(working)
    working = started.at(-1) ?? ''
  }
  t.same(started, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
})

t.test('of one user, the older of two sessions goes first', async t => {
  const { scheduler, started } = given(1)
  scheduler.admit(place('first', 'u2'))
  scheduler.admit(place('a1', 'u1', 's1'))
  scheduler.admit(place('a2', 'u1', 's1'))
  scheduler.admit(place('b1', 'u1', 's2'))
  scheduler.release('first')
  scheduler.release('a1')
  scheduler.release(started[1] ?? '')
  t.same(started, ['a1', 'b1', 'a2'], 'sessions of a user take turns too')
})

t.test('a resumed task goes beside, and its session waits until both are gone', async t => {
  const { scheduler, started } = given(1)
  scheduler.admit(place('a', 'u1', 's'))
  scheduler.take(place('b', 'u1', 's'))
  scheduler.admit(place('c', 'u1', 's'))
  t.same(scheduler.counts(), { running: 2, waiting: 1 })
  scheduler.release('a')
  t.same(started, [])
  scheduler.release('b')
  t.same(started, ['c'])
})

t.test('to leave twice, or without having come, changes nothing', async t => {
  const { scheduler, started } = given(1)
  scheduler.admit(place('a'))
  scheduler.admit(place('b'))
  scheduler.release('nobody')
  scheduler.release('a')
  scheduler.release('a')
  t.same(started, ['b'])
  t.same(scheduler.counts(), { running: 1, waiting: 0 })
})

t.test('filled at start, it goes on as before', async t => {
  const { scheduler, started } = given(2)
  scheduler.fill(place('a', 'u1', 's'), true)
  scheduler.fill(place('b', 'u1', 's'), false)
  scheduler.fill(place('c', 'u2', 's'), false)
  scheduler.fill(place('d', 'u3', 's'), false)
  t.same(started, [], 'nobody starts before everybody is there')
  scheduler.begin()
  t.same(started, ['c'])
  scheduler.fill(place('d', 'u3', 's'), false)
  t.same(scheduler.counts(), { running: 2, waiting: 2 }, 'filled twice is there once')
})

t.test('random comings and goings: within the limit, one a session, nobody forgotten', async t => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = randomOf(seed)
    const limit = Math.floor(random() * 4)
    const places = new Map<string, Place>()
    const working = new Set<string>()
    const beside = new Set<string>()
    const waiting: string[] = []
    const begin = ({ taskId }: Place) => {
      waiting.splice(waiting.indexOf(taskId), 1)
      working.add(taskId)
    }
    const scheduler = createScheduler(limit)
    scheduler.onTurn(begin)
    const sessionOf = (id: string) => `${places.get(id)?.userId} ${places.get(id)?.sessionId}`
    for (let n = 0; n < 60; n++) {
      const known = [...working, ...beside, ...waiting]
      if (random() < 0.5 || known.length === 0) {
        const mine = place(`t${n}`, `u${Math.floor(random() * 3)}`, `s${Math.floor(random() * 2)}`)
        places.set(mine.taskId, mine)
        if (random() < 0.1) {
          beside.add(mine.taskId)
          scheduler.take(mine)
        } else if (scheduler.admit(mine)) working.add(mine.taskId)
        else waiting.push(mine.taskId)
      } else {
        const gone = known[Math.floor(random() * known.length)] ?? ''
        for (const set of [working, beside]) set.delete(gone)
        if (waiting.includes(gone)) waiting.splice(waiting.indexOf(gone), 1)
        scheduler.release(gone)
      }
      const sessions = [...working].map(sessionOf)
      if (new Set(sessions).size !== sessions.length) t.fail(`SEED=${seed}: two of a session work`)
      const running = working.size + beside.size
      if (limit > 0 && working.size > limit) t.fail(`SEED=${seed}: over the limit`)
      const busy = new Set([...working, ...beside].map(sessionOf))
      const mayStart = waiting.filter(id => !busy.has(sessionOf(id)))
      if ((limit === 0 || running < limit) && mayStart.length > 0)
        t.fail(`SEED=${seed}: ${mayStart} is forgotten`)
      if (scheduler.counts().running !== running || scheduler.counts().waiting !== waiting.length) {
        t.fail(`SEED=${seed}: the counts are wrong`)
      }
    }
    for (let n = 0; n < 100; n++) {
      const id = [...working, ...beside, ...waiting][0]
      if (id === undefined) break
      if (!working.delete(id) && !beside.delete(id)) waiting.splice(waiting.indexOf(id), 1)
      scheduler.release(id)
    }
    if (scheduler.counts().running + scheduler.counts().waiting !== 0)
      t.fail(`SEED=${seed}: something is left`)
  }
  t.pass()
})

const statuses = (system: Awaited<ReturnType<typeof givenSystem>>, ids: string[]) =>
  ids.map(id => system.get(id).status)

t.test('in the system: a session works one by one, two users with one session id at once', async t => {
  const system = await givenSystem()
  const sleepy = [{ sleep_ms: 1000 }]
  const make = (user_id: string) => system.play(sleepy, { session_id: 's', user_id })
  const ids = [await make('u1'), await make('u1'), await make('u2'), await make('u1')]
  await quiet(system)
  t.same(statuses(system, ids), ['working', 'queued', 'working', 'queued'])
  await system.world.advance(1100)
  t.same(statuses(system, ids), ['completed', 'working', 'completed', 'queued'])
  await system.world.advance(1100)
  t.same(statuses(system, ids), ['completed', 'completed', 'completed', 'working'])
})

t.test('in the system: a paused task frees its place and comes back beside another', async t => {
  const system = await givenSystem({ maxRunningTasks: 1 })
  const first = await system.play([{ pause: 'tea' }, { sleep_ms: 1000 }], { session_id: 's' })
  const second = await system.play([{ sleep_ms: 5000 }], { session_id: 's' })
  const third = await system.play([{ sleep_ms: 1000 }], { session_id: 's' })
  await quiet(system)
  t.same(statuses(system, [first, second, third]), ['paused', 'working', 'queued'])
  await system.commands.resume(admin, first, 'req')
  t.same(statuses(system, [first, second, third]), ['working', 'working', 'queued'])
  await system.world.advance(2000)
  t.same(statuses(system, [first, second, third]), ['completed', 'working', 'queued'])
})

t.test('in the system: the order is kept over a restart and a crash', async t => {
  for (const again of [restarted, crashed]) {
    const system = await givenSystem({ maxRunningTasks: 1 })
    const ids: string[] = []
    for (let n = 0; n < 5; n++) ids.push(await system.play([{ sleep_ms: 1000 }], { session_id: 's' }))
    await quiet(system)
    const next = await again(system)
    await next.world.advance(10_000)
    const starts = (await next.stored()).flatMap(({ header }) =>
      header.type === 'TaskStarted' ? [header.stream.slice('task-'.length)] : [],
    )
    t.same(starts, ids)
  }
})

t.test('in the system: a create that could not be stored holds no place', async t => {
  const { store, failNext } = failingStore()
  const system = await givenSystem({ store })
  for (let n = 0; n < 3; n++) {
    failNext('lost')
    await t.rejects(system.create({ session_id: 's' }))
    await system.world.advance(1500)
  }
  const taskId = await system.create({ session_id: 's' })
  t.notOk((await system.factsOf(taskId)).includes('TaskQueued'))
})

t.test(
  'a task whose turn comes while the read models are behind starts when they have caught up',
  async t => {
    const system = await givenSystem()
    const first = await system.play([{ sleep_ms: 1000 }], { session_id: 's' })
    const next = await system.create({ session_id: 's' })
    const third = await system.create({ session_id: 's' })
    const last = await system.create({ session_id: 's' })
    await quiet(system)
    const catchUp = holdReadModels(system)
    await system.world.advance(1000)
    await quiet(system)
    t.equal((await system.factsOf(first)).at(-1), 'TaskCompleted')
    t.equal(system.projector.isCurrent(), false)
    t.same((await system.factsOf(next)).at(-1), 'TaskQueued')
    await catchUp()
    await quiet(system)
    for (const id of [next, third, last]) t.equal(system.get(id).status, 'completed')
  },
)

t.test('a subagent is called, and a group chat goes on, while the read models are behind', async t => {
  const system = await givenSystem({ quotas: { tasks: 100 } })
  const parent = await system.play([{ sleep_ms: 1000 }, { subagent: 'echo', input: 'heard' }])
  const talk = { agent_id: 'script', script: [{ sleep_ms: 1000 }, { message: 'said' }] }
  const speakers = ['a', 'b'].map(name => ({ name, ...talk }))
  const chat = await system.create({
    agent_config: { agent_id: 'group', group: { agents: speakers, order: 'round_robin', max_rounds: 1 } },
  })
  await quiet(system)
  const catchUp = holdReadModels(system)
  for (let n = 0; n < 4; n++) {
    await system.world.advance(1000)
    await quiet(system)
  }
  t.equal(system.projector.isCurrent(), false)
  await catchUp()
  t.match(system.get(parent), {
    status: 'completed',
    output: [{ type: 'tool_call' }, { type: 'tool_result', status: 'completed' }],
  })
  t.equal(system.get(chat).status, 'completed')
})
