// reprise try, as a process: beside a server and without one, through breaks, waits and Ctrl-C.
import { execFile, spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import type { Task } from '../../library/client/index.ts'
import { curlOf } from '../../src/cli/server/server.ts'
import { waitOf } from '../../src/cli/server/show.ts'
import { lockFolder } from '../../src/platform/sqlite/lock-file.ts'
import { createTask, getTask, sleep, until, untilStatus } from '../server/wire.ts'
import { type Answer, calls, fakeModel, says } from '../support/fake-model.ts'
import { type Api, adminToken, runReprise, serveHere, spawnServer } from '../support/server.ts'
import { hasTerminal, start, startAtTerminal } from './support.ts'

const sum = 'what is 2+3*4?'
/** An agent that never comes to an end by itself. */
const endless: Answer[] = [
  { when: '', tool_calls: [{ name: 'calculator', arguments: { expression: '1+1' } }] },
]
const ended = (status: string) =>
  new RegExp(`^${status}, \\d+ steps?(, \\d+ tokens)?, [\\d.]+ s, task_\\w+$`, 'm')

const given = async (t: Test, answers?: Answer[]) => {
  const model = await fakeModel(t, answers)
  const server = await serveHere(t, model.env)
  const run = (...args: string[]) =>
    runReprise(['try', ...args], { DATA_DIR: server.dataDir, ADMIN_TOKEN: adminToken })
  return { asked: model.asked, model: model.url, ...server, run }
}
/** Newest first. */
const tasksOf = async (api: Api) =>
  ((await (await api('GET', '/tasks')).json()) as { result: { id: string; status: string }[] }).result
const framesOf = (stdout: string) =>
  stdout
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as { type: string; sequence_number: number; task_id: string })

t.test('the answer is on stdout, and how it was found on stderr', async t => {
  const { run } = await given(t)
  const { code, stdout, stderr } = await run(sum)
  t.same({ code, stdout }, { code: 0, stdout: 'The tool says “14”.\n' })
  t.same(stderr.split('\n').slice(0, 2), [
    'The user wants 2+3*4. I ask the calculator.',
    'calculator {"expression":"2+3*4"} -> 14',
  ])
  t.match(stderr, ended('completed'))
  t.match(stderr, /, 2 steps, \d+ tokens,/)
})

