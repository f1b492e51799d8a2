// Sessions when writes fail or the disk is full.
import t from 'tap'
import { failingStore, memorySecrets, rowsOf, storeOf } from '../../support/system.ts'
import { given } from './given.ts'
import { asked, kinds, lost, reasonOf } from './sessions.ts'

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

t.test('a create that could not be written leaves no instance, and may be sent again', async t => {
  for (const how of ['lost', 'kept'] as const) {
    const disk = failingStore()
    const secrets = memorySecrets()
    const { create, system, memory, viewOf } = await given(t, { store: disk.store, secrets })
    const vars = { env_vars: { KEY: 'v' } }
    disk.failNext(how)
    t.ok(await reasonOf(create('s', 'refold', vars)))
    await system().world.advance(2000)
    await create('s', 'refold', vars)
    t.equal(memory.alive(), how === 'lost' ? 1 : 0, `${how}: a session that is there opens at its first use`)
    const ref = (await viewOf('s')).created?.secret_ref ?? ''
    t.same(secrets.get(ref), { env_vars: { KEY: 'v' } }, `${how}: with its secrets`)
  }
})

t.test('a retry of a create without a key finds the session whose write failed and was kept', async t => {
  const disk = failingStore()
  const { system } = await given(t, { store: disk.store })
  const { sessions } = system().environments
  const body = { env_class_path: 'refold' }
  const send = (isRetry: boolean) => sessions.create(asked, body, { isRetry, delivery: lost, began() {} })
  disk.failNext('kept')
  const first = reasonOf(send(false))
  const retry = send(true)
  t.ok(await first)
  await retry
  const created = (await system().stored()).filter(({ header }) => header.type === 'EnvSessionCreated')
  t.equal(created.length, 1)
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
