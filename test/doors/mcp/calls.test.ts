// Calls by MCP's own client, in both versions.
import { connect } from 'node:net'
import t, { type Test } from 'tap'
import { adminToken, serveHere } from '../../support/server.ts'
import { clientOf, type Version, versions } from './clients.ts'
import { olderMessagesTo } from './messages.ts'

const agents = t.testdir({
  'greets.mjs': `import { agent } from 'reprise/agent'
export default agent(async ctx => {
  ctx.say('I ask you.')
  const { name } = await ctx.ask('who', { question: 'Who are you?' }, {
    schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  })
  return 'Hello, ' + name + '!'
}, { description: 'Greets.', task_support: 'none' })`,
  'works.mjs': `import { agent } from 'reprise/agent'
export default agent(async () => 'Done.', { task_support: 'required' })`,
  'sleeps.mjs': `import { agent } from 'reprise/agent'
export default agent(async ctx => ctx.sleep(600000))`,
})
const { url, api } = await serveHere(t, { AGENT_PATH: agents })

type Task = { id: string; status: string; metadata: { agent: string } }
const tasksOf = async (agent: string): Promise<Task[]> => {
  const { result } = (await (await api('GET', '/tasks?limit=100')).json()) as { result: Task[] }
  return result.filter(({ metadata }) => metadata.agent === agent)
}
const untilAll = async (agent: string, count: number, status: string) => {
  for (;;) {
    const found = await tasksOf(agent)
    if (found.length === count && found.every(task => task.status === status)) return
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}

/** A call that its client cancels when its task works. */
const giveUp = async (t: Test, version: Version, count: number) => {
  const client = await clientOf(t, url, { version })
  const abort = new AbortController()
  const called = client.callTool(
    { name: 'agent_sleeps', arguments: { input: 'x' } },
    { signal: abort.signal },
  )
  const isWorking = async () => (await tasksOf('sleeps')).some(({ status }) => status === 'working')
  while (!(await isWorking())) await new Promise(resolve => setTimeout(resolve, 50))
  abort.abort('enough')
  await t.rejects(called)
  await untilAll('sleeps', count, 'canceled')
}

for (const [n, version] of (Object.keys(versions) as Version[]).entries())
  t.test(`a client of ${version}`, async t => {
    const asked: unknown[] = []
    const client = await clientOf(t, url, {
      version,
      answer(params) {
        asked.push(params)
        return { action: 'accept', content: { name: 'Ada' } }
      },
    })
    const { tools } = await client.listTools()
    const tool = (name: string) => tools.find(each => each.name === name)
    t.match(tool('agent_greets'), { description: 'Greets.', inputSchema: { required: ['input'] } })
    t.ok(tool('env_gridworld'))
    const { execution } = tool('agent_greets') as { execution?: object }
    t.same(execution, version === '2025-11-25' ? { taskSupport: 'forbidden' } : undefined)
    // A client that holds tools to what they say calls none that requires tasks of 2025-11-25.
    const { execution: ofWorks } = tool('agent_works') as { execution?: object }
    t.same(ofWorks, version === '2025-11-25' ? { taskSupport: 'optional' } : undefined)
    const echo = await client.callTool({ name: 'agent_echo', arguments: { input: 'Hello' } })
    t.match(echo.content, [{ type: 'text', text: 'Hello' }])

    await giveUp(t, version, n + 1)
    const heard: { progress: number; message?: string | undefined }[] = []
    const onprogress = (progress: { progress: number; message?: string | undefined }) => heard.push(progress)
    const greets = { name: 'agent_greets', arguments: { input: 'x' } }
    const greeting = await client.callTool(greets, { onprogress })
    t.match(greeting.content, [{ type: 'text', text: 'Hello, Ada!' }])
    t.match(asked, [
      { message: 'Who are you?', requestedSchema: { properties: { name: { type: 'string' } } } },
    ])
    const said = heard.map(({ message }) => message)
    t.ok(said.includes('I ask you.'), `it heard ${said.join(', ')}`)
    // The client itself tells of rounds of answers, with numbers of its own.
    const ours = heard.filter(({ message }) => !message?.startsWith('Fulfilling'))
    const numbers = ours.map(({ progress }) => progress)
    t.same(
      numbers,
      [...new Set(numbers)].toSorted((a, b) => a - b),
    )
    const { resources } = await client.listResources()
    t.ok(resources.some(({ uri }) => uri.startsWith('task://')))
  })

const tokenOf = async (body: object) =>
  ((await (await api('POST', '/auth/tokens', body)).json()) as { token: string }).token
const sleeps = { method: 'tools/call', params: { name: 'agent_sleeps', arguments: { input: 'x' } } }
const canceled = (requestId: unknown) => ({ method: 'notifications/cancelled', params: { requestId } })
const working = async () => (await tasksOf('sleeps')).filter(({ status }) => status === 'working')
const untilWorking = async (count: number) => {
  while ((await working()).length !== count) await new Promise(resolve => setTimeout(resolve, 50))
}
/** Everything that was asked before has been stored when this has. */
const isStored = () => api('POST', '/tasks', { user_message_content: 'x', client_id: 'echo', stream: false })

t.test('a message cancels only the one call that its sender has made', async t => {
  const [ann, another, reader] = await Promise.all(
    ['user', 'user', 'auditor'].map(role => tokenOf({ role, user_id: 'ann' })),
  ).then(tokens => tokens.map(token => olderMessagesTo(url, { token })))
  if (!(ann && another && reader)) throw new Error('no tokens')
  const call = ann({ id: 7, ...sleeps })
  await untilWorking(1)
  for (const send of [another, reader]) t.equal((await send(canceled(7))).status, 202)
  await isStored()
  t.equal((await working()).length, 1, 'others cancel nothing')
  await ann(canceled(7))
  t.match(await (await call).text(), /canceled/)

  const calls = [ann({ id: 7, ...sleeps }), ann({ id: 7, ...sleeps })]
  await untilWorking(2)
  await ann(canceled(7))
  await isStored()
  const tasks = await working()
  t.equal(tasks.length, 2, 'of two calls with one id it cancels neither')
  for (const { id } of tasks) await api('POST', `/tasks/${id}/cancel`)
  for (const each of calls) await (await each).text()
})

t.test('a call that is canceled before its task is stored ends, too', async t => {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname).setEncoding('utf8')
  t.teardown(() => socket.destroy())
  const sent = (message: object): string => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message })
    return [
      'POST /mcp HTTP/1.1',
      `host: ${hostname}`,
      `authorization: Bearer ${adminToken}`,
      'content-type: application/json',
      'accept: application/json, text/event-stream',
      `content-length: ${body.length}`,
      `\r\n${body}`,
    ].join('\r\n')
  }
  socket.write(sent({ id: 'early', ...sleeps }) + sent(canceled('early')))
  let heard = ''
  for await (const piece of socket) {
    heard += piece
    if (heard.includes('The task was canceled.') && heard.includes('HTTP/1.1 202')) break
  }
  t.same(await working(), [])
})

t.test(
  'an older client hears why its form does not fit, and an invalid answer closes the question',
  async t => {
    const send = olderMessagesTo(url, { headers: { 'mcp-session-id': 'asks.x' } })
    /** What a client hears that answers so. */
    const heardWith = async (result: unknown) => {
      const params = { name: 'agent_greets', arguments: { input: 'x' } }
      const { body } = await send({ id: 1, method: 'tools/call', params })
      let heard = ''
      for await (const piece of (body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
        const [, id] = /"id":"(call_[^"]+)"/.exec(piece) ?? []
        if (id !== undefined) t.equal((await send({ id, result })).status, 202)
        heard += piece
      }
      return heard
    }
    t.match(await heardWith({ action: 'accept' }), /does not fit the schema/)
    for (const odd of [7, null, { action: 'perhaps' }])
      t.match(await heardWith(odd), /The user has closed the question/, JSON.stringify(odd))
  },
)
