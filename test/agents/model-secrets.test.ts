// The model's key, callers' tokens, the values of `env` and other tenants' words: nothing that an endpoint says
// or does brings them where they do not belong.
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import t, { type Test } from 'tap'
import { tasksOf } from '../http/agent-tasks.ts'
import { delta, fakeModel } from '../support/fake-model.ts'
import { apiAs, until } from '../support/http.ts'
import { refusedStart, type ServerProcess, spawnServer } from '../support/server.ts'
import { follow } from '../support/sse.ts'
import { sse } from './streams/replay.ts'

t.jobs = 4 // most of them wait

const key = 'sk-9fQ2/Zr8+Lk3=Wn5&Xy7%Tt4'

const inSmallLetters = (url: string) => url.replace(/%[0-9A-F]{2}/g, code => code.toLowerCase())
/** What must not be found: whole, as part of a URL, or a piece of it that says too much. */
const formsOf = (secret: string): string[] => {
  const encoded = encodeURIComponent(secret)
  const small = inSmallLetters(encoded)
  const pieces = Array.from({ length: secret.length - 11 }, (_, at) => secret.slice(at, at + 12))
  return [...pieces, encoded, small, encodeURI(secret), secret.replaceAll('/', '\\/')]
}
const keyForms = formsOf(key)
const foundIn = (text: string, forms: string[]): string[] => forms.filter(form => text.includes(form))

type Play = (request: IncomingMessage, response: ServerResponse, body: string) => unknown
const json = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
) => response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
const raw = (response: ServerResponse, text: string) => {
  response.socket?.end(text)
}
const headerOf = ({ headers }: IncomingMessage) => headers.authorization ?? ''
const keyOf = (request: IncomingMessage) => headerOf(request).replace('Bearer ', '')
const streamed = (response: ServerResponse, ...chunks: (object | string)[]) =>
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end(sse(...chunks))

