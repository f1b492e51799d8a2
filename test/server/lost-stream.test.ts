// A log that no longer finds the stream of a task: the task is not there by half, and nobody is told that it is empty.

import path from 'node:path'
import Database from 'better-sqlite3'
import t from 'tap'
import { serveHere } from '../support/server.ts'
import { createTask } from './wire.ts'

t.test('a task whose stream is lost answers 503 with its position, the others answer', async t => {
  const DATA_DIR = t.testdir()
  const server = await serveHere(t, { DATA_DIR })
  const echo = { user_message_content: 'hello', client_id: 'echo' }
  const lost = await createTask(server.api, echo)
  const kept = await createTask(server.api, echo)
  await server.stop()
  const db = new Database(path.join(DATA_DIR, 'log.db'))
  db.exec(
    `DROP TRIGGER streams_are_never_changed; UPDATE streams SET id = 'else' WHERE id = 'task-${lost.id}'`,
  )
  const position = db
    .prepare('SELECT min(position) FROM events WHERE header LIKE ?')
    .pluck()
    .get(`%${lost.id}%`)
  db.close()

  const next = await serveHere(t, { DATA_DIR })
  for (const where of ['', '/events', '/events?after=3', '/rollouts', '/machine']) {
    const answer = await next.api('GET', `/tasks/${lost.id}${where}`)
    const { error, data } = (await answer.json()) as { error?: { data: unknown }; data?: unknown }
    t.equal(answer.status, 503, where)
    t.match(error?.data ?? data, { position, docs: '/docs#error-Damaged' }, where)
    t.equal((await next.api('GET', `/tasks/${kept.id}${where}`)).status, 200, where)
  }
  t.equal((await next.api('POST', `/tasks/${lost.id}/cancel`)).status, 503)
})
