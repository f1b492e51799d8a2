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
import { serveHere } from '../support/server.ts'
import { type Erased, filesWith, ok, secret } from './support.ts'

const dataDir = t.testdir()
const logFile = path.join(dataDir, 'log.db')

/** Stores a copy of a session's events, as a fork does, under an id that no task has. */
const storeCopy = async (original: string, copy: string): Promise<void> => {
  const stream = envSessionStream(original)
  const before = openLogReadOnly(logFile)
  const events: Recorded[] = []
  for await (const page of before.readStream(stream)) events.push(...page)
  await before.close()
  const { clock, random, ids } = realWorld()
  const log = openLog(
    sqliteStore(logFile, () => ids.next('log_')),
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

t.test('an erasure of a session takes the copies of it that no task has', async t => {
  const env = { DATA_DIR: dataDir, ENV_PATH: modules }
  const first = await serveHere(t, env)
  const open = (session_id: string, color: string) => {
    const of = { env_class_path: counter, env_init_kwargs: { color } }
    return ok(first.api('POST', '/env/create', { session_id, user_id: 'hal', ...of }))
  }
  await open('room', secret)
  await ok(first.api('POST', '/env/close', { session_id: 'room' }))
  await open('other', 'blue')
  await first.stop()
  await storeCopy('room', 'sess_left')
  await storeCopy('sess_left', 'sess_left-again')
  const { api } = await serveHere(t, env)
  t.not(filesWith(dataDir, secret).length, 0)

  const { erased } = await ok<Erased>(api('DELETE', '/env/session/room?erase=true&reason=asked'))
  t.same(erased.env_sessions.toSorted(), ['room', 'sess_left', 'sess_left-again'])
  t.same(filesWith(dataDir, secret), [])
  t.equal((await api('GET', '/env/session/other')).status, 200, 'other sessions of the user stay')
})
