// The cheapest possible durable steps, as a baseline: each request goes to the same child process. The answer of that
// process is stored as one row in SQLite (WAL, synchronous=FULL), and sent after the commit. Nothing is stored before
// the step, and no session is restored after a restart.

import path from 'node:path'
import Database from 'better-sqlite3'
import { fastify } from 'fastify'
import type { Instance } from '../../src/contract/environment.ts'
import { createEnvironments } from '../../src/environments/environments.ts'
import { openChildren } from '../../src/platform/children/children.ts'
import { createMemoryWatch } from '../../src/platform/programs/memory-watch.ts'
import { realWorld } from '../../src/platform/world.ts'

const folder = process.env.DATA_DIR ?? '.'
const db = new Database(path.join(folder, 'rows.db'))
db.pragma('journal_mode = WAL')
db.pragma('synchronous = FULL')
db.exec('CREATE TABLE rows (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT')
const insert = db.prepare('INSERT INTO rows (body) VALUES (?)')

let queue: { body: string; resolve: () => void }[] = []
const commit = db.transaction((batch: typeof queue) => {
  for (const { body } of batch) insert.run(body)
})
const store = (body: string) =>
  new Promise<void>(resolve => {
    if (queue.length === 0) {
      setImmediate(() => {
        const batch = queue
        queue = []
        commit.immediate(batch)
        for (const one of batch) one.resolve()
      })
    }
    queue.push({ body, resolve })
  })

const { timers } = realWorld()
const children = await openChildren(path.join(folder, 'children'))
const environments = createEnvironments(
  { children, timers, memory: createMemoryWatch(timers) },
  { path: undefined, byDefault: 'gridworld', stepTimeoutMs: 60_000, memoryMb: 512 },
)
const instances = new Map<string, { instance: Instance; steps: number }>()

type Create = { session_id: string; env_id: string; kwargs?: Record<string, unknown> }
type Step = { session_id: string; tool_name: string; tool_args: Record<string, unknown> }
const app = fastify({ logger: false })
app.get('/readyz', async () => ({ status: 'ready' }))
app.post<{ Body: Create }>('/v1/env/create', async ({ body }) => {
  const found = await environments.resolve(body.env_id, undefined)
  if (!('source' in found)) throw new Error(found.message)
  const dir = path.join(folder, body.session_id)
  const instance = await environments.open(found.source, { kwargs: body.kwargs ?? {}, env_vars: {}, dir })
  const first = await instance.reset({ seed: 1, options: {}, now: Date.now() })
  instances.set(body.session_id, { instance, steps: 0 })
  await store(JSON.stringify(first))
  return first
})
app.post<{ Body: Step }>('/v1/env/step', async ({ body }) => {
  const session = instances.get(body.session_id)
  if (session === undefined) throw new Error('there is no session with this id')
  const given = {
    tool: body.tool_name,
    args: body.tool_args,
    seed: 1,
    number: ++session.steps,
    now: Date.now(),
  }
  const answer = await session.instance.step(given, { emit() {}, signal: new AbortController().signal })
  await store(JSON.stringify(answer))
  return answer
})
process.on('SIGTERM', () => {
  void children.close().then(() => process.exit(0))
})
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
