// Bodies that no client of ours would send.
import t from 'tap'
import { brief, dial, exchange, pause, read } from '../support/http.ts'
import { adminToken, serveHere } from '../support/server.ts'

const limit = 64 * 1024
const { api, url, lines } = await serveHere(t, { BODY_LIMIT: `${limit}` })
const whole = { user_message_content: 'hello', stream: false, client_id: 'echo' }
const post = (body: unknown, headers = {}) => read(api('POST', '/tasks', body, headers))
const head = (path: string, ...more: string[]) =>
  [
    `POST /v1${path} HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${adminToken}`,
    'Connection: close',
    ...more,
    '',
    '',
  ].join('\r\n')
const typed = 'Content-Type: application/json'

t.test('malformed JSON is a 422 of type json_invalid', async t => {
  for (const text of [
    '{',
    '{"a":}',
    '[1,]',
    "{'a':1}",
    'NaN',
    '{"a":1}x',
    '\ufeff{}',
    'undefined',
    ' ',
    '{"a":\u00001}',
  ]) {
    const { status, body } = await post(text)
    t.equal(status, 422, JSON.stringify(text))
    t.match(body, { detail: [{ loc: ['body', Number], type: 'json_invalid', msg: /./ }] })
    t.equal(body.detail.length, 1)
  }
})

t.test('so are bytes that are no UTF-8', async t => {
  const tail = Buffer.from('","stream":false}')
  for (const bytes of [
    [0xff],
    [0xc3, 0x28],
    [0xed, 0xa0, 0x80],
    [0xc0, 0x80],
    [0xf8, 0x88, 0x80, 0x80, 0x80],
  ]) {
    const body = Buffer.concat([Buffer.from('{"user_message_content":"'), Buffer.from(bytes), tail])
    const { status, body: text } = await exchange(
      url,
      Buffer.concat([Buffer.from(head('/tasks', typed, `Content-Length: ${body.length}`)), body]),
    )
    t.equal(status, 422, bytes.map(byte => byte.toString(16)).join(' '))
    t.match(JSON.parse(text), { detail: [{ type: 'json_invalid' }] })
  }
})

