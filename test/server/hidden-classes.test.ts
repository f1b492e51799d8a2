// V8 makes hidden classes as old objects, and each of a generator function or an accessor keeps all that the function sees. So no
// request may make one for itself (docs/decisions/174-what-a-task-makes-stays-young.md). The server notes here what V8 makes.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import WebSocket from 'ws'
import { adminToken, spawnServer } from '../support/server.ts'
import { createTask, sleep } from './wire.ts'

/** How often each request is made. Before that, nothing happens for `pauseMs`, since the clock of V8 begins some time after ours. */
const [times, pauseMs] = [20, 500]

/** The lines of V8 about new hidden classes of functions, without those of classes in the source. */
const isOfFunction = (line: string): boolean =>
  line.startsWith('map,') && /,(InitialMap,(?!.*init class)|.*AccessorsOverwriting)/.test(line)

t.test('no request makes a hidden class of its own', async t => {
  const began = performance.now()
  const file = path.join(t.testdir(), 'maps.log')
  const withNotes = `node=$1; shift; exec "$node" --log-maps --logfile=${file} --no-logfile-per-isolate "$@"`
  const { url, api, end } = await spawnServer(t, t.testdir({ data: {} }), {}, [], {
    through: ['sh', '-c', withNotes, 'sh'],
  })
  const headers = { authorization: `Bearer ${adminToken}` }
  const { id } = await createTask(api, { user_message_content: 'go', agent_config: { agent_id: 'echo' } })
  const created = await api('POST', '/env/create', { env_id: 'gridworld', env_params: { seed: 1 } })
  const { session_id } = (await created.json()) as { session_id: string }

  const script = [
    { tool: 'calculator', arguments: { expression: '1+1' } },
    { message: 'a b', delta_ms: 1 },
  ]
  const agent_config = { agent_id: 'script', script }
  const echo = { user_message_content: 'go', stream: false, agent_config: { agent_id: 'echo' } }
  const input = [{ role: 'user', content: 'hi' }]
  const toEcho = (method: string, n: number) => {
    const message = { messageId: `${method} ${n}`, role: 'ROLE_USER', parts: [{ text: 'hi' }] }
    return fetch(`${url}/a2a/echo`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: n, method, params: { message } }),
    })
  }
  const requests: Record<string, (n: number) => Promise<Response>> = {
    'a task': () => api('POST', '/tasks', { user_message_content: 'go', stream: false }),
    'a streamed task': () =>
      api('POST', '/tasks', { user_message_content: 'go', stream: true, agent_config }),
    'a task with a key': n => api('POST', '/tasks', echo, { 'idempotency-key': `k${n}` }),
    'a read': () => api('GET', `/tasks/${id}`),
    'a list': () => api('GET', '/tasks?limit=3'),
    'a stream that is read again': () =>
      api('GET', `/tasks/${id}/events`, undefined, { accept: 'text/event-stream' }),
    frames: () => api('GET', `/tasks/${id}/events`),
    'rollouts of a task': () => api('GET', `/tasks/${id}/rollouts`),
    'a replay': () => api('POST', `/tasks/${id}/replay`),
    'a fork': () => api('POST', `/tasks/${id}/fork`, { at: 3, run: false }),
    'all rollouts': () => api('GET', '/rollouts?limit=3'),
    'an observation': () => api('POST', '/env/observation', { session_id }),
    'the audit trail': () => api('GET', '/audit/events?limit=5'),
    'a response of OpenAI': () => api('POST', '/responses', { model: 'echo', input: 'hi', stream: true }),
    'a chat of OpenAI': () =>
      api('POST', '/chat/completions', { model: 'echo', messages: input, stream: true }),
    'a run of AG-UI': n =>
      fetch(`${url}/ag-ui/echo`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({
          ...{ threadId: `t${n}`, runId: `r${n}`, state: {}, tools: [], context: [], forwardedProps: {} },
          messages: [{ id: `m${n}`, role: 'user', content: 'hi' }],
        }),
      }),
    'a message of A2A': n => toEcho('SendMessage', n),
    'a streamed message of A2A': n => toEcho('SendStreamingMessage', n),
    // Not of MCP: the schemas of its library make some for each message.
  }
  const several =
    (ask: (n: number) => Promise<Response>) =>
    async (first: number, last: number): Promise<void> => {
      const answers = await Promise.all(Array.from({ length: last - first }, (_, n) => ask(first + n)))
      for (const answer of answers) if (answer.status !== 200) throw new Error(await answer.text())
      await Promise.all(answers.map(answer => answer.text()))
    }
  const alsoOpen = {
    async socket() {
      const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`, { headers })
      await new Promise(resolve => socket.once('open', resolve))
      socket.send(JSON.stringify({ type: 'subscribe', channels: ['tasks'] }))
      await new Promise(resolve => socket.once('message', resolve))
      socket.close()
    },
    async events() {
      const stop = new AbortController()
      const answer = await fetch(`${url}/api/events`, { headers, signal: stop.signal })
      await answer.body?.getReader().read()
      stop.abort()
    },
  }
  const all = async (first: number, last: number): Promise<void> => {
    for (const [what, ask] of Object.entries(requests))
      await several(ask)(first, last).catch(error => t.fail(`${what}: ${error.message}`))
    for (const open of Object.values(alsoOpen)) await Promise.all(Array.from({ length: last - first }, open))
  }
  await all(0, 5) // what a first request loads makes classes, too
  await sleep(pauseMs)
  const from = performance.now() - began - pauseMs
  await all(5, 5 + times)
  await end('SIGTERM')

  const made = new Map<string, number>()
  const lines = readFileSync(file, 'latin1').split('\n')
  t.ok(lines.some(isOfFunction), 'this version of V8 writes the lines that are looked for')
  for (const line of lines.filter(isOfFunction)) {
    const [, kind, time, , , , row, column, reason, name] = line.split(',')
    if (Number(time) / 1000 < from) continue
    const what = `${kind} ${reason} ${name} at ${row}:${column}`
    made.set(what, (made.get(what) ?? 0) + 1)
  }
  t.same(
    [...made].filter(([, count]) => count >= times / 2),
    [],
    'hidden classes that were made for every second request, or for more',
  )
})
