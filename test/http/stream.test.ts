// The stream of a create, down to its bytes.
import t from 'tap'
import { dial, exchange, read, until } from '../support/http.ts'
import { adminToken, serveHere } from '../support/server.ts'
import { decode, type Frame, follow } from '../support/sse.ts'

const { api, url } = await serveHere(t)
const body = { user_message_content: 'hello', stream: true }
const echo = { ...body, client_id: 'echo' }
const script = (...steps: object[]) => ({ ...body, agent_config: { agent_id: 'script', script: steps } })
const open = (sent: object, headers = {}) => follow(api('POST', '/tasks', sent, headers))

const frame =
  /^event: (task\.[a-z_.]+)\ndata: (\{"jsonrpc":"2\.0","id":"[^"\n]*","result":\{[^\r\n]*\}\})\n\n/
/** Takes a stream apart by the rules alone: `: open`, then frames, and comments on lines of their own. */
const taken = (text: string) => {
  const problems: string[] = []
  const frames: Frame[] = []
  if (!text.startsWith(': open\n')) problems.push(`begins with ${text.slice(0, 20)}`)
  let rest = text.slice(': open\n'.length)
  while (rest !== '') {
    const comment = /^: ?[^\n]*\n/.exec(rest)?.[0]
    const found = frame.exec(rest)
    if (comment !== undefined) {
      rest = rest.slice(comment.length)
      if (rest.startsWith('\n')) problems.push('a blank line after a comment')
    } else if (found !== null) {
      const { result } = JSON.parse(found[2] ?? '')
      frames.push(result)
      if (result.type !== found[1]) problems.push(`${found[1]} named, ${result.type} inside`)
      rest = rest.slice(found[0].length)
    } else {
      problems.push(`no frame: ${rest.slice(0, 100)}`)
      break
    }
  }
  return { problems, frames }
}

const streams = {
  echo,
  demo: { ...body, client_id: 'demo' },
  'a script of everything': script(
    { reasoning: 'let me see' },
    { message: 'one two three four', delta_ms: 5 },
    { usage: { input_tokens: 1 } },
    { sleep_ms: 10 },
    { message: 'line\nbreaks\r\nand\rmore\u2028\u2029\u0085\u000b\u000c: data: x\n\nevent: error\n' },
    { message: '' },
  ),
  'a failure': script({ message: 'so far', delta_ms: 1 }, { fail: { code: -32008, message: 'no\nmore' } }),
  'a pause': script({ message: 'a' }, { pause: 'a person must look' }),
}
const ends: Record<string, string> = { 'a failure': 'task.failed', 'a pause': 'task.paused' }

for (const [name, sent] of Object.entries(streams)) {
  t.test(`${name}: every byte is of a frame or a comment`, async t => {
    const stream = await open({ ...sent, request_id: `r-${name}` })
    t.equal(stream.response.status, 200)
    const text = await stream.rest()
    const { problems, frames } = taken(text)
    t.same(problems, [])
    for (const [line, what] of [
      [/^id:/m, 'no id'],
      [/^retry:/m, 'no retry'],
      [/\[DONE\]/, 'no [DONE]'],
      [/^event: (?!task\.)/m, 'no other name'],
      [/^data: *$/m, 'no frame without data'],
      [/^:.*\n\n/m, 'no blank line after a comment'],
    ] as const) {
      t.notMatch(text, line, what)
    }
    const { events, complaints, comments } = decode(text)
    t.same(complaints, [])
    t.ok(comments.length >= 1)
    t.equal(events.length, frames.length, 'a decoder sees the same frames')
    t.ok(events.every(event => event.id === undefined))
    t.same(
      frames.map(({ sequence_number }) => sequence_number),
      frames.map((_, index) => index),
      'numbered from 0 without holes',
    )
    const envelopes = events.map(event => JSON.parse(event.data) as Record<string, unknown>)
    t.same(
      envelopes,
      frames.map(result => ({ jsonrpc: '2.0', id: `r-${name}`, result })),
    )
    t.same([...new Set(frames.map(each => each.task_id))], [stream.response.headers.get('x-task-id')])
    t.same(
      frames.slice(0, 2).map(({ type }) => type),
      ['task.created', 'task.working'],
    )
    const end = ends[name] ?? 'task.completed'
    t.equal(frames.at(-1)?.type, end)
    const over = /^task\.(completed|canceled|expired|failed|paused|input_required)$/
    t.equal(frames.filter(({ type }) => over.test(type)).length, 1, 'nothing follows the end')
  })
}

t.test('the headers name the task and forbid caching', async t => {
  const stream = await open(echo)
  await stream.rest()
  const { headers } = stream.response
  const id = stream.frames()[0]?.task_id
  t.equal(headers.get('content-type'), 'text/event-stream')
  t.equal(headers.get('cache-control'), 'no-cache')
  t.equal(headers.get('connection'), 'keep-alive')
  t.equal(headers.get('x-task-id'), id)
  t.equal(headers.get('content-location'), `/v1/tasks/${id}`)
  t.equal(headers.get('content-length'), null)
})

t.test('Content-Location of an odd task id is a path that leads to the task', async t => {
  const task_id = 'a/b?c#d%20e'
  const stream = await open({ ...echo, task_id })
  await stream.rest()
  t.equal(stream.response.headers.get('x-task-id'), task_id)
  const where = stream.response.headers.get('content-location') ?? ''
  const { body: got } = await read(fetch(url + where, { headers: { authorization: `Bearer ${adminToken}` } }))
  t.equal(got.result.id, task_id)
})

t.test('head and first comment leave before the agent has said anything', async t => {
  const { socket, state, closed } = await dial(url)
  const sent = JSON.stringify(script({ sleep_ms: 60_000 }))
  socket.write(
    `POST /v1/tasks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminToken}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${sent.length}\r\n\r\n${sent}`,
  )
  await until(() => state.raw.includes('event: task.working'))
  const afterHead = state.raw.slice(state.raw.indexOf('\r\n\r\n') + 4)
  t.match(afterHead, /^[0-9a-f]+\r\n: open\n/, 'the first bytes of the body')
  socket.destroy()
  await closed
})

t.test('each kind of frame has its fields', async t => {
  const stream = await open(streams['a script of everything'])
  await stream.rest()
  const frames = stream.frames()
  const of = (type: string) => frames.filter(each => each.type === type)
  const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/
  t.match(of('task.created'), [{ timestamp: iso, task: { object: 'task', status: 'created', output: [] } }])
  t.match(of('task.working'), [{ timestamp: iso }])
  t.notOk('task' in (of('task.working')[0] ?? {}))
  t.match(of('task.completed'), [{ timestamp: iso, task: { status: 'completed' } }])
  t.match(of('task.output_item.added')[0], {
    agent_step: 1,
    item: { type: 'reasoning', status: 'in_progress' },
  })
  t.match(of('task.reasoning_summary_part.added'), [
    { agent_step: 1, content_index: 0, part: { type: 'summary_text' } },
  ])
  t.match(of('task.reasoning_summary_text.done'), [{ text: 'let me see' }])
  t.match(of('task.reasoning_summary_part.done'), [{ part: { text: 'let me see' } }])
  const message = of('task.output_item.added')[1]?.item as { id: string }
  const deltas = of('task.text.delta').filter(each => each.item_id === message.id)
  t.ok(deltas.length > 1, 'text came in pieces')
  t.equal(deltas.map(each => each.delta).join(''), 'one two three four')
  for (const each of deltas) t.match(each, { agent_step: 2, content_index: 0 })
  const done = of('task.output_item.done').map(each => each.item)
  const completed = of('task.completed')[0]?.task as { output: unknown }
  t.same(done, completed.output, 'items done are the output')
})

t.test('structured_output is ignored', async t => {
  const stream = await open({ ...echo, structured_output: { type: 'object', required: ['never'] } })
  await stream.rest()
  t.match(stream.frames().at(-1), { type: 'task.completed' })
})

t.test('background makes no difference to a stream', async t => {
  const stream = await open({ ...echo, background: true })
  await stream.rest()
  t.equal(stream.frames().at(-1)?.type, 'task.completed')
})

t.test('a cancel ends the stream with task.canceled', async t => {
  const stream = await open(script({ message: 'a b c', delta_ms: 1 }, { sleep_ms: 60_000 }))
  const frames = await stream.until(seen => seen.some(each => each.type === 'task.output_item.done'))
  await read(api('POST', `/tasks/${frames[0]?.task_id}/cancel`))
  const { problems } = taken(await stream.rest())
  t.same(problems, [])
  t.match(stream.frames().at(-1), { type: 'task.canceled', task: { status: 'canceled' } })
})

t.test('text cut by a cancel is closed with its done frames, incomplete', async t => {
  const stream = await open(script({ message: 'a b c d e f g h', delta_ms: 200 }))
  const frames = await stream.until(seen => seen.some(each => each.type === 'task.text.delta'))
  await read(api('POST', `/tasks/${frames[0]?.task_id}/cancel`))
  await stream.rest()
  const tail = stream.frames().slice(-4)
  t.match(tail, [
    { type: 'task.text.done' },
    { type: 'task.content_part.done' },
    { type: 'task.output_item.done', item: { status: 'incomplete' } },
    { type: 'task.canceled', task: { output: [{ status: 'incomplete' }] } },
  ])
})

t.test('what is wrong before the first byte is a plain answer', async t => {
  const { status, headers } = await read(api('POST', '/tasks', { ...echo, history_messages: 1 }))
  t.equal(status, 422)
  t.match(headers.get('content-type'), 'application/json')
})

t.test('a queued task says so, and starts on the same stream', async t => {
  const session_id = 'one-after-the-other'
  const first = await read(
    api('POST', '/tasks', { ...script({ sleep_ms: 60_000 }), session_id, stream: false, background: true }),
  )
  const stream = await open({ ...echo, session_id })
  await stream.until(seen => seen.some(({ type }) => type === 'task.queued'))
  t.equal(stream.frames().length, 2)
  await read(api('POST', `/tasks/${first.body.result.id}/cancel`))
  await stream.rest()
  t.same(
    stream
      .frames()
      .slice(0, 3)
      .map(({ type }) => type),
    ['task.created', 'task.queued', 'task.working'],
  )
})

t.test('HTTP/1.0 gets the stream as well', async t => {
  const sent = JSON.stringify(echo)
  const { status, body: text } = await exchange(
    url,
    `POST /v1/tasks HTTP/1.0\r\nAuthorization: Bearer ${adminToken}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${sent.length}\r\n\r\n${sent}`,
  )
  t.equal(status, 200)
  t.match(text, /^: open\nevent: task\.created\n[\s\S]*event: task\.completed\n/)
})

t.test('the connection is closed after the stream when the client asks for that', async t => {
  const sent = JSON.stringify(echo)
  const { timedOut, body: text } = await exchange(
    url,
    `POST /v1/tasks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminToken}\r\nConnection: close\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${sent.length}\r\n\r\n${sent}`,
    { ms: 1500 },
  )
  t.match(text, /event: task\.completed/)
  t.notOk(timedOut, 'closed by the server')
})