t.test('64 levels pass, 65 do not', async t => {
  const nested = (levels: number) => `${`{"a":`.repeat(levels)}1${'}'.repeat(levels)}`
  const body = (levels: number) =>
    `{"user_message_content":"x","stream":false,"client_id":"echo","metadata":${nested(levels - 1)}}`
  const passed = await post(body(64))
  t.equal(passed.status, 200)
  t.same(passed.body.result.metadata, { ...JSON.parse(nested(63)), agent: 'echo' })
  t.equal((await post(body(65))).status, 422)
  t.equal((await post('['.repeat(30_000))).status, 422)
  t.equal(
    (await post(`{"user_message_content":"${'['.repeat(100)}","stream":false,"client_id":"echo"}`)).status,
    200,
  )
})

t.test('keys that reach for prototypes are refused with their place', async t => {
  for (const [text, loc] of [
    ['{"__proto__": {"stream": false}}', 'body __proto__'],
    ['{"metadata": {"a": [{"__proto__": 1}]}}', 'body metadata a 0 __proto__'],
    ['{"metadata": {"constructor": {"prototype": {"x": 1}}}}', 'body metadata constructor prototype'],
    ['{"\\u005f_proto__": 1}', 'body __proto__'],
  ] as const) {
    const { status, body } = await post(text)
    t.equal(status, 422, text)
    t.match(brief(body.detail)[0], `${loc} value_error`)
  }
  t.equal(({} as Record<string, unknown>).x, undefined)
})

t.test('names that every object inherits are names like others', async t => {
  const odd = { toString: 'x', hasOwnProperty: 1, valueOf: null, constructor: 'c', length: 3 }
  const { status, body } = await post({
    ...whole,
    metadata: odd,
    env: odd,
    inference_args: odd,
    toString: 1,
    constructor: 2,
  })
  t.equal(status, 200)
  const { ignored_fields, agent: _, ...metadata } = body.result.metadata as Record<string, unknown>
  t.same({ ...metadata }, odd)
  t.same(ignored_fields, ['toString', 'constructor'])
  const missing = await post('{"toString": 1, "valueOf": 2}')
  t.same(brief(missing.body.detail).sort(), ['body stream missing', 'body user_message_content missing'])
})

t.test('the last of equal keys wins', async t => {
  const { body } = await post(
    '{"user_message_content":"a","user_message_content":"b","stream":1,"stream":false,"client_id":"echo"}',
  )
  t.match(body.result.output, [{ message_content: [{ text: 'b' }] }])
})

t.test('lone surrogates, NUL and other odd text come back unchanged', async t => {
  const odd = 'a\u0000b \ud800 \udfff\ud83d \u2028\u2029\u0085\ufffe\ufeff\u202e "\\ \r\n\t \u007f 😀'
  const metadata = { [odd]: odd }
  const { status, body } = await post({ ...whole, user_message_content: odd, metadata })
  t.equal(status, 200)
  const said = (task: unknown) =>
    (task as { output: { message_content: { text: string }[] }[] }).output[0]?.message_content[0]?.text
  t.equal(said(body.result), odd)
  t.same(body.result.metadata, { ...metadata, agent: 'echo' })
  const { body: got } = await read(api('GET', `/tasks/${body.result.id}`))
  t.equal(said(got.result), odd)
  t.same(got.result, body.result)
  const { text } = await read(
    api('GET', `/tasks/${body.result.id}/events`, undefined, { accept: 'text/event-stream' }),
  )
  const deltas = text
    .split('\n')
    .filter(line => line.startsWith('data: ') && line.includes('task.text.delta'))
  t.equal(deltas.map(line => JSON.parse(line.slice(6)).result.delta).join(''), odd)
})

t.test('numbers of any size pass where anything does, and are refused where they do not fit', async t => {
  const numbers = [0, -0.5, 1e308, 5e-324, 2 ** 53, 123456789012345]
  const { status, body } = await post({ ...whole, metadata: { numbers } })
  t.equal(status, 200)
  t.match(body.result.metadata, { numbers })
  const open = await post(
    `{"user_message_content":"x","stream":false,"client_id":"echo","metadata":{"n":1e999,"m":-1e999}}`,
  )
  t.ok(open.status === 200 || open.status === 422)
  const text = (n: string) =>
    `{"user_message_content":[{"type":"text","text":"x","id":${n}}],"stream":false,"client_id":"echo"}`
  t.same(brief((await post(text('1e999'))).body.detail), ['body user_message_content 0 id finite_number'])
  t.same(brief((await post(text('1.5'))).body.detail), ['body user_message_content 0 id int_from_float'])
})

t.test('another media type is a 415, and so is none', async t => {
  const text = JSON.stringify(whole)
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    'application/xml',
    'x',
    'text/json',
    'application/json-patch+json',
  ]) {
    const { status, body } = await post(text, { 'content-type': type })
    t.equal(status, 415, type)
    t.match(body, { jsonrpc: '2.0', error: { code: -32600 } })
  }
  t.equal((await exchange(url, head('/tasks', `Content-Length: ${text.length}`) + text)).status, 415, 'none')
  for (const type of [
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'APPLICATION/JSON',
  ]) {
    t.equal((await post(text, { 'content-type': type })).status, 200, type)
  }
})

t.test('a compressed body is a 415, one that says it is not passes', async t => {
  for (const encoding of ['gzip', 'deflate', 'br', 'zstd', 'gzip, identity']) {
    t.equal((await post(whole, { 'content-encoding': encoding })).status, 415, encoding)
  }
  for (const encoding of ['identity', 'Identity', '']) {
    t.equal((await post(whole, { 'content-encoding': encoding })).status, 200, encoding)
  }
})

t.test('where nothing is sent, any media type may be named', async t => {
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json']) {
    const sent = { 'content-type': type }
    const cancel = await read(api('POST', '/tasks/nothing/cancel', '', sent))
    t.equal(cancel.status, 404, `${type}: there is no such task`)
    t.same(brief((await post('', sent)).body.detail), ['body missing'], type)
  }
})