t.test('calls that fail say so, long ones are cut, and control characters reach no terminal', async t => {
  const long = `${'1+'.repeat(200)}1`
  const { run } = await given(t, [
    calls(['calculator', '{"expression":"1/0"}'], ['calculator', JSON.stringify({ expression: long })]),
    { reasoning: 'hm\u001b[2J', text: 'bell \u0007' },
  ])
  const { code, stdout, stderr } = await run('go')
  t.equal(code, 0)
  t.match(stderr, /^calculator \{"expression":"1\/0"\} -> failed: .+$/m)
  t.match(stderr, /^calculator \{"expression":"1\+1[1+]+… -> 201$/m)
  t.match(stderr, /^hm\[2J$/m)
  t.equal(stdout, 'bell \u0007\n', 'a file gets the text as it is')
})

t.test('a task that fails says why: exit code 1', async t => {
  const { run } = await given(t, [{ error: { status: 401, message: 'who are you?' } }])
  const { code, stdout, stderr } = await run('hello')
  t.same({ code, stdout }, { code: 1, stdout: '' })
  t.match(stderr, /^reprise: the task failed: .*401: who are you\? \(-32000\)$/m)
  t.match(stderr, ended('failed'))
})

t.test('--json prints the frames of the stream and nothing else, as they are stored', async t => {
  const { run, api } = await given(t)
  const { code, stdout, stderr } = await run(sum, '--json', '--session', 's1', '--agent', 'model')
  t.same({ code, stderr }, { code: 0, stderr: '' })
  const frames = framesOf(stdout)
  const { task_id = '' } = frames[0] ?? {}
  const stored = (await (await api('GET', `/tasks/${task_id}/events?limit=1000`)).json()) as {
    result: object[]
  }
  t.same(frames, stored.result)
  t.equal((await getTask(api, task_id)).session_id, 's1')
})

t.test('an agent can be named', async t => {
  const { run, asked } = await given(t)
  t.match(await run('say it', '--agent', 'echo'), { code: 0, stdout: 'say it\n' })
  t.equal(asked.length, 0)
})

t.test('without a server it starts one on the same folder, and stops it', async t => {
  const { env } = await fakeModel(t, [says('first'), says('second')])
  const dataDir = path.join(t.testdir(), 'data')
  const run = (question: string) =>
    runReprise(['try', question, '--session', 's1'], { DATA_DIR: dataDir, PORT: '1', ...env })
  t.match(await run('hello'), { code: 0, stdout: 'first\n', stderr: ended('completed') })
  t.notOk(existsSync(path.join(dataDir, 'server.json')))
  t.match(await run('and now?'), { code: 0, stdout: 'second\n' })
  const server = await serveHere(t, { DATA_DIR: dataDir })
  const { result } = (await (await server.api('GET', '/tasks?session_id=s1')).json()) as { result: object[] }
  t.equal(result.length, 2, 'both are in the folder')
})

t.test(
  'a server that is killed and comes back elsewhere is found again; no frame is lost or doubled',
  async t => {
    const { env } = await fakeModel(t, [{ text: 'half an answer', hang: true }, says('a whole answer')])
    const dataDir = t.testdir()
    const first = await spawnServer(t, dataDir, env)
    const tried = start(t, ['try', 'hello', '--json'], { DATA_DIR: dataDir })
    await tried.until(/"delta":/)
    await first.end('SIGKILL')
    await tried.until(/the connection broke/)
    await spawnServer(t, dataDir, env)
    const { code, stdout, stderr } = await tried.ended
    t.equal(code, 0, stderr)
    const frames = framesOf(stdout)
    t.same(
      frames.map(frame => frame.sequence_number),
      frames.map((_, n) => n),
    )
    t.equal(frames.at(-1)?.type, 'task.completed')
  },
)

const execute = promisify(execFile)
const hasCurl = spawnSync('curl', ['--version']).status === 0
/** Pastes a line into a shell. */
const paste = async (line: string): Promise<unknown> => {
  const env = { PATH: process.env.PATH, ADMIN_TOKEN: adminToken }
  return JSON.parse((await execute('sh', ['-c', line], { env })).stdout)
}

t.test('a task that is paused leaves the request that takes it up again: exit code 1', async t => {
  const { api, url, dataDir, asked, model } = await given(t, endless)
  const tried = start(t, ['try', 'hello'], { DATA_DIR: dataDir })
  await until('the model is asked', () => asked.length > 0)
  const [{ id } = { id: '' }] = await tasksOf(api)
  await api('POST', `/tasks/${id}/pause`)
  const { code, stderr } = await tried.ended
  t.equal(code, 1)
  t.match(stderr, /^the task is paused \(.+\); continue it with:$/m)
  t.match(stderr, ended('paused'))
  t.notMatch(stderr, adminToken, 'the token is named, not shown')
  const [line = ''] = /^curl .*$/m.exec(stderr) ?? []
  t.match(line, `${url}/v1/tasks/${id}/resume`)
  await fetch(`${model}/script`, { method: 'POST', body: '[{"text":"at last"}]' })
  if (hasCurl) {
    t.match(await paste(line), { id, status: 'working' })
    t.match(await untilStatus(api, id, 'completed'), { status: 'completed' })
  }
})

t.test('a task that waits for the result of a call leaves the request that gives it', async t => {
  const { api, url } = await given(t, [calls(['ask', '{"what":"it\'s up"}']), says('thanks')])
  const ask = { type: 'function', function: { name: 'ask', parameters: {} } }
  const waiting = await createTask(api, { user_message_content: 'hello', client_tools: [ask] })
  const { words, requests } = waitOf(waiting as unknown as Task)
  const [{ path: where, body } = { path: '' }] = requests
  t.equal(words, 'the task waits for the result of ask {"what":"it\'s up"}; send it with:')
  if (hasCurl) {
    t.match(await paste(curlOf(url, '$ADMIN_TOKEN', where, body)), { id: waiting.id, status: 'working' })
    t.match(await untilStatus(api, waiting.id, 'completed'), { status: 'completed' })
  }
})

t.test('Ctrl-C where no terminal is cancels at once: exit code 130', async t => {
  const { api, dataDir, asked } = await given(t, [{ text: 'on and on', hang: true }])
  const tried = start(t, ['try', 'hello'], { DATA_DIR: dataDir })
  await until('the model is asked', () => asked.length > 0)
  await tried.until(/on and on/)
  tried.signal('SIGINT')
  const { code, stdout, stderr } = await tried.ended
  t.same({ code, stdout }, { code: 130, stdout: 'on and on\n' })
  t.match(stderr, /^\(cut off\)$/m)
  t.match(stderr, ended('canceled'))
  await asked[0]?.closed
  t.match(await tasksOf(api), [{ status: 'canceled' }])
})

t.test('what somebody else canceled is a failure here', async t => {
  const { api, dataDir, asked } = await given(t, [{ hang: true }])
  const tried = start(t, ['try', 'hello'], { DATA_DIR: dataDir })
  await until('the model is asked', () => asked.length > 0)
  const [{ id } = { id: '' }] = await tasksOf(api)
  await api('POST', `/tasks/${id}/cancel`)
  t.match(await tried.ended, { code: 1, stderr: /^reprise: the task was canceled$/m })
})

t.test('a server that holds the folder and does not answer: exit code 3', async t => {
  const dataDir = t.testdir()
  const unlock = lockFolder(path.join(dataDir, 'lock.db'), () => 'in use')
  t.teardown(unlock)
  const nobody = createServer()
  await new Promise<void>(resolve => nobody.listen(0, '127.0.0.1', resolve))
  const { port } = nobody.address() as { port: number }
  await new Promise(resolve => nobody.close(resolve))
  const url = `http://127.0.0.1:${port}`
  writeFileSync(path.join(dataDir, 'server.json'), JSON.stringify({ url, pid: 1 }))
  const { code, stdout, stderr } = await runReprise(['try', 'hello'], { DATA_DIR: dataDir })
  t.same({ code, stdout }, { code: 3, stdout: '' })
  t.match(stderr, new RegExp(`^reprise: the server at ${url} cannot be reached: .+\n$`))
})

t.test('what the server refuses is told in one line: exit code 2', async t => {
  const { dataDir, run } = await given(t)
  const token = await runReprise(['try', 'hello'], { DATA_DIR: dataDir, ADMIN_TOKEN: 'wrong' })
  t.match(token, {
    code: 2,
    stdout: '',
    stderr:
      /^reprise: .+ refuses the admin token from ADMIN_TOKEN: set ADMIN_TOKEN to the token that the server was started with, .+\n$/,
  })
  const session = await run('hello', '--session', 'no spaces')
  t.match(session, { code: 2, stdout: '', stderr: /^reprise: session_id: .+\n$/ })
  t.match(await run(), { code: 2, stdout: '', stderr: /missing required argument 'question'/ })
})

t.test('colours where they are wished, and nowhere else', async t => {
  const { dataDir } = await given(t, [{ when: '', reasoning: 'hm', text: 'yes' }])
  const said = async (args: string[], env: Record<string, string>) =>
    (await runReprise(['try', 'hello', ...args], { DATA_DIR: dataDir, ADMIN_TOKEN: adminToken, ...env }))
      .stderr
  t.match(await said([], { FORCE_COLOR: '1' }), '\u001b[2mhm\u001b[22m')
  t.notMatch(await said([], {}), '\u001b')
  t.notMatch(await said(['--no-color'], { FORCE_COLOR: '1' }), '\u001b')
})

const terminal = hasTerminal ? {} : { skip: 'no command plays a terminal here' }

t.test('at a terminal words are dim, but not with NO_COLOR', terminal, async t => {
  const { dataDir } = await given(t, [{ when: '', reasoning: 'hm', text: 'yes\u001b[31m' }])
  const said = async (env: Record<string, string>) =>
    (await startAtTerminal(t, ['try', 'hello'], { DATA_DIR: dataDir, ...env }).ended).stdout
  const dim = await said({})
  t.match(dim, '\u001b[2mhm\u001b[22m')
  t.match(dim, 'yes[31m', 'the model cannot paint')
  t.notMatch(await said({ NO_COLOR: '1' }), '\u001b[2m')
})

t.test('at a terminal Ctrl-C asks: no goes on, yes cancels', terminal, async t => {
  const on: Answer = { when: '', text: 'on and ', repeat: 1e6, token_ms: 5 }
  const { dataDir, api } = await given(t, [on])
  const question = /cancel the task\? \[y\/N, Ctrl-C again: yes\] /.source
  for (const yes of ['y\r', '\u0003']) {
    const tried = startAtTerminal(t, ['try', 'hello'], { DATA_DIR: dataDir })
    await tried.until(/on and/)
    tried.type('\u0003')
    await tried.until(new RegExp(question))
    await sleep(200)
    t.notMatch(tried.said.stdout, new RegExp(`${question}[^]*on and`), 'nothing is written into the question')
    tried.type('n\r')
    await tried.until(new RegExp(`${question}[^]*n[\r\n]+[^]*on and`))
    t.match(await tasksOf(api), [{ status: 'working' }])
    tried.type('\u0003')
    await tried.until(new RegExp(`${question}[^]*${question}`))
    tried.type(yes)
    const { code, stdout } = await tried.ended
    t.equal(code, 130, stdout)
    t.match(await tasksOf(api), [{ status: 'canceled' }])
  }
})

const asking = `import { agent } from 'reprise/agent'
export default agent(async ctx => {
  const answer = await ctx.ask('ask_manager', { price: 34 })
  await ctx.tool('write_file', { path: 'a.txt', content: 'paid' })
  return 'The manager says ' + answer
})
`

t.test('an agent of a file is run without a server, and says how to answer its question', async t => {
  const folder = t.testdir({
    'refunds.mjs': asking,
    'plain.mjs': 'export default ctx => ctx.input.text + "!"',
  })
  const run = (...args: string[]) =>
    runReprise(['try', 'hi', ...args], { DATA_DIR: path.join(folder, 'data'), AGENT_PATH: folder })
  t.match(await run('--agent', 'plain'), { code: 0, stdout: 'hi!\n' })
  const { code, stderr } = await run('--agent', 'refunds')
  t.equal(code, 1)
  t.match(
    stderr,
    /^start the server again \(reprise serve\); the task waits for the result of ask_manager \{"price":34\}; send it with:$/m,
  )
  t.match(stderr, /^curl -X POST \S+\/v1\/tasks\/task_\w+\/input .+"message_content":"…"/m)
  t.match(await run('--agent', 'nobody'), { stdout: '', stderr: /nobody/ })
})

t.test('a call that waits for an approval is told with the request that approves it', async t => {
  const task = {
    ...{ id: 'task_1', status: 'input-required' },
    metadata: {
      pending_inputs: [
        { call_id: 'c1', name: 'write_file', arguments: '{}', metadata: { approval: true } },
        { call_id: 'c2', name: 'ask', arguments: '{}' },
      ],
    },
  } as unknown as Task
  t.same(waitOf(task), {
    about: 'the result of ask {} and the approval of write_file {}',
    words: 'the task waits for the result of ask {} and the approval of write_file {}; send it with:',
    requests: [
      {
        path: '/v1/tasks/task_1/input',
        body: { tool_results: [{ call_id: 'c2', message_content: '…' }] },
      },
      { path: '/v1/tasks/task_1/approvals', body: { call_id: 'c1', decision: 'approve' } },
    ],
  })
})

t.test('at a terminal a person answers, and the task goes on', terminal, async t => {
  const folder = t.testdir({ 'refunds.mjs': asking.replace(/ {2}await ctx\.tool.+\n/, '') })
  const env = { DATA_DIR: path.join(folder, 'data'), AGENT_PATH: folder }
  const tried = startAtTerminal(t, ['try', 'hi', '--agent', 'refunds'], env)
  await tried.until(/ask_manager \{"price":34\}: /)
  tried.type('yes\r')
  const { code, stdout } = await tried.ended
  t.equal(code, 0, stdout)
  t.match(stdout, 'The manager says yes')

  const later = startAtTerminal(t, ['try', 'hi', '--agent', 'refunds'], env)
  await later.until(/ask_manager \{"price":34\}: /)
  later.type('\u0003')
  const left = await later.ended
  t.equal(left.code, 1)
  t.match(left.stdout, /the task waits for the result of ask_manager/)
})