/** What an endpoint may do with the key that it was given. */
const echoes = (elsewhere: string): Record<string, Play> => ({
  'in the words of a refusal': (request, response) =>
    json(response, 401, { error: { message: `Incorrect API key provided: ${keyOf(request)}` } }),
  'in a list of headers': (request, response) =>
    response.writeHead(403, { 'content-type': 'text/plain' }).end(JSON.stringify(request.headers)),
  'with its slashes escaped': (request, response) =>
    response.writeHead(400).end(`{"detail":"no such key: ${keyOf(request).replaceAll('/', '\\/')}"}`),
  'in a page': (request, response) =>
    response.writeHead(404, { 'content-type': 'text/html' }).end(`<p>${headerOf(request)}</p>`),
  'as part of a URL': (request, response) =>
    response.writeHead(404).end(`no route for /v1?key=${encodeURIComponent(keyOf(request))}`),
  'in a URL, in small letters': (request, response) =>
    response.writeHead(404).end(`/v1?key=${inSmallLetters(encodeURIComponent(keyOf(request)))}`),
  'in a page that is no completion': (request, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<p>${headerOf(request)}</p>`),
  'in headers': (request, response) =>
    json(
      response,
      400,
      { error: { message: 'no' } },
      { 'x-echo': keyOf(request), 'retry-after': keyOf(request) },
    ),
  'in the type of its answer': (request, response) =>
    response.writeHead(200, { 'content-type': `text/${keyOf(request)}` }).end('hello'),
  'in its status line': (request, response) =>
    raw(response, `HTTP/1.1 401 ${keyOf(request)}\r\ncontent-length: 0\r\n\r\n`),
  'in a redirect to itself': (request, response) =>
    response.writeHead(302, { location: `/lost?key=${encodeURIComponent(keyOf(request))}` }).end(),
  'in a redirect to nowhere': (request, response) =>
    response.writeHead(307, { location: `http://127.0.0.1:1/${encodeURIComponent(keyOf(request))}` }).end(),
  'in a redirect that is no URL': (request, response) =>
    response.writeHead(302, { location: `http://[${keyOf(request)}` }).end(),
  'in a redirect of another kind': (request, response) =>
    response.writeHead(302, { location: `ftp://${encodeURIComponent(keyOf(request))}@127.0.0.1/` }).end(),
  'after a redirect to somebody else': (_request, response) =>
    response.writeHead(307, { location: elsewhere }).end(),
  'in an endless redirect': (request, response) =>
    response
      .writeHead(307, { location: `/v1/chat/completions?key=${encodeURIComponent(keyOf(request))}` })
      .end(),
  'in an answer that is no HTTP': (request, response) => raw(response, `${keyOf(request)}\r\n\r\n`),
  'in an error of the stream': (request, response) =>
    streamed(response, delta({ content: 'so' }), { error: { message: `lost ${keyOf(request)}` } }),
  'in a chunk that is no JSON': (request, response) => streamed(response, `{"key": ${keyOf(request)}}`),
  'in an error that goes on for long': (request, response) =>
    response.writeHead(400).end(`${'x'.repeat(990)}${keyOf(request)}`),
})

/** An endpoint that plays what the user's message names, and keeps what it received. */
const endpoint = async (t: Test, plays: (url: string) => Record<string, Play>) => {
  const received: { headers: string; body: string; url: string }[] = []
  let known: Record<string, Play> = {}
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const body = Buffer.concat(pieces).toString()
    received.push({ headers: JSON.stringify(request.headers), body, url: request.url ?? '' })
    const name =
      body === '' ? '' : (JSON.parse(body) as { messages: { content: string }[] }).messages[0]?.content
    const play = request.method === 'POST' && Object.hasOwn(known, name ?? '') ? known[name ?? ''] : undefined
    if (play === undefined) response.writeHead(404).end(`there is no ${request.url}`)
    else play(request, response, body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  known = plays(url)
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url, received, env: { MODEL_BASE_URL: `${url}/v1`, MODEL: 'fake-1', MODEL_API_KEY: key } }
}

/** Every file of a folder, as text. */
const filesIn = (folder: string): [name: string, text: string][] =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap(entry => {
    const file = path.join(entry.parentPath, entry.name)
    // What is still being written has another name, and may be gone before it is read.
    return entry.isFile() && !entry.name.startsWith('.reprise-')
      ? [[path.relative(folder, file), readFileSync(file, 'latin1')]]
      : []
  })
/** The files that hold any of these forms, but for those whose job it is. */
const holding = (folder: string, forms: string[]): string[] =>
  filesIn(folder).flatMap(([name, text]) =>
    !/^(secrets\.db|admin-token)/.test(name) && foundIn(text, forms).length > 0 ? [name] : [],
  )

const tellsNothing = (t: Test, dataDir: string, server: ServerProcess, what: string, forms: string[]) => {
  t.same(holding(dataDir, forms), [], `${what} is in no file`)
  t.same(foundIn(server.output(), forms), [], `${what} is in no line that the server writes`)
}

t.test('whatever an endpoint does with the key, it stays with the two of them', async t => {
  const other = await endpoint(t, () => ({}))
  const { env, received } = await endpoint(t, () => echoes(`${other.url}/v1/chat/completions`))
  const dataDir = t.testdir()
  const server = await spawnServer(t, dataDir, { ...env, LOG_LEVEL: 'debug', MODEL_TIMEOUT_SECONDS: '5' })
  const tasks = tasksOf(server.api)
  const names = Object.keys(echoes(''))
  const ids = await Promise.all(
    names.map(async name => {
      const { body } = await tasks.post({ user_message_content: name, background: true })
      return body.result.id
    }),
  )
  await Promise.all(
    ids.map(async (id, n) => {
      const ended = async () => (await tasks.get(id)).status === 'failed'
      await until(ended)
      for (const tail of ['', '/events?limit=1000', '/rollouts']) {
        const text = await (await server.api('GET', `/tasks/${id}${tail}`)).text()
        t.same(foundIn(text, keyForms), [], `${names[n]}: ${tail}`)
      }
    }),
  )
  for (const where of ['/tasks?limit=100', '/rollouts']) {
    t.same(foundIn(await (await server.api('GET', where)).text(), keyForms), [], where)
  }
  t.ok(
    received.some(({ headers }) => headers.includes(key)),
    'the endpoint had it',
  )
  t.same(other.received, [], 'a redirect is not followed')
  tellsNothing(t, dataDir, server, 'the key', keyForms)
  await server.end('SIGTERM')
  tellsNothing(t, dataDir, server, 'the key, after the end,', keyForms)
})

t.test('an address that holds a password is refused at the start, and not printed', async t => {
  const password = 'hunter2-4f1e'
  const addresses: Record<string, string>[] = [
    { MODEL_BASE_URL: `https://somebody:${password}@models.example/v1`, MODEL: 'fake-1' },
    { MODEL_BASE_URL: `https://${password}@models.example/v1`, MODEL: 'fake-1' },
    { MODEL_BASE_URL: `https://somebody:${password}@models.example/v1` },
    { MODEL_BASE_URL: `ftp://somebody:${password}@models.example/v1`, MODEL: 'fake-1' },
    { MODEL_BASE_URL: `https://somebody:${password}@models.example:99999/v1`, MODEL: 'fake-1' },
    { MODEL_BASE_URL: `//somebody:${password}@models.example/v1`, MODEL: 'fake-1' },
  ]
  for (const env of addresses) {
    const { code, stdout, stderr } = await refusedStart(t.testdir(), { ...env, MODEL_API_KEY: key })
    const what = JSON.stringify(env)
    t.equal(code, 2, what)
    t.match(stderr, /^reprise: MODEL_BASE_URL.*\n$/, what)
    t.same(foundIn(stdout + stderr, [password, ...keyForms]), [], what)
  }
})

t.test('a key that is no header is refused at the start, or told to nobody', async t => {
  const { env } = await fakeModel(t, [{ when: '', text: 'hello' }])
  const tryKey = async (bad: string, dataDir: string) => {
    const server = await spawnServer(t, dataDir, { ...env, MODEL_API_KEY: bad }).catch(String)
    if (typeof server === 'string') return t.same(foundIn(server, keyForms), [], 'it does not start')
    const { body } = await tasksOf(server.api).post({})
    t.match(body.result, { status: 'failed' })
    t.same(foundIn(JSON.stringify(body), keyForms), [])
    return tellsNothing(t, dataDir, server, 'the key', keyForms)
  }
  const folder = t.testdir({ a: {}, b: {} })
  await Promise.all([tryKey(`${key}\nx`, `${folder}/a`), tryKey(`${key}…`, `${folder}/b`)])
})

t.test('what one tenant says, and what its values are, no other tenant and no endpoint hears', async t => {
  const said = 'ann said 7c211433'
  const value = 'a-value-of-ann-5d41402abc4b2a76'
  const plays: Record<string, Play> = {
    [said]: (_request, response, body) => json(response, 400, { error: { message: `too long: ${body}` } }),
    [`${said}, in a stream`]: (_request, response, body) =>
      streamed(response, delta({ content: said }), { error: { message: `lost: ${body}` } }),
    [`${said}, and is answered`]: (_request, response) =>
      streamed(response, delta({ content: said }, 'stop')),
    hello: (_request, response) => json(response, 400, { error: { message: 'no' } }),
  }
  const anns = Object.keys(plays).filter(name => name.startsWith(said))
  const { env, received } = await endpoint(t, () => plays)
  const dataDir = t.testdir()
  const server = await spawnServer(t, dataDir, { ...env, LOG_LEVEL: 'debug' })
  const tokenOf = async (body: object): Promise<string> =>
    ((await (await server.api('POST', '/auth/tokens', body)).json()) as { token: string }).token
  const annsToken = await tokenOf({ role: 'user', user_id: 'ann' })
  const ann = tasksOf(apiAs(server.url, annsToken))
  const bobsTokens = [
    await tokenOf({ role: 'user', user_id: 'bob' }),
    await tokenOf({ role: 'auditor', user_id: 'bob' }),
  ]
  const bobs = bobsTokens.map(token => apiAs(server.url, token))
  const annsIds = await Promise.all(
    anns.map(async user_message_content => {
      const more = {
        session_id: 's',
        env: { API_KEY: value },
        rollout_save_dir: 'saved',
        return_rollout: true,
      }
      return (await ann.post({ user_message_content, ...more })).body.result.id
    }),
  )
  const own = await Promise.all(annsIds.map(id => ann.get(id)))
  t.match(
    own.map(({ status }) => status),
    ['failed', 'failed', 'completed'],
  )
  t.match(own[0]?.error?.message, said, 'she is told what her endpoint said')
  for (const task of own) t.notMatch(JSON.stringify(task), value)

  const [bob] = bobs.map(tasksOf)
  const bobsId = (await bob?.post({ user_message_content: 'hello', session_id: 's' }))?.body.result.id
  const wheres = [
    '/tasks?limit=100',
    '/tasks?session_id=s',
    '/tasks?user_id=ann',
    '/rollouts',
    `/tasks/${bobsId}`,
  ]
  wheres.push(`/tasks/${bobsId}/events`, `/tasks/${bobsId}/rollouts`)
  for (const id of annsIds) {
    wheres.push(`/tasks/${id}`, `/tasks/${id}/events`, `/tasks/${id}/rollouts`, `/tasks?starting_after=${id}`)
    wheres.push(`/tasks/${id}/rollouts?format=atif`, `/tasks/${id}/machine`)
  }
  for (const api of bobs) {
    for (const where of wheres) {
      const text = await (await api('GET', where)).text()
      t.same(foundIn(text, [said, value, ...annsIds.map(id => `"${id}"`)]), [], `bob: ${where}`)
    }
  }
  for (const token of bobsTokens) {
    const headers = { authorization: `Bearer ${token}` }
    const events = await follow(fetch(`${server.url}/api/events?starting_after=earliest`, { headers }))
    while (!events.text().includes('AgentError') && (await events.more())) {} // his own end is the newest
    t.match(events.text(), 'AgentError', 'bob has events of his own')
    t.same(foundIn(events.text(), [said, value, ...annsIds]), [], 'bob: the stream of all events')
    await events.cut()
  }
  for (const { headers, body } of received) {
    t.same(foundIn(headers + body, [value, annsToken]), [], 'values and tokens are not for the endpoint')
  }
  const bobsCall = received.find(({ body }) => body.includes('"hello"') && !body.includes(said))
  t.ok(bobsCall, 'a session of the same name is another one')
  await until(() => filesIn(dataDir).filter(([name]) => name.endsWith('.jsonl')).length === annsIds.length)
  tellsNothing(t, dataDir, server, 'a value', [value])
  tellsNothing(t, dataDir, server, 'a token', formsOf(annsToken))
  t.same(foundIn(server.output(), [said]), [], 'no line tells what a tenant said')
  await server.end('SIGTERM')
  t.same(foundIn(server.output(), [said, value]), [])
  t.same(
    filesIn(dataDir).flatMap(([name, text]) => (text.includes(value) ? [name] : [])),
    [],
    'after the end no file holds it at all',
  )
})