t.test('of a script of wrong steps a bounded number is listed', async t => {
  const { status, body } = await post({
    ...whole,
    client_id: 'script',
    agent_config: { script: Array(3000).fill({}) },
  })
  t.equal(status, 422)
  t.equal(body.detail.length, 1000)
})

const sized = (size: number) => {
  const rest = JSON.stringify({ ...whole, user_message_content: '' }).length
  return JSON.stringify({ ...whole, user_message_content: 'x'.repeat(size - rest) })
}
t.test('a create may be as long as BODY_LIMIT and not a byte longer', async t => {
  t.equal((await post(sized(limit))).status, 200)
  const { status, body } = await post(sized(limit + 1))
  t.equal(status, 413)
  t.match(body, { jsonrpc: '2.0', error: { code: -32600 } })
})

t.test('a body that says it is too long is refused before it comes', async t => {
  const { status } = await exchange(url, head('/tasks', typed, 'Content-Length: 999999999999'), { ms: 1500 })
  t.equal(status, 413)
})

t.test('a chunked body that grows too long is a 413 as well', async t => {
  const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`
  const { status } = await exchange(
    url,
    head('/tasks', typed, 'Transfer-Encoding: chunked') + chunk.repeat(8),
    { ms: 2000 },
  )
  t.equal(status, 413)
})

t.test('elsewhere a body may have a megabyte', async t => {
  const { body } = await post({
    ...whole,
    client_id: undefined,
    agent_config: { agent_id: 'script', script: [{ sleep_ms: 60_000 }] },
    background: true,
  })
  const path = `/tasks/${body.result.id}/resume`
  const fitting = `"${'x'.repeat(1024 * 1024 - 2)}"`
  t.equal((await read(api('POST', path, fitting))).status, 200)
  const { status, body: refused } = await read(api('POST', path, `${fitting} `))
  t.equal(status, 413)
  t.match(refused, { code: -32600 })
})

t.test('chunked and slow bodies are bodies', async t => {
  const text = JSON.stringify(whole)
  const { socket, state, closed, answer } = await dial(url)
  socket.write(head('/tasks', typed, 'Transfer-Encoding: chunked'))
  for (const letter of text) {
    socket.write(`1\r\n${letter}\r\n`)
    if (letter === '"') await pause(1)
  }
  socket.write('0\r\nTrailer: x\r\n\r\n')
  await closed
  t.equal(answer().status, 200, state.raw)
})

t.test('a body that is cut in the middle makes no task and no error of ours', async t => {
  const text = JSON.stringify({ ...whole, session_id: 'cut' })
  await Promise.all(
    [10, text.length - 1].flatMap(sent =>
      [true, false].map(async halfClose => {
        const bytes = head('/tasks', typed, `Content-Length: ${text.length}`) + text.slice(0, sent)
        const { status } = await exchange(url, bytes, { ms: 300, halfClose })
        t.ok(status === 0 || status === 400, `answered ${status}`)
      }),
    ),
  )
  const { body } = await read(api('GET', '/tasks?session_id=cut'))
  t.same(body.result, [])
})

t.test('what follows a whole body on the same connection is the next request', async t => {
  const text = JSON.stringify(whole)
  const first =
    head('/tasks', typed, `Content-Length: ${text.length}`).replace('Connection: close\r\n', '') + text
  const { raw } = await exchange(url, first + head('/tasks/nothing/cancel', 'Content-Length: 0'))
  t.same(raw.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 404'])
})

t.test('two lengths, or a length and chunks, are no request', async t => {
  for (const more of [
    ['Content-Length: 5', 'Content-Length: 6'],
    ['Content-Length: 5', 'Transfer-Encoding: chunked'],
    ['Content-Length: -1'],
    ['Content-Length: 5x'],
    ['Transfer-Encoding: gzip, chunked, x'],
    ['X: a\rInjected: b'],
  ]) {
    const { status } = await exchange(url, `${head('/tasks', typed, ...more)}hello0\r\n\r\n`, { ms: 1500 })
    t.ok(status === 400 || status === 0, `${more}: ${status}`)
  }
})

t.test('the operator was told of no error, and the server is well', async t => {
  t.same(
    lines.filter(line => line.level === 'error'),
    [],
  )
  t.equal((await api('GET', '/tasks')).status, 200)
})
