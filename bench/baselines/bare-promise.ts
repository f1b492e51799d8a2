// The cheapest possible server with our promise, as a baseline: fastify and TypeBox, and seven events for each task, with header,
// payload, salt, digest and leaf, in one durable commit. A second file has one row with seven indexes for each task. The answer is
// made from the events. There are no actors, roles, quotas, subscribers, erasures or proofs. LEAVE_OUT names work that is not done,
// to see what it costs: "hashes" (digests and leaves), "rows" (the second file), or "events" (one row for the seven events).
import { hash, randomFillSync, randomUUID } from 'node:crypto'
import path from 'node:path'
import Database from 'better-sqlite3'
import { fastify } from 'fastify'
import Type from 'typebox'
import { Compile } from 'typebox/compile'

const folder = process.env.DATA_DIR ?? '.'
const leftOut = process.env.LEAVE_OUT ?? ''
const open = (name: string, isSynced: boolean) => {
  const db = new Database(path.join(folder, name))
  db.pragma('journal_mode = WAL')
  db.pragma(`synchronous = ${isSynced ? 'FULL' : 'NORMAL'}`)
  db.pragma('cache_size = -65536')
  return db
}
const log = open('log.db', true)
log.exec(`
  CREATE TABLE streams (no INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE events (
    position INTEGER PRIMARY KEY, stream_no INTEGER NOT NULL, revision INTEGER NOT NULL, header TEXT NOT NULL,
    payload TEXT, salt TEXT, leaf TEXT NOT NULL, UNIQUE (stream_no, revision)
  ) STRICT`)
const insertStream = log.prepare('INSERT INTO streams (no, id) VALUES (?, ?)')
const insertEvent = log.prepare(
  'INSERT INTO events (position, stream_no, revision, header, payload, salt, leaf) VALUES (?, ?, ?, ?, ?, ?, ?)',
)
const read = open('read.db', false)
read.exec(`
  CREATE TABLE tasks (
    position INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, user_id TEXT NOT NULL, session_id TEXT NOT NULL,
    status TEXT NOT NULL, digest TEXT NOT NULL, ended INTEGER NOT NULL, view TEXT NOT NULL
  ) STRICT;
  CREATE INDEX by_status ON tasks (status, position);
  CREATE INDEX by_user ON tasks (user_id, position);
  CREATE INDEX by_user_status ON tasks (user_id, status, position);
  CREATE INDEX by_session ON tasks (session_id, position);
  CREATE INDEX ended_in_session ON tasks (session_id, user_id, ended);
  CREATE INDEX by_digest ON tasks (digest)`)
const insertTask = read.prepare(
  'INSERT INTO tasks (position, id, user_id, session_id, status, digest, ended, view) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
)

const sha256 = (text: string): string => (leftOut === 'hashes' ? '' : hash('sha256', text, 'base64url'))
/** Random bytes are made for many salts at once. */
const pool = Buffer.alloc(16 * 256)
let used = pool.length
const newSalt = (): string => {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += 16
  return pool.toString('base64url', used - 16, used)
}

type Event = { header: object; payload: object }
type Task = { stream: string; events: Event[]; row: (string | number)[]; resolve: () => void }
let [position, streamNo, rows] = [0, 0, 0]
let queue: Task[] = []

const commitEvents = log.transaction((tasks: Task[]) => {
  for (const { stream, events } of tasks) {
    insertStream.run(++streamNo, stream)
    const made = events.map(({ header, payload }, revision) => {
      const salt = newSalt()
      const text = JSON.stringify(payload)
      const head = JSON.stringify({ stream, revision, ...header, digest: sha256(`${salt}${text}`) })
      return [head, text, salt, sha256(head)] as const
    })
    if (leftOut === 'events') {
      const [heads, texts, salts, leaves] = [0, 1, 2, 3].map(n => made.map(one => one[n]).join('\n'))
      insertEvent.run(++position, streamNo, 0, heads, texts, salts, leaves)
    } else {
      for (const [revision, [head, text, salt, leaf]] of made.entries())
        insertEvent.run(++position, streamNo, revision, head, text, salt, leaf)
    }
  }
})
const commitRows = read.transaction((tasks: Task[]) => {
  for (const { row } of tasks) insertTask.run(...row)
})
/** Rows can be made again from the events, so they are written together, a moment later. */
const rowsMs = 200
let unwritten: Task[] = []
const writeRows = () => {
  const tasks = unwritten
  unwritten = []
  commitRows.immediate(tasks)
}
const flush = () => {
  const tasks = queue
  queue = []
  commitEvents.immediate(tasks)
  for (const { resolve } of tasks) resolve()
  if (leftOut === 'rows') return
  if (unwritten.length === 0) setTimeout(writeRows, rowsMs)
  for (const task of tasks) unwritten.push(task)
}
const store = (task: Omit<Task, 'resolve'>) =>
  new Promise<void>(resolve => {
    if (queue.length === 0) setImmediate(flush)
    queue.push({ ...task, resolve })
  })

