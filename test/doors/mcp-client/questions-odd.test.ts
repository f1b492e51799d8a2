// Servers that ask without end, with forms that are none, or too much; and tasks of servers that ask.
import t from 'tap'
import { listen } from '../../mcp/servers/http.ts'
import { until } from '../../support/http.ts'
import { serveHere, spawnServer } from '../../support/server.ts'
import { answer, asksIn, bodyFor, saidIn, taskIn, taskNow, whenIt } from './asked.ts'
import { taskServer } from './task-server.ts'

type Fields = Record<string, unknown>
const env = { ALLOW_PRIVATE_URLS: '1' }
const complete = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
const oneField = { type: 'object', properties: { a: { type: 'string' } } }
const asking = (params: Fields, state?: string) => ({
  resultType: 'input_required',
  inputRequests: { a: { method: 'elicitation/create', params } },
  ...(state === undefined ? {} : { requestState: state }),
})

/** A server of 2026-07-28 that answers each call of its tool with what `answerTo` makes of the parameters. */
const oddPlace = async (answerTo: (params: Fields) => Fields | Promise<Fields>, annotations: Fields = {}) => {
  const calls: Fields[] = []
  const resultOf = async (method: string, params: Fields): Promise<Fields | undefined> => {
    switch (method) {
      case 'server/discover':
        return {
          ...complete,
          supportedVersions: ['2026-07-28'],
          capabilities: { tools: {} },
          serverInfo: { name: 'odd', version: '1' },
        }
      case 'tools/list':
        return { ...complete, tools: [{ name: 'go', inputSchema: { type: 'object' }, annotations }] }
      case 'tools/call':
        calls.push(params)
        return answerTo(params)
    }
    return undefined
  }
  const { url } = await listen(t, async (request, response) => {
    let body = ''
    for await (const piece of request) body += piece
    if (request.method !== 'POST') return response.writeHead(405).end()
    const { id, method, params = {} } = JSON.parse(body) as { id?: unknown; method: string; params?: Fields }
    const result = await resultOf(method, params)
    response.writeHead(200, { 'content-type': 'application/json' })
    return response.end(
      JSON.stringify({
        jsonrpc: '2.0',
        id,
        ...(result ? { result } : { error: { code: -32601, message: 'no' } }),
      }),
    )
  })
  return { url, calls }
}

const { api } = await serveHere(t, env)

t.test('what no user can be asked fails the call, with the reason', async t => {
  const cases: [RegExp, Fields][] = [
    [/asks without a message/, { mode: 'form', requestedSchema: oneField }],
    [/asks with a form that is none/, { message: 'What?' }],
    [/asks with a form that is none/, { message: 'What?', requestedSchema: { type: 'string' } }],
    [
      /asks with a form that is none/,
      { message: 'What?', requestedSchema: { type: 'object', properties: { deep: { type: 'object' } } } },
    ],
    [
      /asks with a form of more than 64 fields or 64 KiB/,
      {
        message: 'What?',
        requestedSchema: {
          type: 'object',
          properties: { a: { type: 'string', title: 'x'.repeat(3 << 20) } },
        },
      },
    ],
    [/asks with a message of more than 8 KiB/, { message: 'x'.repeat(1 << 20), requestedSchema: oneField }],
    [/asks for a visit to no URL/, { mode: 'url', message: 'Go.', url: 'javascript:alert(1)' }],
    [/asks in a way that is not known here/, { mode: 'dream', message: 'Sleep.' }],
  ]
  let params: Fields = {}
  const { url } = await oddPlace(() => asking(params))
  for (const [why, asked] of cases) {
    params = asked
    const { id } = await taskIn(await api('POST', '/tasks', bodyFor({ url }, 'go', {})))
    const task = await whenIt(api, id, 'completed')
    t.match(task.output[1], { type: 'tool_result', status: 'incomplete' })
    t.match(saidIn(task), why)
  }
})

t.test('a server that asks without end, or wants back a state without end, is not answered', async t => {
  const silent = await oddPlace(() => ({ resultType: 'input_required', requestState: 'again' }))
  const first = await taskIn(await api('POST', '/tasks', bodyFor({ url: silent.url }, 'go', {})))
  t.match(saidIn(await whenIt(api, first.id, 'completed')), /asks the user without end/)
  t.ok(silent.calls.length <= 33, `${silent.calls.length} calls`)

  const large = await oddPlace(() =>
    asking({ message: 'What?', requestedSchema: oneField }, 'x'.repeat(1 << 20)),
  )
  const second = await taskIn(await api('POST', '/tasks', bodyFor({ url: large.url }, 'go', {})))
  t.match(saidIn(await whenIt(api, second.id, 'completed')), /wants back a state of more than 64 KiB/)
})

