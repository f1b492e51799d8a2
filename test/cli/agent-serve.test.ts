// reprise agent serve, as a process beside a server: agents of Node and of Python, refusals, and the hand-over at SIGTERM.
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import t, { type Test } from 'tap'
import { type Api, runReprise, serveHere } from '../support/server.ts'
import { start } from './support.ts'

const hasPython = spawnSync('python3', ['--version']).status === 0

const greets =
  "import { agent } from 'reprise/agent'\nexport default agent(async ctx => 'Hello ' + ctx.input.text)\n"
const slow = `import { agent } from 'reprise/agent'
export default agent(async ctx => {
  const one = await ctx.run('one', async () => {
    console.log('the side effect has begun')
    return new Promise(go => setTimeout(go, 1000, 'done here'))
  }, { safe: true })
  return one + ', ' + (await ctx.run('two', () => process.env.WHERE))
})
`
const python = `from reprise_agent import agent


@agent
async def main(ctx):
    return "Hola " + ctx.input.text
`

const given = async (t: Test) => {
  const server = await serveHere(t)
  const made = await server.api('POST', '/auth/tokens', { role: 'worker' })
  const { token } = (await made.json()) as { token: string }
  return { ...server, env: { REPRISE_URL: server.url, REPRISE_TOKEN: token } }
}
type Task = { id: string; status: string; output: { message_content?: { text: string }[] }[] }
const create = async (api: Api, agent_id: string, more: object = {}): Promise<Task> => {
  const body = { user_message_content: 'Ann', stream: false, agent_config: { agent_id }, ...more }
  return ((await (await api('POST', '/tasks', body)).json()) as { result: Task }).result
}
const textOf = ({ output }: Task) => output.at(-1)?.message_content?.[0]?.text

t.test('the agents of a folder work for a server, and the worker ends at SIGTERM', async t => {
  const { api, env } = await given(t)
  const folder = t.testdir({
    'greets.mjs': greets,
    ...(hasPython ? { 'saluda.py': python } : {}),
    '_no.mjs': '',
  })
  const worker = start(t, ['agent', 'serve', folder, '--name', 'shop', '--slots', '2'], env)
  await worker.until(/shop is connected to http.+, and serves greets\n/)
  t.equal(textOf(await create(api, 'greets')), 'Hello Ann')
  if (hasPython) {
    await worker.until(/shop serves saluda at /)
    t.equal(textOf(await create(api, 'saluda')), 'Hola Ann')
  }
  const { data } = (await (await api('GET', '/workers')).json()) as {
    data: { name: string; slots: number }[]
  }
  t.ok(data.every(({ name, slots }) => name === 'shop' && slots === 2))
  worker.signal('SIGTERM')
  t.match(await worker.ended, { code: 0, stderr: /^the worker finishes its side effects/m })
  const after = (await (await api('GET', '/workers')).json()) as { data: object[] }
  t.same(after.data, [])
})

t.test('at SIGTERM the task is given back, and another worker goes on', async t => {
  const { api, env } = await given(t)
  const folder = t.testdir({ 'slow.mjs': slow })
  const first = start(t, ['agent', 'serve', folder], { ...env, WHERE: 'first' })
  await first.until(/serves slow/)
  const { id } = await create(api, 'slow', { background: true })
  await first.until(/the side effect has begun/)
  first.signal('SIGTERM')
  t.equal((await first.ended).code, 0)
  const second = start(t, ['agent', 'serve', folder], { ...env, WHERE: 'second' })
  await second.until(/serves slow/)
  for (;;) {
    const { result } = (await (await api('GET', `/tasks/${id}`)).json()) as { result: Task }
    if (result.status !== 'completed') {
      await new Promise(go => setTimeout(go, 50))
      continue
    }
    t.equal(textOf(result), 'done here, second')
    break
  }
})

t.test('a worker that crashes while it stops ends with an error', async t => {
  const { env } = await given(t)
  const crashes = `${greets}process.on('SIGTERM', () => process.exit(3))\n`
  const worker = start(t, ['agent', 'serve', t.testdir({ 'crashes.mjs': crashes })], env)
  await worker.until(/serves crashes/)
  worker.signal('SIGTERM')
  t.equal((await worker.ended).code, 3)
})

t.test('what is wrong is told in plain words', async t => {
  const { api, env, url } = await given(t)
  const folder = t.testdir({ 'greets.mjs': greets, 'broken.mjs': 'export default', 'Wrong.mjs': greets })
  const worker = start(t, ['agent', 'serve', folder], env)
  await worker.until(/serves greets\n/)
  t.match(
    worker.said.stderr,
    /^reprise: Wrong\.mjs is no agent: it has the name "Wrong": an agent has a name/m,
  )
  t.match(worker.said.stderr, /^reprise: broken\.mjs cannot be loaded: SyntaxError: /m)

  const serve = (variables: Record<string, string>, ...args: string[]) =>
    runReprise(['agent', 'serve', ...args], variables)
  t.match(await serve({}, folder), { code: 2, stderr: /give --url or set REPRISE_URL/ })
  t.match(await serve({ REPRISE_URL: url }, folder), { code: 2, stderr: /give --token or set REPRISE_TOKEN/ })
  t.match(await serve(env, folder, '--slots', 'no'), { code: 2, stderr: /--slots no is not a whole number/ })
  t.match(await serve(env, path.join(folder, 'none')), { code: 2, stderr: /is no folder/ })
  t.match(await serve(env, t.testdirName.replace(/$/, '/..')), { code: 2, stderr: /there is no agent in/ })
  t.match(await serve({ ...env, REPRISE_TOKEN: 'wrong' }, folder), {
    code: 2,
    stderr: /refuses the token of this worker \(401/,
  })
  const { token } = (await (await api('POST', '/auth/tokens', { role: 'admin' })).json()) as { token: string }
  t.match(await serve({ ...env, REPRISE_TOKEN: token }, folder), { code: 2, stderr: /\(403/ })
})

t.test('while the server is away, the worker says so, and connects when it is there', async t => {
  const { env, url, stop, dataDir } = await given(t)
  const folder = t.testdir({ 'greets.mjs': greets })
  const worker = start(t, ['agent', 'serve', folder], env)
  await worker.until(/serves greets\n/)
  await stop()
  await worker.until(/; the worker tries again/)
  const again = await serveHere(t, { DATA_DIR: dataDir, PORT: new URL(url).port })
  const isBack = async () => (await (await again.api('GET', '/workers')).text()).includes('greets')
  while (!(await isBack())) await new Promise(go => setTimeout(go, 50))
  t.equal(textOf(await create(again.api, 'greets')), 'Hello Ann')
})
