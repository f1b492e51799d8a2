// Servers that ask without end, with forms that are none, or too much; and tasks of servers that ask.
import t from 'tap'
import { listen } from '../../mcp/servers/http.ts'
import { folderOf } from '../../mcp/support.ts'
import { until } from '../../support/http.ts'
import { type Api, serveHere, spawnServer } from '../../support/server.ts'
import { answer, asksIn, bodyFor, saidIn, taskIn, taskNow, whenIt } from './asked.ts'
import { taskServer } from './task-server.ts'

type Fields = Record<string, unknown>
const env = { ALLOW_PRIVATE_URLS: '1' }
const complete = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
const oneField = { type: 'object', properties: { a: { type: 'string' } } }
const formWith = (more: Fields) => ({ type: 'object', properties: { a: { type: 'string', ...more } } })
const deep = (levels: number): Fields => JSON.parse(`${'{"not":'.repeat(levels)}{}${'}'.repeat(levels)}`)
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
    [/asks with a form that is none/, { message: 'What?', requestedSchema: formWith({ not: deep(40) }) }],
    [
      /asks with a form that cannot be used: .*regular/i,
      { message: 'What?', requestedSchema: formWith({ pattern: '(((' }) },
    ],
    [
      /asks with a form that cannot be used/,
      { message: 'What?', requestedSchema: formWith({ $ref: 'http://127.0.0.1:1/x' }) },
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

t.test('a state or a form that quotes a secret is not stored', async t => {
  const headers = { authorization: 'Bearer my-very-secret-key' }
  const place = await oddPlace(() =>
    asking({ message: 'your my-very-secret-key', requestedSchema: oneField }),
  )
  const first = await taskIn(await api('POST', '/tasks', bodyFor({ url: place.url, headers }, 'go', {})))
  const [question] = asksIn(await whenIt(api, first.id, 'input-required'))
  t.equal(JSON.parse(question?.arguments ?? '').question, 'your ***')
  await api('POST', `/tasks/${first.id}/cancel`)

  for (const secret of ['my-very-secret-key', 'my-"very\\secret"-key']) {
    const hidden = { headers: { authorization: `Bearer ${secret}` } }
    const shown = { type: 'object', properties: { a: { type: 'string', title: `not ${secret}` } } }
    const cases: [RegExp, Fields][] = [
      [
        /wants back a state that shows a secret/,
        asking({ message: 'What?', requestedSchema: oneField }, secret),
      ],
      [/asks with a form that shows a secret/, asking({ message: 'What?', requestedSchema: shown })],
    ]
    for (const [why, asked] of cases) {
      const { url } = await oddPlace(() => asked)
      const { id } = await taskIn(await api('POST', '/tasks', bodyFor({ url, ...hidden }, 'go', {})))
      t.match(saidIn(await whenIt(api, id, 'completed')), why)
    }
  }
})

/** Asks once, and gives its result to the answer when it is no longer held. */
const heldPlace = async (annotations: Fields) => {
  let isHeld = true
  const place = await oddPlace(({ inputResponses }) => {
    if (inputResponses === undefined)
      return asking({ message: 'What?', requestedSchema: oneField }, 'the state')
    return isHeld ? new Promise<Fields>(() => {}) : { ...complete, content: [{ type: 'text', text: 'done' }] }
  }, annotations)
  const begin = async (api: Api) =>
    (await taskIn(await api('POST', '/tasks', bodyFor({ url: place.url }, 'go', {})))).id
  const free = () => {
    isHeld = false
  }
  return { ...place, begin, free }
}

/** What a task of a server asks. */
const wanted = {
  status: 'input_required',
  inputRequests: asking({ message: 'Which?', requestedSchema: oneField }).inputRequests,
}
const text = (said: string) => ({ content: [{ type: 'text', text: said }] })

t.test('the question of a task of a server that has ended without the answer is taken back', async t => {
  let isOver = false
  const tasks = await taskServer(t, () =>
    isOver ? { status: 'completed', result: text('ended by itself') } : wanted,
  )
  const { id } = await taskIn(await api('POST', '/tasks', bodyFor({ url: tasks.url }, 'slow', {})))
  await whenIt(api, id, 'input-required')
  isOver = true
  const task = await whenIt(api, id, 'completed')
  t.match(saidIn(task), /ended by itself/)
  t.same(asksIn(task), [])
  t.equal(tasks.of('tasks/update').length, 0)
})

t.test('a task of a server that refuses the answer is looked at once more', async t => {
  for (const [after, said, updates] of [
    [{ status: 'completed', result: text('went on without it') }, /went on without it/, 1],
    [wanted, /answered: too late/, 2],
  ] as const) {
    const tasks = await taskServer(
      t,
      () => (tasks.of('tasks/update').length === 0 ? wanted : after),
      'too late',
    )
    const { id } = await taskIn(await api('POST', '/tasks', bodyFor({ url: tasks.url }, 'slow', {})))
    await answer(api, await whenIt(api, id, 'input-required'), { a: 'b' })
    t.match(saidIn(await whenIt(api, id, 'completed')), said)
    t.equal(tasks.of('tasks/update').length, updates)
  }
})

t.test('a task of a server that asks with a form that cannot be used is canceled', async t => {
  const { inputRequests } = asking({ message: 'Which?', requestedSchema: formWith({ pattern: '(((' }) })
  const tasks = await taskServer(t, () => ({ ...wanted, inputRequests }))
  const { id } = await taskIn(await api('POST', '/tasks', bodyFor({ url: tasks.url }, 'slow', {})))
  t.match(saidIn(await whenIt(api, id, 'completed')), /asks with a form that cannot be used/)
  t.equal(tasks.of('tasks/cancel').length, 1)
})
/** Tasks that each make two calls at a time: one that asks its user, in some cases only after a kill, and one that never ends. */
const besideUnknown = async () => {
  let isOver = false
  const [rests, never] = [
    asking({ message: 'Which?', requestedSchema: oneField }, 'x'),
    new Promise<Fields>(() => {}),
  ]
  const done = { ...complete, content: [{ type: 'text', text: 'done' }] }
  const endless = await oddPlace(() => never)
  const early = await oddPlace(({ inputResponses }) => (inputResponses === undefined ? rests : done))
  const late = await oddPlace(
    ({ inputResponses }) => (inputResponses !== undefined ? done : isOver ? rests : never),
    { readOnlyHint: true },
  )
  const tasks = await taskServer(t, () => {
    if (tasks.of('tasks/update').length > 0) return { status: 'completed', result: { content: [] } }
    const { inputRequests } = rests
    return isOver ? { status: 'input_required', inputRequests } : { status: 'working' }
  })
  const cases = {
    'a call that has asked': {
      agent_id: 'script',
      url: early.url,
      name: 'go',
      hasBegun: () => early.calls.length > 0,
    },
    'a call that is safe to repeat': {
      ...{ agent_id: 'script', url: late.url, name: 'go' },
      hasBegun: () => late.calls.length > 0,
    },
    'a call of code': { agent_id: 'both', url: late.url, name: 'go', hasBegun: () => late.calls.length > 1 },
    'a task of a server': {
      ...{ agent_id: 'script', url: tasks.url, name: 'slow' },
      hasBegun: () => tasks.of('tasks/get').length > 0,
    },
  }
  const begin = async (api: Api) => {
    const begun: [string, string][] = []
    for (const [what, { agent_id, url, name, hasBegun }] of Object.entries(cases)) {
      const tools = [`s__${name}`, 'u__go'].map(tool => ({ tool, arguments: {} }))
      const agent_config = {
        ...{ agent_id, script: [{ tools }, { message: 'end' }] },
        tool_mcp_config: { mcpServers: { s: { url }, u: { url: endless.url } } },
      }
      const { id } = await taskIn(await api('POST', '/tasks', { ...bodyFor({}, name, {}), agent_config }))
      begun.push([what, id])
      await until(() => hasBegun() && endless.calls.length === begun.length)
    }
    return begun
  }
  const kill = () => {
    isOver = true
  }
  return { begin, kill }
}

t.test('a kill -9 of this server', async t => {
  const agents = t.testdir({
    'both.mjs': `import { agent } from 'reprise/agent'
export default agent(async ctx => String(await Promise.all([ctx.tool('s__go', {}), ctx.tool('u__go', {})])))`,
  })
  const env = { ALLOW_PRIVATE_URLS: '1', AGENT_PATH: agents }
  let given: unknown
  const done = { status: 'completed', result: text('done at last') }
  const tasks = await taskServer(t, () => {
    given ??= tasks.of('tasks/update')[0]?.params
    return given === undefined ? wanted : done
  })
  const [unsafe, safe] = [await heldPlace({}), await heldPlace({ readOnlyHint: true })]
  const dataDir = folderOf(t)
  const first = await spawnServer(t, dataDir, env)
  const { id } = await taskIn(await first.api('POST', '/tasks', bodyFor({ url: tasks.url }, 'slow', {})))
  const before = await whenIt(first.api, id, 'input-required')
  const ids = [await unsafe.begin(first.api), await safe.begin(first.api)] as const
  for (const one of ids) await answer(first.api, await whenIt(first.api, one, 'input-required'), { a: 'b' })
  await until(() => unsafe.calls.length === 2 && safe.calls.length === 2)
  const beside = await besideUnknown()
  const two = await beside.begin(first.api)
  await first.end('SIGKILL')
  beside.kill()
  for (const { free } of [unsafe, safe]) free()
  const looks = tasks.of('tasks/get').length
  const { api: again, end } = await spawnServer(t, dataDir, env)

  await t.test('leaves the question of a task of a server, which gets the answer', async t => {
    await until(() => tasks.of('tasks/get').length > looks)
    const task = await taskNow(again, id)
    t.same(asksIn(task), asksIn(before), 'it asks once')
    await answer(again, task, { a: 'the blue one' })
    t.match(saidIn(await whenIt(again, id, 'completed')), /done at last/)
    t.match(given, { inputResponses: { a: { action: 'accept', content: { a: 'the blue one' } } } })
    t.equal(tasks.of('tools/call').length, 1)
  })

  const answered = ({ calls }: { calls: Fields[] }) =>
    calls.flatMap(({ inputResponses, requestState }) => (inputResponses === undefined ? [] : [requestState]))

  await t.test('after the answer does not make a call twice', async t => {
    t.match((await whenIt(again, ids[0], 'paused')).metadata, { reason: 'outcome_unknown' })
    t.same(answered(unsafe), ['the state'])
  })

  await t.test('lets a call that is safe to repeat go on once more with its state', async t => {
    await whenIt(again, ids[1], 'completed')
    t.same(answered(safe), ['the state', 'the state'])
  })
  for (const [what, id] of two) {
    await t.test(`of an unknown outcome beside ${what}: a person settles it, and then answers`, async t => {
      const { metadata } = await whenIt(again, id, 'paused')
      t.match(metadata, { reason: 'outcome_unknown', effect: { name: 'u__go' } })
      const { call_id } = (metadata as { effect: { call_id: string } }).effect
      const tool_results = [{ call_id, message_content: 'it was done' }]
      t.equal((await again('POST', `/tasks/${id}/input`, { tool_results })).status, 200)
      const task = await whenIt(again, id, 'input-required')
      t.equal(asksIn(task).length, 1)
      t.equal((await answer(again, task, { a: 'b' })).status, 200)
      t.equal((await whenIt(again, id, 'completed')).status, 'completed')
    })
  }
  await end('SIGTERM')
})
