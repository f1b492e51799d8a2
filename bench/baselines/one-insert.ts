// The cheapest possible durable server, as a baseline: each request becomes one row of about 300 bytes of JSON in
// SQLite (WAL, synchronous=FULL). Requests that arrive together share a transaction, and each is answered after the
// commit.

import path from 'node:path'
import Database from 'better-sqlite3'
import { fastify } from 'fastify'

const db = new Database(path.join(process.env.DATA_DIR ?? '.', 'rows.db'))
db.pragma('journal_mode = WAL')
db.pragma('synchronous = FULL')
db.pragma('cache_size = -65536')
db.exec('CREATE TABLE rows (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT')
const insert = db.prepare('INSERT INTO rows (id, body) VALUES (?, ?)')

type Waiting = { id: number; body: string; resolve: () => void }
let queue: Waiting[] = []
let lastId = 0

const commit = db.transaction((batch: Waiting[]) => {
  for (const { id, body } of batch) insert.run(id, body)
})
const flush = () => {
  const batch = queue
  queue = []
  commit.immediate(batch)
  for (const { resolve } of batch) resolve()
}
const store = (id: number, body: string) =>
  new Promise<void>(resolve => {
    if (queue.length === 0) setImmediate(flush)
    queue.push({ id, body, resolve })
  })

const padding = 'x'.repeat(140)
const app = fastify({ logger: false })
app.get('/readyz', async () => ({ status: 'ready' }))
app.post<{ Body: { user_message_content: string } }>('/v1/tasks', async request => {
  const id = ++lastId
  const row = {
    object: 'task',
    id: `task_${id}`,
    status: 'completed',
    created_at: Date.now(),
    text: request.body.user_message_content,
    padding,
  }
  await store(id, JSON.stringify(row))
  return row
})
process.on('SIGTERM', () => process.exit(0))
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
