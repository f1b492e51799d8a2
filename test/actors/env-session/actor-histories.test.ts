// Sessions that are killed before and after every stored event, and in random histories.
import { cpSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { foldedSession } from '../../../actors/env-session/actor.ts'
import { snapshotOf } from '../../../actors/runtime/logic.ts'
import { memoryStore } from '../../../src/log/memory-store.ts'
import type { Store } from '../../../src/log/store.ts'
import { failingStore, refused, rowsOf, storeOf } from '../../support/system.ts'
import { randomOf, settle, testWorld } from '../../support/world.ts'
import { lastSnapshots, sessionMustFollowChart } from '../chart.ts'
import { folderFor, given } from './given.ts'
import { drawnBy, type Sum } from './memory.ts'
import { reasonOf, recordedOf, sessionsOf } from './sessions.ts'
import { givenSessions } from './system.ts'

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
  t.same(running.get('env-s'), snapshotOf(foldedSession, view), 'and so is its running actor')
  t.doesNotThrow(() => sessionMustFollowChart(events))
  await system().close()
  t.equal(memory.alive(), 0, 'nothing is left running')
}

t.test('random histories with crashes and failing disks lose no step and double none', async t => {
  const seeds =
    process.env.SEED === undefined ? Array.from({ length: 25 }, (_, n) => n + 1) : [Number(process.env.SEED)]
  for (const seed of seeds) await play(t, seed)
})
