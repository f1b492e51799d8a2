// What happens to a session that cannot come back at a request: it waits for what may pass, and it ends only if it can
// never come back.
import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import type { Instance } from '../../../src/contract/environment.ts'
import type { Report } from '../../../src/contract/ports.ts'
import { Refusal } from '../../../src/contract/refusals.ts'
import { StorageFailure } from '../../../src/contract/stored.ts'
import { memorySecrets } from '../../support/system.ts'
import { folderFor, given } from './given.ts'

type Given = Awaited<ReturnType<typeof given>>
type Kind = 'refold' | 'snapshot'
/** Breaks what surrounds the sessions, and returns the function that repairs it. */
type Break = (here: Given, root: string) => () => void

const failingOpen =
  (error: Error): Break =>
  ({ memory: { environments } }) => {
    const { open } = environments
    environments.open = () => Promise.reject(error)
    return () => Object.assign(environments, { open })
  }
/** One of the calls that bring an instance back fails. */
const failingCall =
  (call: 'restore' | 'reset' | 'step', fail: Instance[typeof call]): Break =>
  ({ memory: { environments } }) => {
    const { open } = environments
    environments.open = async (...opening) => ({ ...(await open(...opening)), [call]: fail })
    return () => Object.assign(environments, { open })
  }
const refused =
  (refused: 'unknown' | 'forbidden' | 'broken' | 'unavailable', message: string): Break =>
  ({ memory }) => {
    memory.refuse({ refused, message })
    return () => memory.refuse(undefined)
  }
const statesOf = (root: string): string => path.join(root, 'default', 's', 'states')
const system = (code: string, syscall: string) =>
  Object.assign(new Error(`${code}: a path`), { code, syscall })
const throwing = (message: string) => async () => {
  throw new Error(message)
}

const passing: [what: string, Kind[], Break, reason: string | RegExp][] = [
  [
    'ENV_PATH is not set',
    ['refold', 'snapshot'],
    refused('unknown', 'there is no environment s'),
    'there is no environment s',
  ],
  ['an import fails', ['refold', 'snapshot'], refused('broken', 'ImportError: no library'), /no library/],
  ['there is no python3', ['refold', 'snapshot'], refused('unavailable', 'there is no python3'), /python3/],
  ['a link leads out of ENV_PATH', ['refold', 'snapshot'], refused('forbidden', 's leads out'), /leads out/],
  ['the constructor throws', ['refold', 'snapshot'], failingOpen(new Error('no database')), 'no database'],
  [
    'the program cannot be started',
    ['refold', 'snapshot'],
    failingOpen(system('EAGAIN', 'spawn')),
    'spawn: EAGAIN',
  ],
  ['restore throws', ['snapshot'], failingCall('restore', throwing('no database')), 'no database'],
  ['the first reset throws', ['refold'], failingCall('reset', throwing('no database')), 'no database'],
  ['a repeated step throws', ['refold'], failingCall('step', throwing('no database')), 'no database'],
  [
    'a repeated step fails',
    ['refold'],
    ({ memory: { environments } }) => {
      const { open } = environments
      environments.open = async (...opening) => {
        const instance = await open(...opening)
        const step: Instance['step'] = async (...args) => ({
          ...(await instance.step(...args)),
          error: 'no database',
        })
        return { ...instance, step }
      }
      return () => Object.assign(environments, { open })
    },
    'step 1 fails when it is repeated: no database',
  ],
  [
    'the folder with the states is not mounted',
    ['snapshot'],
    (_, root) => {
      renameSync(statesOf(root), `${statesOf(root)}.away`)
      return () => renameSync(`${statesOf(root)}.away`, statesOf(root))
    },
    'its kept state cannot be read: ENOENT',
  ],
  [
    'a folder stands in the place of a state',
    ['snapshot'],
    (_, root) => {
      const files = readdirSync(statesOf(root)).map(name => path.join(statesOf(root), name))
      for (const file of files) {
        renameSync(file, path.join(root, path.basename(file)))
        mkdirSync(file)
      }
      return () => {
        for (const file of files) {
          rmdirSync(file)
          renameSync(path.join(root, path.basename(file)), file)
        }
      }
    },
    'the kept state is not a plain file',
  ],
]

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no failure',
    error => error,
  )

const waits = async (t: Test, kind: Kind, breaks: Break, reason: string | RegExp): Promise<void> => {
  const said: string[] = []
  const report: Report = (level, message, fields) => said.push(`${level} ${message} ${fields?.session_id}`)
  const root = folderFor(t)
  const here = await given(t, { workspaceRoot: root, report })
  await here.create('s', kind)
  await here.step('s', 'add', { by: 1 })
  await here.crash()
  const repair = breaks(here, root)
  for (const ask of [
    () => here.step('s', 'add', { by: 1 }),
    () => here.reset('s', 1),
    () => here.step('s', 'draw'),
  ]) {
    const error = await failureOf(ask())
    t.ok(error instanceof Refusal, `${error}`)
    t.match(error, { reason: 'SessionAway', http: 503, data: { session_id: 's', reason } })
    t.notMatch((error as Refusal).message, root, 'callers do not see paths of the server')
  }
  t.match((await here.recorded('s')).view, { state: 'active', step: 1 }, 'nothing is stored')
  t.equal(here.memory.alive(), 0, 'nothing is left running')
  t.same(said, ['warn a session does not come back for now: each request to it tries again s'])
  repair()
  t.match(await here.step('s', 'add', { by: 1 }), { step: 2, state: { total: 2 } })
  t.same(said.slice(1), ['warn the session is back s'])
}

for (const [what, kinds, breaks, reason] of passing)
  for (const kind of kinds)
    t.test(`${what}: a session of ${kind} waits`, async t => {
      await waits(t, kind, breaks, reason)
    })

