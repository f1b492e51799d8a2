// Calls by MCP's own client, in both versions.
import t, { type Test } from 'tap'
import { serveHere } from '../../support/server.ts'
import { clientOf, type Version, versions } from './clients.ts'

const agents = t.testdir({
  'greets.mjs': `import { agent } from 'reprise/agent'
export default agent(async ctx => {
  ctx.say('I ask you.')
  const { name } = await ctx.ask('who', { question: 'Who are you?' }, {
    schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  })
  return 'Hello, ' + name + '!'
}, { description: 'Greets.', task_support: 'none' })`,
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
