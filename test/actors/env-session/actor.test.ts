// Sessions and their steps: crashes, steps that are asked for at once, and steps that are canceled or stopped.
import t from 'tap'
import { refused } from '../../support/system.ts'
import { settle } from '../../support/world.ts'
import { given } from './given.ts'
import { drawnBy, type Sum } from './memory.ts'
import { kinds, reasonOf } from './sessions.ts'

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
