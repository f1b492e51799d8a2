// Our server with a second port, which appends events as an actor would: each belongs to another task and gives one
// public event. `POST /emit {events, together, users}` starts it.
import { createServer } from 'node:http'
import { readConfig } from '../../src/config.ts'
import { taskStream } from '../../src/contract/task-stream.ts'
import { startServer } from '../../src/start/server.ts'

const { PORT = '0', EMIT_PORT = '0', ...env } = process.env
const server = await startServer(readConfig({ ...env, PORT }), () => {})
const { log } = server.system
let made = 0

const created = (title: string, user: string) => {
  const id = `bench-${++made}`
  const data = {
    task_id: id,
    session_id: `session-${id}`,
    user_id: user,
    agent: 'echo',
    agent_id: 'agent',
    workdir: '/',
    request_id: 'r',
    request: { user_message_content: title, stream: false },
    input_ids: ['m'],
    digest: '',
  }
  return {
    stream: taskStream(id),
    expectedRevision: -1,
    principal: 'bench',
    owner: user,
    session_id: data.session_id,
    correlation_id: id,
    causation_id: 'bench',
    events: [{ type: 'TaskCreated', schema_version: 1, data, seq: 0, frames: 1 }],
  }
}

/** Appends events so that each append is a commit of its own. */
const emit = async (events: number, together: number, users: number) => {
  for (let n = 0; n < events; n += together) {
    const titles = Array.from({ length: together }, (_, i) => n + i)
    await log.append(
      titles.map(at => created(at >= events - users ? 'last' : `Message ${at}`, `user-${at % users}`)),
    )
  }
}

createServer(async (request, response) => {
  let body = ''
  for await (const piece of request) body += piece
  const { events, together, users = 1 } = JSON.parse(body)
  await emit(events, together, users)
  response.end('{}')
}).listen(Number(EMIT_PORT), '127.0.0.1')
process.on('SIGTERM', () => process.exit(0))
