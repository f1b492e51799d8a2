// The kind: a server has forgotten the session of a connection. The session is opened again within the call, when it is
// certain that the call was not run.
import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import { result } from './servers/raw.mjs'
import { listOf, plainTool, rawPlace } from './servers/raw.ts'
import { givenMcp } from './support.ts'

const rpc = (message: string, id: unknown = null) =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32000, message } })

/** By name: how a server answers a request of a session that it has forgotten. */
const forgotten: Record<string, [number, string]> = {
  'status 404': [404, ''],
  'status 404 and an error': [404, rpc('Session not found')],
  'status 404 and the id of the request': [404, rpc('Session not found', 3)],
  'status 404 and a page': [404, '<html><title>404</title>'],
  'status 410': [410, 'Gone'],
  'status 400 of the examples of the protocol': [400, rpc('Bad Request: No valid session ID provided')],
  'status 400 of a new process': [400, rpc('Bad Request: Server not initialized')],
  'status 400 and a text': [400, 'Invalid session ID'],
  'status 400 and an id of its own': [400, rpc('Bad Request: Missing session ID', 'server-error')],
  'status 400 and another text': [400, '{"error":"Unknown Mcp-Session-Id header: the session has expired"}'],
  'status 401 and a text': [401, 'Unauthorized: Session not found'],
}
/** By name: a refusal that may come from the tool itself. */
const others: Record<string, [number, string]> = {
  'status 400 without words about a session': [400, rpc('no such tool')],
  'status 400 and the id of the request': [400, rpc('the browser session was not found', 2)],
  'status 401 without words about a session': [401, 'the token has expired'],
  'status 500 and words about a session': [500, rpc('Session not found')],
  'status 403': [403, 'Session not found'],
}

/** A server with sessions, which counts the calls that it has run. `forget` makes it forget them. */
const withSessions = async (t: Test, refusal: [number, string], isStateless = false) => {
  const sessions = new Set<string>()
  let calls = 0
  let opened = 0
  let refusing = false
  const { server } = await rawPlace(
    t,
    {
      lists: [listOf([plainTool('count')])],
      calls: {},
    },
    {
      first({ method, message, headers }, response) {
        if (method !== 'POST') return false
        if (message.method === 'initialize') {
          opened++
          const id = randomUUID()
          sessions.add(id)
          if (!isStateless) response.setHeader('mcp-session-id', id)
          return false
        }
        const isKnown = isStateless || sessions.has(String(headers['mcp-session-id']))
        if (message.id !== undefined && (!isKnown || refusing)) {
          response.writeHead(refusal[0]).end(refusal[1])
          return true
        }
        if (message.method !== 'tools/call') return false
        const answer = result({ content: [{ type: 'text', text: `${++calls}` }] })
        response.writeHead(200).end(answer.replace('"$id"', JSON.stringify(message.id)))
        return true
      },
    },
  )
  return {
    server,
    forget: () => sessions.clear(),
    refuse: (on: boolean) => {
      refusing = on
    },
    opened: () => opened,
    calls: () => calls,
  }
}
const wordsOf = (work: Promise<unknown>) =>
  work.then(
    content => `it answered ${content}`,
    (error: Error) => error.message,
  )

for (const [name, refusal] of Object.entries(forgotten)) {
  t.test(`${name}: the session is opened again, and the call runs once`, async t => {
    const place = await withSessions(t, refusal)
    const { call, list } = await givenMcp(t, [place.server])
    t.equal(await call('s__count'), '1')
    place.forget()
    t.equal(await call('s__count'), '2')
    t.equal(place.opened(), 2)
    place.forget()
    t.equal((await list()).length, 1, 'the list that is known needs no session')
    t.same((await Promise.all([call('s__count'), call('s__count')])).sort(), ['3', '4'], 'two calls at once')
    t.equal(place.opened(), 3, 'open one session')
  })
}

t.test('a session that is lost again and again is tried twice, and the reason is told', async t => {
  const place = await withSessions(t, [404, 'no such session'])
  const { call } = await givenMcp(t, [place.server])
  await call('s__count')
  place.refuse(true)
  t.equal(await wordsOf(call('s__count')), 'the MCP server "s" answered with HTTP 404: no such session')
  t.equal(place.opened(), 2)
  place.refuse(false)
  t.equal(await call('s__count'), '2')
  t.equal(place.opened(), 3, 'the next call begins with a new session')
})

for (const [name, [status, body]] of Object.entries(others)) {
  t.test(`${name}: the call is not sent again`, async t => {
    const place = await withSessions(t, [status, body])
    const { call } = await givenMcp(t, [place.server])
    await call('s__count')
    place.refuse(true)
    t.match(await wordsOf(call('s__count')), `the MCP server "s" answered with HTTP ${status}: `)
    place.refuse(false)
    t.equal(await call('s__count'), '2')
    t.equal(place.opened(), 1, 'on the same connection')
  })
}

t.test('a refusal of a server without sessions is no lost session', async t => {
  const place = await withSessions(t, [404, 'Not Found'], true)
  const { call } = await givenMcp(t, [place.server])
  await call('s__count')
  place.refuse(true)
  t.equal(await wordsOf(call('s__count')), 'the MCP server "s" answered with HTTP 404: Not Found')
  t.equal(place.opened(), 1)
})