t.test('a session whose variables cannot be read waits', async t => {
  const kept = memorySecrets()
  let isAway = false
  const get: typeof kept.get = ref => {
    if (isAway) throw new StorageFailure('secret values cannot be read')
    return kept.get(ref)
  }
  const { create, step, crash } = await given(t, { secrets: { ...kept, get } })
  await create('s', 'snapshot', { env_vars: { KEY: 'v' } })
  await crash()
  isAway = true
  t.match(await failureOf(step('s', 'draw')), {
    http: 503,
    data: { reason: 'secret values cannot be read' },
  })
  isAway = false
  t.match(await step('s', 'add', { by: 1 }), { step: 1, state: { secrets: 1 } })
})

t.test('the reason of a session that waits does not quote its variables', async t => {
  const said: unknown[] = []
  const report: Report = (_, __, fields) => said.push(fields?.reason)
  const here = await given(t, { report })
  await here.create('s', 'snapshot', { env_vars: { KEY: 'sk-secret-123' } })
  await here.crash()
  const repair = failingOpen(new Error('login refused for sk-secret-123'))(here, '')
  const { data } = (await failureOf(here.step('s', 'draw'))) as Refusal
  t.equal(data?.reason, 'login refused for ***')
  t.same(said, ['login refused for ***'])
  repair()
})

t.test('code that has changed is said to have changed, until the earlier file is put back', async t => {
  for (const kind of ['refold', 'snapshot'] as const) {
    const { create, step, close, crash, memory, recorded } = await given(t)
    await create('s', kind)
    await step('s', 'add', { by: 1 })
    memory.change()
    await crash()
    // The same move again: it was not taken, so the answer of the one before it is not given.
    const error = await failureOf(step('s', 'add', { by: 1 }))
    t.match(
      error,
      { reason: 'Conflict', http: 409, data: { session_id: 's', reason: /^code changed: / } },
      kind,
    )
    t.match((await recorded('s')).view, { state: 'active', step: 1 })
    memory.change('one')
    t.match(await step('s', 'add', { by: 1 }), { step: 2, state: { total: 2 } })
    memory.change()
    await crash()
    t.match(await failureOf(step('s', 'draw')), { http: 409 })
    await close('s')
    await create('s', kind)
    t.match(await step('s', 'add', { by: 1 }), { step: 3, state: { total: 1 } }, 'the operator decided')
  }
})

t.test('an instance that was killed between two requests comes back', async t => {
  for (const kind of ['refold', 'snapshot'] as const) {
    const { create, step, memory, observe, reset } = await given(t)
    await create('s', kind)
    await step('s', 'add', { by: 1 })
    memory.killAll()
    t.match(await step('s', 'add', { by: 1 }), { step: 2, state: { total: 2 } }, kind)
    memory.killAll()
    t.match(await observe('s'), { state: { total: 2 } }, kind)
    memory.killAll()
    await reset('s', 1, { total: 5 })
    t.match(await observe('s'), { state: { total: 5 } }, kind)
  }
})

t.test('an instance that ends in its reset leaves the session as it was', async t => {
  const here = await given(t)
  await here.create('s', 'refold')
  await here.step('s', 'add', { by: 1 })
  await here.crash()
  const { environments } = here.memory
  const { open } = environments
  environments.open = async (...opening) => {
    const instance = await open(...opening)
    const reset: Instance['reset'] = async given => {
      if (given.options.deadly === true) here.memory.killAll()
      return instance.reset(given)
    }
    return { ...instance, reset }
  }
  t.match(await failureOf(here.reset('s', 1, { deadly: true })), {
    reason: 'SessionAway',
    data: { reason: 'it was killed' },
  })
  t.match(await here.step('s', 'add', { by: 1 }), { step: 2, state: { total: 2 } })
})

const forEver: [what: string, Kind | 'none', change: (here: Given, root: string) => void, RegExp][] = [
  ['an environment of `none`', 'none', () => {}, /does not come back/],
  [
    'a refold that shows something else',
    'refold',
    ({ memory: { environments } }) => {
      const { open } = environments
      environments.open = async (source, { kwargs, ...opening }) =>
        open(source, { ...opening, kwargs: { ...kwargs, total: 7 } })
    },
    /showed something else at its reset/,
  ],
  [
    'a kept state that is not the one in the log',
    'snapshot',
    (_, root) => {
      for (const name of readdirSync(statesOf(root))) writeFileSync(path.join(statesOf(root), name), '{}')
    },
    /kept state of the session is damaged/,
  ],
  [
    'a restore that calls the state damaged',
    'snapshot',
    here =>
      void failingCall('restore', throwing('its kept state is damaged; create a new session'))(here, ''),
    /kept state is damaged/,
  ],
]
for (const [what, kind, change, reason] of forEver)
  t.test(`${what}: the session ends`, async t => {
    const root = folderFor(t)
    const here = await given(t, { workspaceRoot: root })
    await here.create('s', kind)
    await here.step('s', 'add', { by: 1 })
    await here.crash()
    change(here, root)
    t.match(await failureOf(here.step('s', 'draw')), { reason: 'SessionNotFound', data: { reason } })
    t.match((await here.recorded('s')).view, { state: 'closed', closeReason: reason, step: 1 })
  })

t.test('a session whose states were removed waits, and its user can still close it', async t => {
  const root = folderFor(t)
  const { create, step, close, crash } = await given(t, { workspaceRoot: root })
  await create('s', 'snapshot')
  await crash()
  rmSync(statesOf(root), { recursive: true })
  t.match(await failureOf(step('s', 'draw')), { http: 503 })
  await close('s')
  t.match(await failureOf(step('s', 'draw')), { http: 404, data: { reason: 'closed' } })
})
