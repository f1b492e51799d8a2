// Sessions in a system without a network: writes that fail, crashes at every stored event, and random histories.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t, { type Test } from 'tap'
import { liveSession } from '../../../actors/env-session/live.ts'
import { memoryStore } from '../../../src/log/memory-store.ts'
import type { Store } from '../../../src/log/store.ts'
import { until } from '../../support/http.ts'
import { failingStore, memorySecrets, refused, rowsOf, storeOf } from '../../support/system.ts'
import { randomOf, settle, testWorld } from '../../support/world.ts'
import { lastSnapshots, sessionMustFollowChart } from '../chart.ts'
import { drawnBy, memoryEnvironments, type Sum } from './memory.ts'
import { kinds, reasonOf, recordedOf, sessionsOf } from './sessions.ts'
import { crashedSessions, givenSessions, restartedSessions, type SessionOptions } from './system.ts'

/** A folder of the test's own; what is still written when it ends is none of tap's business. */
const folderFor = (t: Test): string => {
  const folder = mkdtempSync(path.join(tmpdir(), 'reprise-sessions-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  return folder
}

type Options = Partial<SessionOptions>
const given = async (t: Test, options: Options = {}) => {
  const memory = memoryEnvironments()
  const { environments } = memory
  const faults: unknown[] = []
  let system = await givenSessions({
    environments,
    workspaceRoot: folderFor(t),
    onFault: error => faults.push(error),
    ...options,
  })
  t.teardown(() => system.close())
  return {
    memory,
    faults,
    system: () => system,
    ...sessionsOf(() => system),
    recorded: (id: string) => recordedOf(system, id),
    async crash(changes: Options = {}) {
      system = await crashedSessions(system, changes)
    },
    async restart(changes: Options = {}) {
      system = await restartedSessions(system, changes)
    },
  }
}

t.test('after a crash a session is where it was, and its steps count on', async t => {
  for (const kind of ['refold', 'snapshot'] as const) {
    const { create, step, reset, observe, crash, restart, recorded } = await given(t)
    await create('s', kind)
    await step('s', 'add', { by: 3 })
    await reset('s', 7, { total: 10 })
    await step('s', 'draw')
    await step('s', 'fail')
    const { state } = await step('s', 'add', { by: 3 })
    for (const again of [crash, restart]) {
      await again()
      t.same((await observe('s')).state, state, kind)
      t.match(state, { total: 13, drawn: [drawnBy(7, 1)] })
    }
    t.match(await step('s', 'draw'), { step: 5, state: { total: 13, drawn: [drawnBy(7, 1), drawnBy(7, 4)] } })
    t.same(
      (await recorded('s')).steps.map(({ step }) => step),
      [1, 2, 3, 4, 5],
    )
  }
})

t.test('one that cannot come back is closed with a reason, and what was recorded of it stays', async t => {
  const { create, step, crash, recorded, observe } = await given(t)
  await create('s', 'none')
  const first = await step('s', 'add', { by: 3 }, { key: 'k' })
  await crash()
  t.match((await recorded('s')).view, { state: 'closed', closeReason: /restarted/, step: 1 })
  await t.rejects(observe('s'), refused('SessionNotFound'))
  t.same(await step('s', 'add', { by: 3 }, { key: 'k' }), first, 'a step that was taken is answered')
  await create('s', 'none')
  t.match(await step('s', 'add', { by: 1 }), { step: 2, state: { total: 1 } })
})

t.test('a crash in a step that can be done again leaves no trace of it', async t => {
  const { create, step, observe, crash, memory, recorded } = await given(t)
  await create('s', 'refold')
  await step('s', 'add', { by: 1 })
  const { begun, go } = memory.hold()
  const lost = reasonOf(step('s', 'add', { by: 5 }, { key: 'k' }))
  await begun
  await crash()
  go()
  t.ok(await lost, 'nobody was told that it was done')
  t.match((await observe('s')).state, { total: 1 })
  t.match(await step('s', 'add', { by: 5 }, { key: 'k' }), { step: 2, state: { total: 6 } })
  t.same((await recorded('s')).types.slice(-2), ['EnvStepCompleted', 'EnvStepCompleted'])
})

t.test(
  'a crash in a step that may not be repeated is told, and a snapshot brings back what was before',
  async t => {
    for (const retry of [{ key: 'k' }, { isRetry: true }]) {
      const { create, step, observe, reset, crash, memory, recorded } = await given(t)
      await create('s', 'snapshot')
      await step('s', 'add', { by: 1 })
      const { begun, go } = memory.hold()
      const lost = reasonOf(step('s', 'add', { by: 5 }, { ...retry, isRetry: false }))
      await begun
      await crash()
      go()
      t.ok(await lost)
      t.match((await observe('s')).state, { total: 1 })
      const told = await step('s', 'add', { by: 5 }, retry)
      t.match(told, { step: 2, done: false, state: { total: 1 }, info: { outcome_unknown: true } })
      t.same(memory.happened, ['add 1', 'add 2'], 'asked for again it is not done again')
      t.match(await step('s', 'add', { by: 7 }), { step: 3, state: { total: 8 } }, 'as a new step it is')
      t.same((await recorded('s')).types.slice(-5), [
        'EnvStepCompleted',
        'EnvStepIntended',
        'EnvStepCompleted',
        'EnvStepIntended',
        'EnvStepCompleted',
      ])
      await crash()
      t.match(await reset('s', 1), { observation: { total: 0 } })
    }
  },
)

t.test('a crash in a step that cannot be done again is told, once', async t => {
  const { create, step, crash, memory, recorded } = await given(t)
  await create('s', 'none')
  await step('s', 'add', { by: 1 })
  const { begun, go } = memory.hold()
  const lost = reasonOf(step('s', 'add', { by: 5 }))
  await begun
  await crash()
  go()
  t.ok(await lost)
  const { types, view, steps } = await recorded('s')
  t.same(types.slice(-3), ['EnvStepIntended', 'EnvStepCompleted', 'EnvSessionClosed'])
  t.match(view, { step: 2, newest: { status: 'incomplete', truncated: true }, open: undefined })
  t.equal(new Set(steps.map(({ effect_id }) => effect_id)).size, 2)
  await crash()
  t.equal((await recorded('s')).types.length, types.length, 'another start adds nothing')
})

t.test('of two steps at once that cannot be done again each is told before it is done', async t => {
  const { create, step, crash, memory, recorded } = await given(t)
  await create('s', 'none')
  const first = memory.hold()
  const one = reasonOf(step('s', 'add', { by: 1 }))
  const two = reasonOf(step('s', 'add', { by: 2 }))
  await first.begun
  await settle()
  t.same((await recorded('s')).types, ['EnvSessionCreated', 'EnvStepIntended'], 'one at a time')
  first.go()
  const second = memory.hold()
  await second.begun
  t.equal(await one, undefined)
  await crash()
  second.go()
  t.ok(await two)
  const { view, steps } = await recorded('s')
  t.same(
    steps.map(({ step }) => step),
    [1, 2],
  )
  t.match(view.newest, { status: 'incomplete', tool_args: { by: 2 } })
  t.same(memory.happened, ['add 1', 'add 2'])
})

t.test(
  'a step that its session did not survive is answered again, also to who asked while it ran',
  async t => {
    for (const kind of kinds) {
      for (const retry of [{ key: 'k' }, { isRetry: true }]) {
        const { create, step, memory, recorded } = await given(t)
        await create('s', kind)
        const { begun, go } = memory.hold()
        const first = step('s', 'die', {}, { ...retry, isRetry: false })
        await begun
        const second = step('s', 'die', {}, retry)
        await settle(20)
        go()
        const answer = await first
        t.same(await second, answer, `${kind}: while it ran`)
        t.same(await step('s', 'die', {}, retry), answer, `${kind}: and afterwards`)
        t.match((await recorded('s')).types, ['EnvSessionCreated', /Env/, /Env/])
        t.equal((await recorded('s')).steps.length, 1)
      }
    }
  },
)

t.test('whether a step may be taken is told before it waits, as far as it can be known', async t => {
  const { create, step, memory, mayStep } = await given(t)
  await create('s', 'refold')
  const { begun, go } = memory.hold()
  const running = step('s', 'draw')
  await begun
  const waiting = Array.from({ length: 3 }, () => step('s', 'draw'))
  await settle(20)
  const may = (expected_step: number) => reasonOf(mayStep('s', 'draw', { expected_step }))
  t.same(await Promise.all([1, 4, 5, 6].map(may)), [undefined, undefined, undefined, 'Conflict'])
  const more = Array.from({ length: 61 }, () => step('s', 'draw'))
  await settle(200)
  t.equal(await reasonOf(mayStep('s', 'draw')), 'Busy')
  go()
  await Promise.all([running, ...waiting, ...more])
  t.same(await Promise.all([65, 66, 67].map(may)), ['Conflict', undefined, 'Conflict'])
  await step('s', 'end')
  t.equal(await reasonOf(mayStep('s', 'draw')), 'SessionDone')
})

t.test('steps asked for at once are taken in the order in which they came', async t => {
  for (const kind of kinds) {
    const { create, step, memory } = await given(t)
    await create('s', kind)
    const { begun, go } = memory.hold()
    const numbers = Array.from({ length: 65 }, (_, n) => n + 1)
    const asked = numbers.map(by => step('s', 'add', { by }))
    await begun
    await settle()
    t.equal(await reasonOf(step('s', 'add', { by: 0 })), 'Busy', 'sixty-four wait behind one, and no more')
    go()
    const answers = await Promise.all(asked)
    t.same(
      answers.map(({ step }) => step),
      numbers,
      kind,
    )
    t.same(
      answers.map(({ state }) => (state as Sum).total),
      numbers.map(n => (n * (n + 1)) / 2),
      'each answer is that of its own step',
    )
    t.equal(await reasonOf(step('s', 'add', { by: 0 })), undefined)
  }
})

t.test('a write that fails is done again by whoever asks again, and never twice', async t => {
  for (const kind of kinds) {
    for (const how of ['lost', 'kept'] as const) {
      const disk = failingStore()
      const { create, step, observe, system, recorded } = await given(t, { store: disk.store })
      await create('s', kind)
      await step('s', 'add', { by: 1 })
      disk.failNext(how)
      t.ok(await reasonOf(step('s', 'add', { by: 5 }, { key: 'k' })))
      await system().world.advance(2000)
      const again = await reasonOf(step('s', 'add', { by: 5 }, { key: 'k' }))
      const { view, steps } = await recorded('s')
      const numbers = steps.map(({ step }) => step)
      if (kind === 'none') {
        // Its instance may be ahead of the log, and cannot be taken back: the session says so, or nothing was begun.
        t.ok(again === undefined || view.closeReason !== undefined, `${how}: ${again} ${view.closeReason}`)
        continue
      }
      t.equal(again, undefined, `${kind}, ${how}`)
      t.same(numbers, [1, 2])
      // An intent that reached the disk after all says that the step may have been taken.
      const isUnknown = kind === 'snapshot' && how === 'kept'
      t.equal(view.newest?.unknown, isUnknown ? true : undefined)
      t.match((await observe('s')).state, { total: isUnknown ? 1 : 6 }, `${kind}, ${how}`)
    }
  }
})

t.test('a close that could not be written leaves a session that can go on', async t => {
  for (const kind of ['refold', 'snapshot'] as const) {
    for (const end of ['close', 'remove'] as const) {
      const disk = failingStore()
      const all = await given(t, { store: disk.store })
      await all.create('s', kind)
      await all.step('s', 'add', { by: 4 })
      disk.failNext('lost')
      t.ok(await reasonOf(all[end]('s')))
      await all.system().world.advance(2000)
      t.match((await all.observe('s')).state, { total: 4 }, `${kind} ${end}`)
      await all.crash({ store: await storeOf(rowsOf(all.system().store)) })
      t.match(await all.step('s', 'add', { by: 1 }), { step: 2, state: { total: 5 } })
    }
  }
})

t.test('a create that could not be written leaves nothing behind', async t => {
  const disk = failingStore()
  const secrets = memorySecrets()
  const { create, system, memory, record } = {
    ...(await given(t, { store: disk.store, secrets })),
    record: () => secrets.refs(),
  }
  disk.failNext('lost')
  t.ok(await reasonOf(create('s', 'refold', { env_vars: { KEY: 'v' } })))
  t.same(record(), [], 'no secret')
  await system().world.advance(2000)
  await create('s', 'refold', { env_vars: { KEY: 'v' } })
  t.equal(memory.alive(), 1, 'and no second instance')
})

t.test('a disk that is full refuses what needs it, and ends no session', async t => {
  const { create, step, observe, crash, memory, faults } = await given(t)
  const { open } = memory.environments
  const full = Object.assign(new Error('no space left'), { code: 'ENOSPC', syscall: 'mkdir' })
  const fill = () => {
    memory.environments.open = () => Promise.reject(full)
  }
  for (const kind of ['refold', 'snapshot'] as const) {
    await create(kind, kind)
    await step(kind, 'add', { by: 3 })
    await crash()
    fill()
    const tries: (() => Promise<unknown>)[] = [
      () => observe(kind),
      () => step(kind, 'add', { by: 1 }),
      () => create('other', kind),
    ]
    for (const work of tries) await t.rejects(work(), { message: 'the disk is full' })
    memory.environments.open = open
    t.match(await step(kind, 'add', { by: 1 }), { step: 2, state: { total: 4 } }, kind)
  }
  t.same(faults, [])
})

t.test('few instances are opened at a time, and users take turns', async t => {
  const { system, memory } = await given(t)
  const { open } = memory.environments
  const opening: (() => void)[] = []
  memory.environments.open = async (...given) => {
    await new Promise<void>(resolve => opening.push(resolve))
    return open(...given)
  }
  const { sessions } = system().environments
  const create = (userId: string, session_id: string) =>
    sessions.create(
      { principal: { id: `tok-${userId}`, role: 'user', userId, expiresAt: undefined }, requestId: 'r' },
      { session_id, env_class_path: 'refold' },
      { isRetry: false, delivery: { onEnd() {} }, began() {} },
    )
  const anns = Array.from({ length: 40 }, (_, n) => create('ann', `ann-${n}`))
  await until(() => opening.length >= 2)
  await settle()
  const first = opening.length
  t.ok(first < 40, `${first} of ann's at once`)
  const bobs = create('bob', 'bob')
  await until(() => opening.length > first)
  t.equal(opening.length, first + 1, "bob's begins at once")
  opening.at(-1)?.()
  t.match(await bobs, { session_id: 'bob' })
  opening[0]?.()
  await anns[0]
  await until(() => opening.length > first + 1)
  await settle()
  t.equal(opening.length, first + 2, "ann's next one follows the first that is open")

  const refused = anns.slice(1).map(made => t.rejects(made))
  const stopped = system().close()
  for (const begin of opening) begin()
  await stopped
  await Promise.all(refused)
  t.equal(opening.length, first + 2, 'what waits when the service stops is never opened')
  t.equal(memory.alive(), 0)
})

t.test('code that has changed is said to have changed', async t => {
  for (const kind of ['refold', 'snapshot'] as const) {
    const { create, step, crash, memory, recorded } = await given(t)
    await create('s', kind)
    await step('s', 'add', { by: 1 })
    memory.change()
    await crash()
    // The same move again: it was not taken, so the answer of the one before it is not given.
    t.equal(await reasonOf(step('s', 'add', { by: 1 })), 'SessionNotFound', kind)
    t.match((await recorded('s')).view, { state: 'closed', closeReason: /^code changed/, step: 1 })
    await create('s', kind)
    t.match(await step('s', 'add', { by: 1 }), { step: 2 })
  }
})

t.test('secrets that are gone close the session that needs them', async t => {
  const { create, step, crash, recorded } = await given(t)
  await create('s', 'refold', { env_vars: { KEY: 'v' } })
  t.match(await step('s', 'add', { by: 1 }), { state: { secrets: 1 } })
  await crash()
  t.match(await step('s', 'add', { by: 1 }), { state: { secrets: 1, total: 2 } }, 'they outlive a crash')
  await crash({ secrets: memorySecrets() })
  t.equal(await reasonOf(step('s', 'add', { by: 1 })), 'SessionNotFound')
  t.match((await recorded('s')).view, { closeReason: 'secret_missing', step: 2 })
})

t.test('secrets are kept while the session lives, and not longer', async t => {
  const secrets = memorySecrets()
  const { create, close, remove, step } = await given(t, { secrets })
  const env_vars = { KEY: 'v' }
  await create('s', 'refold', { env_vars })
  await create('s', 'refold', { env_vars })
  t.equal(secrets.refs().length, 1, 'asked for again it has those that it had')
  t.ok(await reasonOf(create('s', 'snapshot', { env_vars })))
  t.equal(secrets.refs().length, 1)
  await close('s')
  t.equal(secrets.refs().length, 0)
  await create('s', 'refold', { env_vars })
  await remove('s')
  t.equal(secrets.refs().length, 0)
  await create('d', 'refold', { env_vars })
  await step('d', 'die')
  t.equal(secrets.refs().length, 0)
})

t.test('a step that is canceled before it began is none', async t => {
  for (const kind of kinds) {
    const { create, step, observe, crash, memory, recorded, close } = await given(t)
    await create('s', kind)
    const { begun, go } = memory.hold()
    const controller = new AbortController()
    const first = step('s', 'add', { by: 1 })
    await begun
    const second = reasonOf(step('s', 'add', { by: 5 }, { signal: controller.signal }))
    await settle()
    controller.abort()
    go()
    await first
    t.ok(await second, kind)
    t.match((await observe('s')).state, { total: 1 })
    t.equal((await recorded('s')).view.step, 1)
    if (kind !== 'none') {
      await crash()
      t.match((await observe('s')).state, { total: 1 }, 'also when it is brought back')
    }
    await close('s')
    t.equal((await recorded('s')).view.step, 1, 'and at the end nothing is told of it')
  }
})

t.test('a step that was stopped is a step, and the session comes back as it was recorded', async t => {
  for (const kind of ['refold', 'snapshot'] as const) {
    const { create, step, observe, crash, memory } = await given(t)
    await create('s', kind)
    const { begun, go } = memory.hold()
    const controller = new AbortController()
    const stopped = step('s', 'add', { by: 5 }, { signal: controller.signal })
    await begun
    controller.abort()
    t.match(await stopped, { step: 1, tool_result: { status: 'incomplete' }, state: { total: 0 } })
    go()
    await step('s', 'add', { by: 1 })
    await crash()
    const again = await observe('s').catch((error: Error) => error)
    t.match(again, { state: { total: 1 } }, kind)
  }
})

t.test(
  'a session whose stopped step had done something already is never brought back as another',
  async t => {
    for (const kind of ['refold', 'snapshot'] as const) {
      const { create, step, crash, memory, recorded } = await given(t)
      await create('s', kind)
      await step('s', 'add', { by: 3 })
      const { begun, go } = memory.hold()
      const controller = new AbortController()
      const stopped = step('s', 'creep', {}, { signal: controller.signal })
      await begun
      controller.abort()
      t.match(await stopped, { step: 2, tool_result: { status: 'incomplete' }, state: { total: 4 } })
      go()
      await crash()
      const next = await step('s', 'add', { by: 10 }).catch((error: Error) => error)
      const { view } = await recorded('s')
      if (view.state === 'active') t.match(next, { step: 3, state: { total: 14 } }, kind)
      else t.match(view.closeReason, /something else/, 'or it says why it is not')
    }
  },
)

t.test('a session that nobody uses for a while is there when it is asked for', async t => {
  const now = performance.now.bind(performance)
  let ahead = 0
  performance.now = () => now() + ahead
  t.teardown(() => {
    performance.now = now
  })
  for (const kind of kinds) {
    const { create, step, system, memory, observe } = await given(t)
    await create('s', kind)
    await step('s', 'add', { by: 2 })
    t.equal(memory.alive(), 1)
    ahead += 6 * 60_000
    await system().world.advance(6 * 60_000)
    t.equal(memory.alive(), kind === 'none' ? 1 : 0, `${kind}: what can come back goes`)
    t.match((await observe('s')).state, { total: 2 })
    t.match(await step('s', 'add', { by: 2 }), { step: 2, state: { total: 4 } })
  }
})

t.test('a step that lasts longer than a session may idle is not cut off', async t => {
  const now = performance.now.bind(performance)
  let ahead = 0
  performance.now = () => now() + ahead
  t.teardown(() => {
    performance.now = now
  })
  for (const kind of kinds) {
    const { create, step, system, memory } = await given(t)
    await create('s', kind)
    const { begun, go } = memory.hold()
    const answer = step('s', 'add', { by: 2 })
    await begun
    ahead += 3 * 3600_000
    await system().world.advance(3 * 3600_000)
    go()
    t.match(await answer, { step: 1, state: { total: 2 } }, kind)
  }
})

t.test('nothing is left running, nor on the disk, when a session has ended', async t => {
  const workspaceRoot = folderFor(t)
  const { create, step, close, remove, memory, system } = await given(t, { workspaceRoot })
  for (const [id, end] of [
    ['a', close],
    ['b', remove],
    ['c', (id: string) => step(id, 'die')],
  ] as const) {
    await create(id, 'snapshot')
    await step(id, 'add', { by: 1 })
    t.ok(existsSync(path.join(workspaceRoot, 'default', id)))
    await end(id)
    for (let n = 0; n < 500 && existsSync(path.join(workspaceRoot, 'default', id)); n++) {
      await new Promise(resolve => setTimeout(resolve, 10))
    }
    t.notOk(existsSync(path.join(workspaceRoot, 'default', id)), id)
  }
  await create('d', 'refold')
  t.equal(memory.alive(), 1)
  await system().close()
  t.equal(memory.alive(), 0)
})

t.test('a start keeps the files of active sessions, and leaves no others', async t => {
  const workspaceRoot = folderFor(t)
  const { create, step, observe, restart } = await given(t, { workspaceRoot })
  await create('a b', 'snapshot')
  await step('a b', 'add', { by: 1 })
  for (const orphan of ['half-made', '=c2hhZG93', 'default/half-made', 'default/=c2hhZG93', 'other/a b'])
    mkdirSync(path.join(workspaceRoot, orphan, 'files'), { recursive: true })
  await restart()
  t.same(readdirSync(workspaceRoot).sort(), ['.sorted-by-user', 'default'])
  t.same(readdirSync(path.join(workspaceRoot, 'default')), [`=${Buffer.from('a b').toString('base64url')}`])
  t.match((await observe('a b')).state, { total: 1 })
})

t.test('a session that is created again at once has its own files', async t => {
  const { create, step, close, crash, observe } = await given(t)
  await create('s', 'snapshot')
  for (let n = 1; n <= 10; n++) {
    await close('s')
    await create('s', 'snapshot')
    await step('s', 'add', { by: n })
    await settle()
  }
  await crash()
  t.match((await observe('s')).state, { total: 10 })
})

/** What the world holds at a moment: the log, and the files beside it. */
type Moment = { rows: ReturnType<typeof rowsOf>; folder: string; written: boolean }

t.test('killed before or after any event was stored, a session goes on from what is stored', async t => {
  for (const kind of ['refold', 'snapshot'] as const) {
    const folder = folderFor(t)
    const workspaceRoot = path.join(folder, 'now')
    mkdirSync(workspaceRoot)
    const moments: Moment[] = []
    const inner = memoryStore()
    const keep = (written: boolean) => {
      const copy = path.join(folder, `${moments.length}`)
      cpSync(workspaceRoot, copy, { recursive: true })
      moments.push({ rows: rowsOf(inner), folder: copy, written })
    }
    const store: Store = {
      ...inner,
      async write(batch) {
        keep(false)
        await inner.write(batch)
        keep(true)
      },
    }
    const { create, step, reset, close, memory } = await given(t, { store, workspaceRoot })
    await create('s', kind)
    await step('s', 'add', { by: 1 })
    await step('s', 'draw')
    await reset('s', 3, { total: 5 })
    await step('s', 'add', { by: 2 })
    await step('s', 'end')
    await reset('s', 4)
    await step('s', 'fail')
    await step('s', 'draw')
    await close('s')
    await settle(50) // its files go
    await create('s', kind, { env_init_kwargs: { total: 30 } })
    await step('s', 'add', { by: 2 })

    for (const [n, { rows, folder: files }] of moments.entries()) {
      const system = await givenSessions({
        environments: memory.environments,
        store: await storeOf(rows),
        world: testWorld(n + 2, undefined, `m${n}-`),
        workspaceRoot: files,
      })
      const again = sessionsOf(() => system)
      const { view } = await recordedOf(system, 's')
      const where = `${kind}, moment ${n}, after ${rows.length} events`
      if (view.state === 'active') {
        t.same((await again.observe('s')).state, view.observed, where)
        t.equal((await again.observe('s')).done, view.done)
        if (view.done) await t.rejects(again.step('s', 'add', { by: 1 }), refused('SessionDone'))
        else {
          const { total } = view.observed as Sum
          t.match(
            await again.step('s', 'add', { by: 1 }),
            { step: view.step + (view.open === undefined ? 1 : 2), state: { total: total + 1 } },
            where,
          )
        }
      } else if (view.state === 'closed') {
        await t.rejects(again.observe('s'), refused('SessionNotFound'))
        await again.create('s', kind)
        t.match(await again.step('s', 'add', { by: 1 }), { step: view.step + 1, state: { total: 1 } }, where)
      } else {
        await t.rejects(again.observe('s'), refused('SessionNotFound'))
      }
      await system.close()
    }
  }
})

/** Plays one seed: whatever is cut off is asked for again, until it is answered. */
const play = async (t: Test, seed: number) => {
  const random = randomOf(seed)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const kind = pick(['refold', 'snapshot'] as const)
  let disk = failingStore()
  const world = testWorld(seed)
  const { running, inspect } = lastSnapshots()
  const all = await given(t, { store: disk.store, world, inspect })
  const { create, step, reset, observe, close, memory, system, recorded, viewOf } = all
  const crash = async (clean: boolean) => {
    disk = failingStore(await storeOf(rowsOf(system().store)))
    await (clean ? all.restart({ store: disk.store }) : all.crash({ store: disk.store }))
  }
  /** What was answered, by key. */
  const answers = new Map<string, string>()
  const model = { open: false, seed: 0, total: 0, drawn: [] as number[], done: false, step: 0, before: 0 }
  const trouble = async () => {
    const kindOf = random()
    if (kindOf < 0.25) await crash(random() < 0.5)
    else if (kindOf < 0.5) disk.failNext(pick(['lost', 'kept']), pick([1, 1, 2]))
    else if (kindOf < 0.6)
      system().environments.sessions // nothing
    else await settle(Math.floor(random() * 6))
  }
  /** Asks until there is an answer, though the system may go away meanwhile. */
  const insist = async <T>(ask: () => Promise<T>): Promise<T> => {
    for (let n = 0; n < 60; n++) {
      // Rejections are looked at later: the system may be gone by then.
      const answer = ask().then(
        value => ({ value }),
        (error: Error & { reason?: string }) => ({ error }),
      )
      if (random() < 0.5) await settle(Math.floor(random() * 4))
      if (random() < 0.4) await trouble()
      const told = await answer
      if ('value' in told) return told.value
      const { reason } = told.error
      if (reason !== undefined && !['ShuttingDown', 'StorageDown', 'ReadModelsBehind'].includes(reason))
        throw told.error
      await world.advance(1100)
    }
    throw new Error(`no answer, seed ${seed}`)
  }
  for (let n = 0; n < 25; n++) {
    if (!model.open) {
      const total = Math.floor(random() * 10)
      // Its seed is drawn by the server.
      await insist(() => create('s', kind, { env_init_kwargs: { total } }))
      const { view } = await recorded('s')
      Object.assign(model, { open: true, total, drawn: [], done: false, seed: view.seed, before: model.step })
    }
    const what = random()
    const key = `k${n}`
    if (what < 0.6) {
      const [name, args] = pick([
        ['add', { by: 1 }],
        ['add', { by: 7 }],
        ['draw', {}],
        ['fail', {}],
        ['end', {}],
      ] as const)
      if (model.done) {
        t.equal(await reasonOf(insist(() => step('s', name, args, { key }))), 'SessionDone')
        continue
      }
      const answer = await insist(() => step('s', name, args, { key }))
      model.step++
      answers.set(key, JSON.stringify([name, args, answer]))
      if (answer.info.outcome_unknown === true) {
        const { total, drawn, done } = model
        t.match(
          answer,
          { step: model.step, state: { total, drawn }, done },
          `seed ${seed}: nothing came of ${name}`,
        )
        continue
      }
      if (name === 'add') model.total += args.by
      if (name === 'draw') model.drawn.push(drawnBy(model.seed, model.step - model.before))
      if (name === 'end') model.done = true
      const { total, drawn, done } = model
      t.match(answer, { step: model.step, state: { total, drawn }, done }, `seed ${seed}: ${name}`)
    } else if (what < 0.72) {
      const drawnSeed = Math.floor(random() * 100)
      await insist(() => reset('s', drawnSeed, { total: 2 }))
      Object.assign(model, { seed: drawnSeed, total: 2, drawn: [], done: false, before: model.step })
    } else if (what < 0.85) {
      const { total, drawn, done } = model
      t.match(await insist(() => observe('s')), { state: { total, drawn }, done }, `seed ${seed}: observed`)
    } else if (what < 0.92) {
      await insist(() => close('s'))
      model.open = false
    } else await crash(random() < 0.5)
  }
  disk.failNext('lost', 0)
  for (const [key, text] of answers) {
    const [name, args, answer] = JSON.parse(text)
    t.same(await insist(() => step('s', name, args, { key })), answer, `seed ${seed}: ${key} is what it was`)
  }
  const { view, events, steps } = await recorded('s')
  t.same(
    steps.map(({ step }) => step),
    steps.map((_, n) => n + 1),
    'steps are numbered without holes',
  )
  t.equal(steps.length, model.step, 'none is lost, none is doubled')
  t.equal(new Set(steps.map(({ effect_id }) => effect_id)).size, steps.length)
  t.same(await viewOf('s'), view, 'the actor is the fold of its log')
  t.same(running.get('env-s'), liveSession.snapshotOf({ at: view.state }), 'and so is its running actor')
  t.doesNotThrow(() => sessionMustFollowChart(events))
  await system().close()
  t.equal(memory.alive(), 0, 'nothing is left running')
}

t.test('random histories with crashes and failing disks lose no step and double none', async t => {
  const seeds =
    process.env.SEED === undefined ? Array.from({ length: 25 }, (_, n) => n + 1) : [Number(process.env.SEED)]
  for (const seed of seeds) await play(t, seed)
})
