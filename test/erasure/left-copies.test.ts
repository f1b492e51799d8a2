// Copies of environment sessions that an earlier version left behind when it erased their forks: no task leads to them,
// and an erasure of the original takes them too.
import path from 'node:path'
import t from 'tap'
import { envSessionStream } from '../../src/contract/env-session-events.ts'
import type { NewEvent, Recorded } from '../../src/contract/stored.ts'
import { openLog } from '../../src/log/log.ts'
import { openLogReadOnly } from '../../src/log/read-only.ts'
import { sqliteStore } from '../../src/log/sqlite-store.ts'
import { realWorld } from '../../src/platform/world.ts'
import { counter, modules } from '../http/env-calls.ts'
import { type Api, serveHere } from '../support/server.ts'
import { type Erased, filesWith, makeTask, ok, secret } from './support.ts'

const logOf = (dataDir: string): string => path.join(dataDir, 'log.db')

/** The events of a session, read while no server runs. */
const eventsOf = async (dataDir: string, session: string): Promise<Recorded[]> => {
  const log = openLogReadOnly(logOf(dataDir))
  const events: Recorded[] = []
  for await (const page of log.readStream(envSessionStream(session))) events.push(...page)
  await log.close()
  return events
}

/** Stores a copy of a session's events, as a fork does, under an id that no task has. */
const storeCopy = async (
  dataDir: string,
  events: Recorded[],
  original: string,
  copy: string,
): Promise<void> => {
  const stream = envSessionStream(original)
  const { clock, random, ids } = realWorld()
  const log = openLog(
    sqliteStore(logOf(dataDir), () => ids.next('log_')),
    { clock, random, build: 'test' },
  )
  const copied = events.map(({ header, data }, n): NewEvent => {
    const { type, schema_version, revision } = header
    const own = JSON.parse(JSON.stringify(data).replaceAll(`"${original}"`, `"${copy}"`))
    // The newest creation begins the copy; all others are copies.
    return { type, schema_version, data: own, ...(n === 0 ? {} : { copy_of: `${stream}@${revision}` }) }
  })
  const { principal, owner } = events[0]?.header ?? { principal: '', owner: '' }
  const about = { principal, owner, session_id: copy, correlation_id: copy, causation_id: copy }
  await log.append([
    { stream: envSessionStream(copy), expectedRevision: -1, justMade: true, ...about, events: copied },
  ])
  await log.close()
}

/** A closed environment session of hal with the secret in its settings. */
const makeRoom = async (api: Api): Promise<void> => {
  const of = { env_class_path: counter, env_init_kwargs: { color: secret } }
  await ok(api('POST', '/env/create', { session_id: 'room', user_id: 'hal', ...of }))
  await ok(api('POST', '/env/close', { session_id: 'room' }))
}

t.test('an erasure of a session takes the copies of it that no task has', async t => {
  const dataDir = t.testdir()
  const env = { DATA_DIR: dataDir, ENV_PATH: modules }
  const first = await serveHere(t, env)
  await makeRoom(first.api)
  await ok(first.api('POST', '/env/create', { session_id: 'other', user_id: 'hal', env_class_path: counter }))
  await first.stop()
  await storeCopy(dataDir, await eventsOf(dataDir, 'room'), 'room', 'sess_left')
  await storeCopy(dataDir, await eventsOf(dataDir, 'sess_left'), 'sess_left', 'sess_left-again')
  const { api } = await serveHere(t, env)
  t.not(filesWith(dataDir, secret).length, 0)

  const { erased } = await ok<Erased>(api('DELETE', '/env/session/room?erase=true&reason=asked'))
  t.same(erased.env_sessions.toSorted(), ['room', 'sess_left', 'sess_left-again'])
  t.same(filesWith(dataDir, secret), [])
  t.equal((await api('GET', '/env/session/other')).status, 200, 'other sessions of the user stay')
})

t.test('copies that are left of one user are not passed over when another user has the id now', async t => {
  const dataDir = t.testdir()
  const env = { DATA_DIR: dataDir, ENV_PATH: modules }
  const first = await serveHere(t, env)
  await makeRoom(first.api)
  await first.stop()
  const events = await eventsOf(dataDir, 'room')
  const second = await serveHere(t, env)
  await ok(second.api('DELETE', '/env/session/room?erase=true&reason=asked'))
  await second.stop()
  await storeCopy(dataDir, events, 'room', 'sess_left')
  const { api } = await serveHere(t, env)
  const task = await makeTask(api, { user_message_content: 'of bob', session_id: 'room', user_id: 'bob' })

  const unnamed = await api('DELETE', '/env/session/room?erase=true&reason=asked')
  t.equal(unnamed.status, 409)
  t.match(await unnamed.json(), { data: { users: ['hal', 'bob'] } })
  const { erased } = await ok<Erased>(api('DELETE', '/env/session/room?erase=true&user_id=hal&reason=asked'))
  t.same(erased.env_sessions, ['sess_left'])
  t.same(filesWith(dataDir, secret), [])
  t.equal((await api('GET', `/tasks/${task.id}`)).status, 200, 'the task of bob stays')
})
