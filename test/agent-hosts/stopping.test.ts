// Workers that stop while their tasks run: real workers, at the door of a real server.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { type Context, worker } from '../../library/agent/index.ts'
import { read, until } from '../support/http.ts'
import { type Api, serveHere } from '../support/server.ts'

const { api, url } = await serveHere(t)
const { token } = (await read(api('POST', '/auth/tokens', { role: 'worker' }))).body as unknown as {
  token: string
}
type Task = {
  id: string
  status: string
  metadata: { reason?: string }
  output: { message_content: { text: string }[] }[]
}
const begin = async (agent_id: string, on: Api = api): Promise<string> => {
  const body = { user_message_content: 'x', stream: false, background: true, agent_config: { agent_id } }
  return ((await read(on('POST', '/tasks', body))).body.result as unknown as Task).id
}
/** The task, as soon as it has ended or waits for somebody. */
const restOf = async (id: string, on: Api = api): Promise<Task> => {
  for (const end = Date.now() + 60_000; ; await sleep(20)) {
    const task = (await read(on('GET', `/tasks/${id}`))).body.result as unknown as Task
    if (!['queued', 'working'].includes(task.status)) return task
    if (Date.now() > end) throw new Error(`${id} is still ${task.status}`)
  }
}

t.test('the outcome of a run that ends while its worker stops is stored', async t => {
  let begun = 0
  const order = (ctx: Context) =>
    ctx.run('order', async () => {
      begun++
      await sleep(200)
      return `ordered ${begun}`
    })
  const options = { url, token, agents: { order }, signals: false }
  for (let round = 0; round < 3; round++) {
    begun = 0
    const first = await worker(options)
    const task = await begin('order')
    await until(() => begun === 1)
    await first.stop()
    const second = await worker(options)
    const { status, metadata, output } = await restOf(task)
    t.match({ status, metadata, output }, { status: 'completed' })
    t.equal(begun, 1)
    await second.stop()
  }
})

t.test('code whose worker stops begins no further runs, and no run has an unknown outcome', async t => {
  const begun: string[] = []
  const run = (ctx: Context, name: string, ms: number) =>
    ctx.run(name, async () => {
      begun.push(name)
      await sleep(ms)
      return name
    })
  const agents = {
    slow: (ctx: Context) => run(ctx, 'slow', 1500),
    steps: async (ctx: Context) => {
      for (let n = 0; n < 12; n++) await run(ctx, `step ${n}`, 200)
      return 'done'
    },
  }
  const options = { url, token, agents, signals: false }
  const first = await worker(options)
  const tasks = [await begin('slow'), await begin('steps')]
  await until(() => begun.includes('slow') && begun.includes('step 0'))
  const stopped = first.stop()
  const second = await worker(options)
  await stopped
  for (const id of tasks) t.match(await restOf(id), { status: 'completed' })
  t.equal(new Set(begun).size, begun.length, 'each ran once')
  t.equal(begun.length, 13)
  await second.stop()
})

const loop = `import { appendFileSync } from 'node:fs'
export default async ctx => {
  for (let n = 0; n < 6; n++)
    await ctx.run('step', async () => {
      appendFileSync(new URL('../steps.txt', import.meta.url), \`begins \${n}\\n\`)
      await new Promise(resolve => setTimeout(resolve, 500))
      appendFileSync(new URL('../steps.txt', import.meta.url), \`ends \${n}\\n\`)
    })
  return 'done'
}
`

t.test('a server that stops lets a run end, and its code begins no further one', async t => {
  const folder = mkdtempSync(path.join(tmpdir(), 'reprise-stopping-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const AGENT_PATH = path.join(folder, 'agents')
  mkdirSync(AGENT_PATH)
  writeFileSync(path.join(AGENT_PATH, 'loop.mjs'), loop)
  const steps = () => {
    const file = path.join(folder, 'steps.txt')
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  }
  const env = { AGENT_PATH, DATA_DIR: path.join(folder, 'data'), DRAIN_SECONDS: '60' }
  const before = await serveHere(t, env)
  const id = await begin('loop', before.api)
  await until(() => steps().includes('begins 0'))
  await before.stop()
  t.equal(steps().match(/begins/g)?.length, steps().match(/ends/g)?.length, 'none is cut')
  t.notMatch(steps(), 'begins 5', 'the code has not gone on')
  const after = await serveHere(t, env)
  t.match(await restOf(id, after.api), { status: 'completed' })
  t.equal(steps(), [0, 1, 2, 3, 4, 5].map(n => `begins ${n}\nends ${n}\n`).join(''), 'each ran once')
})