t.test('a state that quotes a secret is not stored', async t => {
  const headers = { authorization: 'Bearer my-very-secret-key' }
  const place = await oddPlace(() =>
    asking({ message: 'your my-very-secret-key', requestedSchema: oneField }),
  )
  const first = await taskIn(await api('POST', '/tasks', bodyFor({ url: place.url, headers }, 'go', {})))
  const [question] = asksIn(await whenIt(api, first.id, 'input-required'))
  t.equal(JSON.parse(question?.arguments ?? '').question, 'your ***')
  await api('POST', `/tasks/${first.id}/cancel`)

  const other = await oddPlace(() =>
    asking({ message: 'What?', requestedSchema: oneField }, 'my-very-secret-key'),
  )
  const second = await taskIn(await api('POST', '/tasks', bodyFor({ url: other.url, headers }, 'go', {})))
  t.match(saidIn(await whenIt(api, second.id, 'completed')), /wants back a state that shows a secret/)
})

t.test('a task of a server that asks gets the answer, also after a kill -9', async t => {
  let given: unknown
  const done = { status: 'completed', result: { content: [{ type: 'text', text: 'done at last' }] } }
  const { inputRequests } = asking({ message: 'Which?', requestedSchema: oneField })
  const server = await taskServer(t, () => {
    given ??= server.of('tasks/update')[0]?.params
    return given === undefined ? { status: 'input_required', inputRequests } : done
  })
  const dataDir = t.testdir()
  const first = await spawnServer(t, dataDir, env)
  const { id } = await taskIn(await first.api('POST', '/tasks', bodyFor({ url: server.url }, 'slow', {})))
  const before = await whenIt(first.api, id, 'input-required')
  await first.end('SIGKILL')

  const second = await spawnServer(t, dataDir, env)
  const looks = server.of('tasks/get').length
  await until(() => server.of('tasks/get').length > looks)
  const task = await taskNow(second.api, id)
  t.same(asksIn(task), asksIn(before), 'it asks once')
  await answer(second.api, task, { a: 'the blue one' })
  t.match(saidIn(await whenIt(second.api, id, 'completed')), /done at last/)
  t.match(given, { inputResponses: { a: { action: 'accept', content: { a: 'the blue one' } } } })
  t.equal(server.of('tools/call').length, 1)

  await second.end('SIGTERM')
})

for (const isSafe of [false, true]) {
  const what = isSafe ? 'goes on once more' : 'is not made twice'
  t.test(`a call that a kill -9 ends after its answer ${what}`, async t => {
    let isHeld = true
    let release = () => {}
    const place = await oddPlace(
      ({ inputResponses }) => {
        if (inputResponses === undefined)
          return asking({ message: 'What?', requestedSchema: oneField }, 'the state')
        if (isHeld)
          return new Promise<Fields>(resolve => (release = () => resolve({ ...complete, content: [] })))
        return { ...complete, content: [{ type: 'text', text: 'done' }] }
      },
      isSafe ? { readOnlyHint: true } : {},
    )
    const dataDir = t.testdir()
    const first = await spawnServer(t, dataDir, env)
    const { id } = await taskIn(await first.api('POST', '/tasks', bodyFor({ url: place.url }, 'go', {})))
    await answer(first.api, await whenIt(first.api, id, 'input-required'), { a: 'b' })
    await until(() => place.calls.length === 2)
    await first.end('SIGKILL')
    isHeld = false
    release()
    const second = await spawnServer(t, dataDir, env)
    const task = await whenIt(second.api, id, isSafe ? 'completed' : 'paused')
    const made = place.calls.filter(({ inputResponses }) => inputResponses !== undefined)
    t.equal(made.length, isSafe ? 2 : 1)
    t.ok(made.every(({ requestState }) => requestState === 'the state'))
    if (!isSafe) t.match(task.metadata, { reason: 'outcome_unknown' })
    await second.end('SIGTERM')
  })
}
