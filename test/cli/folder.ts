// A data folder with some of everything and no server; and copies of it with something done to them.

import { cpSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { createTask, framesOf, play, untilStatus } from '../server/wire.ts'
import { serveHere } from '../support/server.ts'

/** `id`: a task that did many things; `frames`: how many they gave. */
export const givenFolder = async (t: Parameters<typeof serveHere>[0]) => {
  const { api, dataDir, stop } = await serveHere(t)
  const script = [
    { message: 'a b', delta_ms: 60 },
    { tool: 'calculator', arguments: { expression: '6*7' } },
    { subagent: 'echo', input: 'hi' },
    { message: 'done' },
  ]
  const [first, paused, deleted] = await Promise.all([
    play(api, script, { return_rollout: true }),
    play(api, [{ pause: 'tea' }]),
    createTask(api, { user_message_content: 'x' }, { 'idempotency-key': 'k' }),
  ])
  await api('POST', '/auth/tokens', { role: 'user', user_id: 'ada' })
  await api('DELETE', `/tasks/${deleted.id}`)
  await untilStatus(api, paused.id, 'paused')
  await untilStatus(api, first.id, 'completed')
  const frames = (await framesOf(api, first.id)).length
  await stop()
  return { dataDir, id: first.id, frames }
}

/** A copy with something done to one of its files, whatever forbids it there. */
export const spoilt = (dataDir: string, to: string, file: string, sql: string): string => {
  cpSync(dataDir, to, { recursive: true })
  const db = new Database(path.join(to, file))
  const triggers = db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'trigger'").pluck()
  for (const name of triggers.all()) db.exec(`DROP TRIGGER ${name}`)
  db.pragma('foreign_keys = OFF')
  db.exec(sql)
  db.close()
  return to
}