const Create = Type.Object(
  {
    user_message_content: Type.String(),
    client_id: Type.Optional(Type.String()),
    user_id: Type.Optional(Type.String()),
    stream: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: true },
)
const create = Compile(Create)
const idOf = (kind: string): string => `${kind}_${randomUUID().replaceAll('-', '')}`

const app = fastify({ logger: false })
app.get('/readyz', async () => ({ status: 'ready' }))
app.post('/v1/tasks', async (request, reply) => {
  const body = request.body
  if (!create.Check(body)) return reply.code(422).send({ message: 'the body does not fit' })
  const { user_message_content: text, user_id = 'default' } = body
  const [task_id, session_id, agent_id] = [idOf('task'), idOf('sess'), idOf('agent')]
  const [request_id, item_id] = [idOf('req'), idOf('msg')]
  const now = Date.now()
  const digest = sha256(JSON.stringify(body))
  const common = {
    schema_version: 1,
    time: new Date(now).toISOString(),
    ...{ principal: 'admin', owner: user_id, session_id, correlation_id: task_id, causation_id: request_id },
    build: 'bare',
  }
  const event = (type: string, seq: number, frames: number, payload: object): Event => ({
    header: { type, ...common, seq, frames },
    payload,
  })
  const workdir = path.join(folder, 'workspace', user_id, session_id)
  const made = { task_id, session_id, user_id, agent: 'echo', agent_id, workdir, request_id, request: body }
  const events = [
    event('TaskCreated', 0, 1, { ...made, input_ids: [item_id], digest, expires_at: now + 3_600_000 }),
    event('AgentSpawned', 1, 0, { agent_id, workdir }),
    event('TaskStarted', 1, 1, { from: 'created', context: [{ items: [item_id] }], ttl_seconds: 3600 }),
    event('ItemSaid', 2, 6, {
      ...{ agent_step: 1, item_id, item: 'message', part: 'output_text', texts: [text] },
    }),
    event('AgentStepCompleted', 8, 0, { agent_step: 1, effect_id: `${task_id}/1`, final: true }),
    event('AgentCompleted', 8, 0, { agent_id, success: true }),
    event('TaskCompleted', 8, 1, { from: 'working' }),
  ]
  const content = [{ type: 'output_text', text }]
  const output = [
    { type: 'message', id: item_id, status: 'completed', role: 'assistant', message_content: content },
  ]
  const view = {
    ...{ object: 'task', id: task_id, session_id, user_id, status: 'completed' },
    ...{ created_at: Math.floor(now / 1000), metadata: { agent: 'echo' }, output },
  }
  const shown = JSON.stringify(view)
  const row = [++rows, task_id, user_id, session_id, 'completed', digest, now, shown]
  await store({ stream: `task-${task_id}`, events, row })
  const id = JSON.stringify(request_id)
  if (body.stream !== true)
    return reply.type('application/json').send(`{"jsonrpc":"2.0","id":${id},"result":${shown}}`)
  const timestamp = common.time
  const at = { item_id, agent_step: 1, content_index: 0 }
  const part = { type: 'output_text', text }
  const item = { type: 'message', id: item_id, status: 'in_progress', role: 'assistant', message_content: [] }
  const frames = [
    { type: 'task.created', timestamp, task: { ...view, status: 'created', output: [] } },
    { type: 'task.working', timestamp },
    { type: 'task.output_item.added', agent_step: 1, item },
    { type: 'task.content_part.added', ...at, part: { type: 'output_text', text: '' } },
    { type: 'task.text.delta', ...at, delta: text },
    { type: 'task.text.done', ...at, text },
    { type: 'task.content_part.done', ...at, part },
    {
      type: 'task.output_item.done',
      agent_step: 1,
      item: { ...item, status: 'completed', message_content: [part] },
    },
    { type: 'task.completed', timestamp, task: view },
  ]
  const texts = frames.map(({ type, ...rest }, sequence_number) => {
    const result = JSON.stringify({ type, sequence_number, task_id, ...rest })
    return `event: ${type}\ndata: {"jsonrpc":"2.0","id":${id},"result":${result}}\n\n`
  })
  return reply.type('text/event-stream').send(texts.join(''))
})
process.on('SIGTERM', () => process.exit(0))
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
