// GET /tasks/{id}/events: the same frames again, from wherever a reader was.
import t from 'tap'
import { brief, read } from '../support/http.ts'
import { adminToken, serveHere } from '../support/server.ts'
import { blocks, dataLines, decode, type Frame, follow, framesOf } from '../support/sse.ts'

const warnings: string[] = []
process.on('warning', ({ name }) => warnings.push(name))
const { api } = await serveHere(t)
const sse = { accept: 'text/event-stream' }
const events = (id: string, query = '', headers: Record<string, string> = {}) =>
  api('GET', `/tasks/${id}/events${query}`, undefined, { ...sse, ...headers })
const create = (more: object) => api('POST', '/tasks', { user_message_content: 'x', stream: true, ...more })
const script = (...steps: object[]) => ({ agent_config: { agent_id: 'script', script: steps } })
const opening = ': open\n'

const scripts: Record<string, object> = {
  echo: { client_id: 'echo' },
  demo: { client_id: 'demo' },
  'deltas and a failure': script(
    { message: 'a b c', delta_ms: 60 },
    { fail: { code: -32000, message: 'no' } },
  ),
}

for (const [name, given] of Object.entries(scripts)) {
  t.test(`${name}: cut after any frame and taken up again, it is the same to the byte`, async t => {
    const posted = await follow(create(given))
    const own = await posted.rest()
    const id = posted.frames()[0]?.task_id ?? ''
    const whole = await (await events(id)).text()
    t.same(dataLines(whole), dataLines(own), 'the data lines are those of the create')
    t.ok(whole.startsWith(opening))
    const parts = blocks(whole.slice(opening.length))
    t.equal(parts.length, posted.frames().length)
    t.same(
      decode(whole).events.map(event => event.id),
      parts.map((_, index) => String(index)),
      'each frame has its number as id',
    )
    t.match(whole, /^: open\nevent: task\.created\nid: 0\ndata: \{/)
    const wrong: string[] = []
    await Promise.all(
      parts.slice(0, -1).flatMap((_, n) => [
        events(id, '', { 'last-event-id': `${n}` }).then(async again => {
          if ((await again.text()) !== opening + parts.slice(n + 1).join('')) wrong.push(`header ${n}`)
        }),
        events(id, `?starting_after=${n}`).then(async again => {
          if ((await again.text()) !== opening + parts.slice(n + 1).join('')) wrong.push(`query ${n}`)
        }),
      ]),
    )
    t.same(wrong, [])
    const left = await events(id, '', { 'last-event-id': `${parts.length - 1}` })
    t.equal(left.status, 204, 'nothing left')
    t.equal(await left.text(), '')
  })
}

t.test('a live task, read one frame at a connection, is the same to the byte', async t => {
  const { body } = await read(create({ client_id: 'demo', stream: false, background: true }))
  const { id } = body.result
  let text = ''
  for (let last = -1; ; ) {
    const headers: Record<string, string> = last === -1 ? {} : { 'last-event-id': `${last}` }
    const response = await events(id, '', headers)
    if (response.status === 204) break
    const stream = await follow(response)
    await stream.until((_, seen) => blocks(seen.slice(opening.length)).length > 0)
    const first = blocks(stream.text().slice(opening.length))[0] ?? ''
    await stream.cut()
    text += first
    last += 1
    if (/^event: task\.completed\n/.test(first)) break
  }
  t.equal(opening + text, await (await events(id)).text())
})

t.test('the POST stream of a pause is a prefix of the GET stream, which goes on', async t => {
  const posted = await follow(create(script({ message: 'a' }, { pause: 'look' }, { message: 'b' })))
  const own = dataLines(await posted.rest())
  const id = posted.frames()[0]?.task_id ?? ''
  t.equal(posted.frames().at(-1)?.type, 'task.paused')
  const follower = await follow(events(id))
  await follower.until(frames => frames.at(-1)?.type === 'task.paused')
  const late = await follow(events(id, '', { 'last-event-id': `${own.length - 1}` }))
  t.equal(late.response.status, 200, 'a paused task has more to say')
  await read(api('POST', `/tasks/${id}/resume`))
  const all = dataLines(await follower.rest())
  t.same(all.slice(0, own.length), own)
  t.equal(follower.frames().at(-1)?.type, 'task.completed')
  t.same(dataLines(await late.rest()), all.slice(own.length))
})

t.test('many followers see the same, wherever they come in', async t => {
  const { body } = await read(
    create({ ...script({ message: 'a b c d e f g h', delta_ms: 25 }), stream: false, background: true }),
  )
  const texts = await Promise.all(
    Array.from({ length: 12 }, async (_, n) => {
      await new Promise(resolve => setTimeout(resolve, n * 20))
      return (await events(body.result.id)).text()
    }),
  )
  t.equal(new Set(texts).size, 1)
  t.equal(framesOf(texts[0] ?? '').at(-1)?.type, 'task.completed')
})

t.test('the envelope id is that of the create', async t => {
  const { body } = await read(create({ client_id: 'echo', stream: false, request_id: 'of the create' }))
  const again = await events(body.result.id, '', { 'x-request-id': 'of the reader' })
  t.equal(again.headers.get('x-request-id'), 'of the reader')
  const ids = decode(await again.text()).events.map(({ data }) => JSON.parse(data).id)
  t.same([...new Set(ids)], ['of the create'])
  const page = await read(api('GET', `/tasks/${body.result.id}/events`))
  t.equal(page.body.id, 'of the create')
})

const done = await read(create({ client_id: 'echo', stream: false }))
const id = done.body.result.id
const count = framesOf(await (await events(id)).text()).length

t.test('the header beats the query', async t => {
  const text = await (await events(id, '?starting_after=0', { 'last-event-id': `${count - 2}` })).text()
  t.equal(framesOf(text).length, 1)
  t.equal((await events(id, '?starting_after=nonsense', { 'last-event-id': '0' })).status, 200)
})

t.test('a cursor that is no number, or beyond the end, is refused with its place', async t => {
  for (const cursor of ['x', '', '1.5', '-1', '0x1', ' 1', '1e1', '01', '9'.repeat(30), `${count}`, '1,2']) {
    const query = await read(events(id, `?starting_after=${encodeURIComponent(cursor)}`))
    t.equal(query.status, 422, `?starting_after=${cursor}`)
    t.match(brief(query.body.detail), [/^query starting_after /])
    const trimmed = cursor.trim()
    if (trimmed === cursor && cursor !== '') {
      const header = await read(events(id, '', { 'last-event-id': cursor }))
      t.equal(header.status, 422, `Last-Event-ID: ${cursor}`)
      t.match(brief(header.body.detail), [/^header last-event-id /])
    }
    const page = await read(api('GET', `/tasks/${id}/events?after=${encodeURIComponent(cursor)}`))
    t.equal(page.status, 422, `?after=${cursor}`)
    t.match(brief(page.body.detail), [/^query after /])
  }
  const twice = await read(events(id, '?starting_after=1&starting_after=2'))
  t.equal(twice.status, 422)
})

t.test('pages of JSON are the same frames', async t => {
  const whole = framesOf(await (await events(id)).text())
  for (const limit of [1, 2, 3, count, 1000]) {
    const frames: Frame[] = []
    for (let after = ''; ; ) {
      const { status, body } = await read(api('GET', `/tasks/${id}/events?limit=${limit}${after}`))
      t.equal(status, 200)
      const page = body as unknown as { jsonrpc: string; result: Frame[]; has_more: boolean }
      t.same(Object.keys(page).sort(), ['has_more', 'id', 'jsonrpc', 'result'])
      t.ok(page.result.length <= limit)
      frames.push(...page.result)
      t.equal(page.has_more, frames.length < whole.length)
      if (!page.has_more) break
      after = `&after=${frames.at(-1)?.sequence_number}`
    }
    t.same(frames, whole)
  }
  const { body } = await read(api('GET', `/tasks/${id}/events?after=${count - 1}`))
  t.match(body, { result: [], has_more: false }, 'the end is no error')
})

t.test('a page has 1 to 1000 frames, and no other number', async t => {
  for (const limit of ['0', '1001', 'x', '', '-1', '1.5']) {
    const { status, body } = await read(api('GET', `/tasks/${id}/events?limit=${limit}`))
    t.equal(status, 422, limit)
    t.match(brief(body.detail), [/^query limit /])
  }
})

t.test('the Accept header decides, in any company and case', async t => {
  for (const accept of [
    'text/event-stream',
    'TEXT/Event-Stream',
    'application/json, text/event-stream;q=0.5',
  ]) {
    const answer = await api('GET', `/tasks/${id}/events`, undefined, { accept })
    t.equal(answer.headers.get('content-type'), 'text/event-stream', accept)
    await answer.text()
  }
  for (const accept of ['*/*', 'application/json', 'text/html']) {
    const answer = await api('GET', `/tasks/${id}/events`, undefined, { accept })
    t.match(answer.headers.get('content-type'), 'application/json', accept)
    await answer.text()
  }
})

t.test('a task that is not there has no events', async t => {
  for (const headers of [sse, { accept: 'application/json' }]) {
    const { status, body } = await read(api('GET', '/tasks/nothing/events', undefined, headers))
    t.equal(status, 404)
    t.match(body, { code: -32001 })
  }
  const gone = await read(create({ client_id: 'echo', stream: false }))
  await read(api('DELETE', `/tasks/${gone.body.result.id}`))
  t.equal((await events(gone.body.result.id)).status, 404)
})

t.test('an EventSource of the package reads it to the end and stays away', async t => {
  const { EventSource } = await import('eventsource')
  const { body } = await read(create({ client_id: 'demo', stream: false, background: true }))
  const seen: string[] = []
  let opened = 0
  const { url } = await api('GET', '/tasks')
  const source = new EventSource(`${url}/${body.result.id}/events`, {
    fetch: (input, init) => {
      opened++
      return fetch(input, {
        ...init,
        headers: { ...(init.headers as Record<string, string>), authorization: `Bearer ${adminToken}` },
      })
    },
  })
  await new Promise<void>(resolve => {
    for (const type of ['task.created', 'task.working', 'task.text.delta', 'task.completed'])
      source.addEventListener(type, event => {
        seen.push(event.type)
        if (type === 'task.completed') resolve()
      })
  })
  source.close()
  t.equal(opened, 1)
  t.equal(seen[0], 'task.created')
  t.equal(seen.at(-1), 'task.completed')
})

t.test('many streams at once are nothing that Node would warn of', async t => {
  t.same(warnings, [])
})

t.test('after, starting_after and Last-Event-ID mean the same, of a page and of a stream', async t => {
  const { body } = await read(
    api('POST', '/tasks', { user_message_content: 'a b c', stream: false, client_id: 'demo' }),
  )
  const { id } = body.result
  const sse = { accept: 'text/event-stream' }
  const numbers = async (query: string, headers: Record<string, string>) => {
    const { text } = await read(api('GET', `/tasks/${id}/events${query}`, undefined, headers))
    return [...text.matchAll(/"sequence_number":(\d+)/g)].map(([, n]) => Number(n))
  }
  const ways: [string, Record<string, string>][] = [
    ['?after=3', {}],
    ['?starting_after=3', {}],
    ['?starting_after=3&after=3', {}],
    ['', { 'last-event-id': '3' }],
    ['?after=0', { 'last-event-id': '3' }],
    ['?after=0&starting_after=1', { 'last-event-id': '3' }],
    ['?after=3', { 'last-event-id': '' }],
  ]
  for (const form of [{}, sse] as Record<string, string>[]) {
    const first = (await numbers('?starting_after=3', form))[0]
    t.equal(first, 4)
    const all = await numbers('?after=3', form)
    for (const [query, headers] of ways) {
      t.same(await numbers(query, { ...form, ...headers }), all, `${query} ${JSON.stringify(headers)}`)
    }
    const differ = await read(api('GET', `/tasks/${id}/events?after=1&starting_after=2`, undefined, form))
    t.equal(differ.status, 422)
    t.same(brief(differ.body.detail), ['query after value_error', 'query starting_after value_error'])
    for (const [query, headers, where] of [
      ['?after=9999', {}, 'query after'],
      ['?starting_after=9999', {}, 'query starting_after'],
      ['?after=0', { 'last-event-id': '9999' }, 'header last-event-id'],
    ] as const) {
      const beyond = await read(api('GET', `/tasks/${id}/events${query}`, undefined, { ...form, ...headers }))
      t.same([beyond.status, brief(beyond.body.detail)], [422, [`${where} value_error`]])
    }
  }
})
