// The instances, secrets and files of sessions: when they are made, kept and removed.
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { until } from '../../support/http.ts'
import { memorySecrets } from '../../support/system.ts'
import { settle } from '../../support/world.ts'
import { folderFor, given } from './given.ts'
import { kinds, reasonOf } from './sessions.ts'

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
  // A thread checks the arguments of the first creates, so a later one may be opened first.
  const opened = await Promise.race(anns.map((made, n) => made.then(() => n)))
  await until(() => opening.length > first + 1)
  await settle()
  t.equal(opening.length, first + 2, "ann's next one follows the first that is open")

  const refused = anns.filter((_, n) => n !== opened).map(made => t.rejects(made))
  const stopped = system().close()
  for (const begin of opening) begin()
  await stopped
  await Promise.all(refused)
  t.equal(opening.length, first + 2, 'what waits when the service stops is never opened')
  t.equal(memory.alive(), 0)
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
  t.same(readdirSync(workspaceRoot).sort(), ['default'])
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
