// Commands that ask a server which the options or the variables name.
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { freePort } from '../../src/platform/free-port.ts'
import { createTask, untilStatus } from '../server/wire.ts'
import { adminToken, runReprise, serveHere, spawnServer } from '../support/server.ts'
import { jsonLines, runHere, start } from './support.ts'

const { api, url, dataDir } = await serveHere(t)
const there = { REPRISE_URL: url, REPRISE_TOKEN: adminToken }
const nowhere = 'http://127.0.0.1:1'
const ours = ['--url', url, '--token', adminToken]
/** A token whose text no message may contain. */
const secret = 'rp_secret-of-somebody'

t.test('the option wins over the variable, and the variable over the folder', async t => {
  const unused = { REPRISE_URL: nowhere, REPRISE_TOKEN: secret, DATA_DIR: t.testdir() }
  const list = ['agent', 'list']
  t.match(await runHere([...list, ...ours], unused), { code: 0, stdout: /^echo /m })
  t.match(await runHere(list, { ...there, REPRISE_URL: `${url}/ui/` }), { code: 0, stdout: /^echo /m })
  const folder = { DATA_DIR: dataDir, ADMIN_TOKEN: adminToken }
  t.match(await runHere(list, folder), { code: 0, stdout: /^echo /m })
  t.match(await runHere(list, { ...folder, REPRISE_URL: nowhere, REPRISE_TOKEN: 'x' }), { code: 3 })
  t.match(await runHere(list, { ...folder, REPRISE_URL: nowhere }), { code: 2, stderr: /--token/ })
  t.match(
    await runHere(list, { ...folder, REPRISE_TOKEN: secret }),
    { code: 2, stderr: /the token of REPRISE_TOKEN/ },
    'so a folder can be asked as a user',
  )
  t.match(
    await runHere(list, { ...there, REPRISE_URL: `${url}/v1/`, LOG_LEVEL: 'loud' }),
    { code: 0 },
    'variables of a server do not matter, and /v1 may follow the address',
  )
  t.match(await runReprise([...list, ...ours], { DATA_DIR: t.testdir() }), { code: 0, stdout: /^echo /m })
})

const listening = async (t: Test, answer: RequestListener): Promise<string> => {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

t.test('each mistake is one line that says what to do, without a token', async t => {
  const { token: worker } = (await (await api('POST', '/auth/tokens', { role: 'worker' })).json()) as {
    token: string
  }
  const page = await listening(
    t,
    (_, answer) => void answer.setHeader('content-type', 'text/html').end('<p>'),
  )
  const elsewhere = await listening(
    t,
    (_, answer) => void answer.writeHead(308, { location: `${url}/` }).end(),
  )
  const proxy = await listening(t, (_, answer) => void answer.writeHead(502).end('bad gateway'))
  const busy = await listening(
    t,
    (_, answer) => void answer.writeHead(429, { 'retry-after': '7', 'x-api-version': '1' }).end('{}'),
  )
  const { host } = new URL(url)
  const rows: [given: string[], code: number, says: RegExp][] = [
    [
      ['--url', host],
      2,
      /--url does not begin with http:\/\/ or https:\/\/: give the address of a server, for/,
    ],
    [['--url', `localhost:${new URL(url).port}`], 2, /--url does not begin with http/],
    [['--url', secret], 2, /--url does not begin with http/],
    [['--url', ''], 2, /--url does not begin with http/],
    [['--url', `http://me:${secret}@${host}`], 2, /--url has a name or a password in it/],
    [['--url', `${url}/?token=${secret}`], 2, /--url has a \? or a # in it/],
    [['--url', url], 2, /a token for the server at .+ is missing: give --token or set REPRISE_TOKEN/],
    [['--url', url, '--token', ''], 2, /the token of --token is no token/],
    [['--url', url, '--token', `${secret} x`], 2, /the token of --token is no token/],
    [['--url', url, '--token', secret], 2, /refuses the token of --token: give another one with --token/],
    [['--url', url, '--token', worker], 2, /worker/],
    [['--url', nowhere, '--token', secret], 3, /the server at .+ cannot be reached: .+/],
    [
      ['--url', page, '--token', secret],
      3,
      /what answers at .+ is not the API of Reprise: check the address/,
    ],
    [['--url', `${url}/docs/x`, '--token', adminToken], 2, /does not know this request: check the path/],
    [['--url', elsewhere, '--token', secret], 2, new RegExp(`sends requests on to ${url}: give the address`)],
    [['--url', proxy, '--token', secret], 3, /answered 502/],
    [['--url', busy, '--token', secret], 75, /takes no more now; try again in 7 s: /],
  ]
  for (const [given, code, says] of rows) {
    const found = await runHere(['tasks', 'list', ...given])
    t.match(found, { code, stdout: '' }, given.join(' '))
    t.match(found.stderr, says)
    t.match(found.stderr, /^reprise: .+\n$/)
    t.notMatch(found.stderr, secret)
    t.notMatch(found.stderr, worker)
  }
})

t.test('a secret in a wrong place is neither shown nor sent', async t => {
  const { code, stderr } = await runHere(['env', 'create', 'gridworld', '--var', secret], there)
  t.equal(code, 2)
  t.match(stderr, /^reprise: --var is not of the form NAME=VALUE/)
  t.notMatch(stderr, secret)
  const revoked = await runHere(['token', 'revoke', secret], { ...there, REPRISE_URL: nowhere })
  t.match(
    revoked,
    { code: 2, stderr: /the id of a token: reprise token list shows the ids/ },
    'nothing is asked',
  )
  t.notMatch(revoked.stderr, secret)
})

t.test('a request to paste reads the token from a variable, and says where it is missing', async t => {
  const { mustFindServer } = await import('../../src/cli/server/connection.ts')
  const line = mustFindServer({ url, token: secret }).curlOf('/v1/tasks/x/resume')
  t.match(line, `"Authorization: Bearer \${REPRISE_TOKEN:?set this variable to the token of --token}"`)
})

t.test('empty lists say so, and how to begin; with --json they print nothing', async t => {
  const rows: [string[], RegExp][] = [
    [['tasks', 'list'], /^No tasks yet\. reprise try .+ makes one\.\n$/],
    [['tasks', 'list', '--user', 'nobody'], /^No task fits\.\n$/],
    [['env', 'list'], /^No environment sessions yet\. .+\n$/],
    [['env', 'list', '--active'], /^No environment session fits\.\n$/],
    [['cron', 'list'], /^No cron jobs yet\. reprise cron create makes one\.\n$/],
    [['webhooks', 'list'], /^No webhooks yet\. .+\n$/],
    [['usage'], /^No task was created since .+\n$/],
  ]
  for (const [args, stderr] of rows) {
    t.match(await runHere(args, there), { code: 0, stdout: '', stderr }, args.join(' '))
    t.same(await runHere([...args, '--json'], there), { code: 0, stdout: '', stderr: '' })
  }
})

t.test('tasks are listed page by page, with filters', async t => {
  const body = { user_message_content: 'hello', client_id: 'echo' }
  const ids: string[] = []
  for (const user_id of ['ada', 'ada', 'bob']) ids.push((await createTask(api, { ...body, user_id })).id)
  const [first = '', second = '', third = ''] = ids
  const list = (...args: string[]) => runHere(['tasks', 'list', ...args], there)
  const shown = async (...args: string[]) =>
    jsonLines<{ id: string }>((await list('--json', ...args)).stdout).map(({ id }) => id)
  t.same(await shown(), [third, second, first])
  t.same(await shown('--user', 'ada', '--order', 'asc'), [first, second])
  t.same(await shown('--status', 'working,completed', '--status', 'failed', '--limit', '2'), [third, second])
  t.same(await shown('--after', second), [first])
  t.same(await shown('--until', '2020-01-01'), [])
  t.same(await shown('--as-of', 'position:1'), [])
  const moment = new Date().toISOString()
  t.match((await list('--as-of', moment)).stdout, new RegExp(`^${third} .+ echo\n${second} `))
  const page = await list('--limit', '2')
  t.match(page.stdout.split('\n')[0], new RegExp(`^${third}  completed       \\S+Z  echo  hello$`))
  t.equal(page.stderr, `There are more: add --after ${second}, or a higher --limit.\n`)
  t.equal((await list('--limit', '3')).stderr, '')
  t.match(await list('--limit', 'all'), { code: 2, stderr: /--limit all is not a whole number from 1/ })
  t.match(await list('--status', 'done'), { code: 2, stderr: /^reprise: .*status.*\n$/ })
  t.match(await list('--order', 'up'), { code: 2, stderr: /^reprise: .*order.*\n$/ })
})

t.test('a task is shown, paused, resumed, canceled and watched', async t => {
  const task = (...args: string[]) => runHere(['tasks', ...args], there)
  const ask = { type: 'function', function: { name: 'ask_user', parameters: {} } }
  const script = [{ tool: 'ask_user', arguments: { what: 'now?' } }, { message: 'you said $result' }]
  const { id } = await createTask(api, {
    ...{ user_message_content: 'hello', client_tools: [ask], user_id: 'eve' },
    agent_config: { agent_id: 'script', script },
  })
  const waiting = await task('get', id)
  t.match(waiting, { code: 0, stderr: '', stdout: new RegExp(`^${id}  input-required\nagent +script\n`) })
  t.match(waiting.stdout, /^waits +the result of ask_user \{"what":"now\?"\}$/m)

  const watched = start(t, ['tasks', 'watch', id], there)
  await watched.until(/send it with/)
  const [shown] = jsonLines<{ input_required: { call_id: string } }>((await task('get', id, '--json')).stdout)
  const call_id = shown?.input_required.call_id
  await api('POST', `/tasks/${id}/input`, { tool_results: [{ call_id, message_content: 'yes' }] })
  const seen = await watched.ended
  t.match(seen, { code: 0, stdout: 'you said yes\n' })
  t.match(seen.stderr, /^the task waits for the result of ask_user .+; send it with:$/m)
  t.match(seen.stderr, /^curl -X POST .+ "Authorization: Bearer \$REPRISE_TOKEN" /m)
  t.match(seen.stderr, new RegExp(`^completed, 2 steps, .+, ${id}$`, 'm'))
  t.notMatch(seen.stderr, adminToken)
  t.match((await task('get', id)).stdout, /\n\nyou said yes\n$/)
  const replayed = await task('watch', id)
  t.match(replayed, { code: 0, stdout: 'you said yes\n' })
  t.notMatch(replayed.stderr, /waits for|curl/, 'a wait that is over is not told')
  t.match(await task('watch', id, '--json', '--after', '0'), { code: 0, stdout: /^\{.+"sequence_number":1,/ })

  const slow = await api('POST', '/tasks', {
    ...{ user_message_content: 'x', stream: false, background: true },
    agent_config: {
      agent_id: 'script',
      script: [{ sleep_ms: 500 }, { message: 'on and on', delta_ms: 500 }],
    },
  })
  const { result } = (await slow.json()) as { result: { id: string } }
  t.match(await task('pause', result.id), { code: 0, stdout: new RegExp(`^${result.id}  \\S+\n$`) })
  await untilStatus(api, result.id, 'paused')
  t.match((await task('get', result.id)).stdout, /^waits +somebody who resumes it \(.+\)$/m)
  t.match(await task('resume', result.id), { code: 0, stdout: new RegExp(`^${result.id}  working\n$`) })
  t.match(await task('cancel', result.id), { code: 0 })

  for (const move of ['get', 'watch', 'cancel', 'pause', 'resume'])
    t.match(await task(move, 'task_none'), { code: 1, stdout: '', stderr: 'reprise: no such task\n' }, move)
  t.match(await task('pause', id), { code: 2, stderr: /^reprise: .+\n$/ }, 'it has ended')
  t.match(await task('watch', result.id), { code: 1, stderr: /^reprise: the task was canceled$/m })
})

t.test('a watch goes on when the server was killed and is started again', async t => {
  const folder = t.testdir()
  const PORT = String(await freePort())
  const first = await spawnServer(t, folder, { PORT })
  const script = [{ message: 'hello' }, { pause: 'until the restart' }, { message: 'bye' }]
  await first.api('POST', '/tasks', {
    ...{ user_message_content: 'x', stream: false, background: true, task_id: 'long' },
    agent_config: { agent_id: 'script', script },
  })
  const given = ['--url', first.url, '--token', adminToken, '--json']
  const watched = start(t, ['tasks', 'watch', 'long', ...given])
  await watched.until(/"type":"task\.paused"/)
  await first.end('SIGKILL')
  await watched.until(/the connection broke/)
  const second = await spawnServer(t, folder, { PORT })
  await second.api('POST', '/tasks/long/resume')
  const { code, stdout } = await watched.ended
  t.equal(code, 0)
  const frames = jsonLines<{ sequence_number: number; type: string }>(stdout)
  t.same(
    frames.map(frame => frame.sequence_number),
    frames.map((_, n) => n),
  )
  t.equal(frames.at(-1)?.type, 'task.completed')
})

t.test('a task is forked, and compared with its fork', async t => {
  const { id } = await createTask(api, { user_message_content: 'hello', client_id: 'echo' })
  const forked = await runHere(['fork', id, '--at', '2', '--agent', 'demo'], there)
  t.match(forked, { code: 0, stderr: '', stdout: /^task_\w+\n$/ })
  const fork = forked.stdout.trim()
  await untilStatus(api, fork, 'completed')
  t.match(await runHere(['diff', id, fork], there), {
    code: 1,
    stdout: /^the frames differ from frame \d+ on\n/,
  })
  t.match(await runHere(['diff', id, id], there), { code: 0, stdout: 'the frames are the same\n' })
})

t.test('an environment is made, used and closed', async t => {
  const env = (...args: string[]) => runHere(['env', ...args], there)
  t.match((await env('kinds')).stdout, /^gridworld {2}A grid world.+\n {2}settings: width=/m)
  const made = await env('create', 'gridworld', '--settings', '{"width": 5, "height": 5}', '--user', 'ada')
  t.match(made, { code: 0, stderr: '', stdout: /^\S+\nstate {2}\{.+\}\ntools {2}\w+\(.*\)/ })
  const [id = ''] = made.stdout.split('\n')
  const [tool = ''] = /(?<=^tools {2})\w+/m.exec(made.stdout) ?? []
  t.match(await env('get', id), { code: 0, stdout: new RegExp(`^${id}  active  gridworld  \\S+Z  ada\n$`) })
  t.match(await env('list', '--active', '--user', 'ada'), { code: 0, stdout: new RegExp(`^${id} `) })
  t.match(await env('observe', id), { code: 0, stdout: /^state {2}\{/ })
  const [step] = jsonLines<{ step: number; tools: { function: { name: string } }[] }>(
    (await env('step', id, tool, '{"direction": "north"}', '--json')).stdout,
  )
  t.equal(step?.step, 1)
  t.match(await env('reset', id, '--seed', '7'), { code: 0, stdout: /^observation {2}\{/ })
  t.match(await env('step', id, tool, 'north'), {
    code: 2,
    stderr: /arguments of the tool is not a JSON object/,
  })
  t.match(await env('step', id, 'fly'), { code: 2, stderr: /^reprise: .+\n$/ })
  t.match(await env('create', 'nowhere'), { code: 1, stderr: /^reprise: .+\n$/ })
  t.match(await env('close', id), { code: 0, stdout: '' })
  t.match((await env('get', id)).stdout, /closed/)
})

t.test('usage adds up what tasks say, by user and with filters', async t => {
  const usage = async (...args: string[]) =>
    jsonLines<{ user?: string; tasks: number; total_tokens: number }>(
      (await runHere(['usage', '--json', ...args], there)).stdout,
    )
  t.match(await usage('--user', 'ada'), [{ user: 'ada', tasks: 2, total_tokens: 0 }])
  t.match(await usage('--by', 'agent', '--user', 'ada'), [{ agent: 'echo', tasks: 2 }])
  t.same(await usage('--until', '2020-01-01', '--since', '2019-01-01'), [])
  const table = await runHere(['usage', '--user', 'ada'], there)
  t.match(table.stdout, /^USER {2}TASKS {2}INPUT .+ TOTAL\nada +2 +0 .+ 0\n$/)
  t.match(table.stderr, /^Tokens of 2 tasks, created since .+\. Deleted tasks are not counted\.\n$/)
  t.match(await runHere(['usage', '--by', 'month'], there), { code: 2, stderr: /--by month is none of user/ })
})

t.test('what makes a file needs none here: tokens, jobs, links and tasks', async t => {
  const run = (...args: string[]) => runHere(args, { ...there, DATA_DIR: t.testdir() })
  const token = await run('tokens', 'create', '--role', 'user', '--user-id', 'ada')
  t.match(token, { code: 0, stdout: /^rp_\S+\n$/ })
  t.match(
    await runHere(['tasks', 'list', '--url', url, '--token', token.stdout.trim(), '--json', '--limit', '1']),
    {
      stdout: /"user_id":"ada"/,
    },
  )
  const job = await run('cron', 'create', 'nightly', 'hello', '--schedule', '@daily')
  t.match(job.stdout, / nightly\n$/)
  const [id = ''] = job.stdout.split(' ')
  t.match(await run('cron', 'runs', id), { stdout: '', stderr: /has not run yet/ })
  t.match(await run('cron', 'delete', id), { code: 0, stderr: `${id} is deleted\n` })
  t.match((await run('console')).stdout, new RegExp(`^${url}/ui#login=`))
  t.match(await run('try', 'hello', '--agent', 'echo'), { code: 0, stdout: 'hello\n' })
})

t.test('text of others cannot steer the terminal; as JSON it is whole', async t => {
  const text = 'a\u001b[31mb\u009bc'
  const { id } = await createTask(api, { user_message_content: text, client_id: 'echo', user_id: 'mallory' })
  t.match((await runHere(['tasks', 'get', id], there)).stdout, /\na\[31mbc\n$/)
  const { stdout } = await runHere(['tasks', 'get', id, '--json'], there)
  t.ok(stdout.includes(JSON.stringify(text)))
})

t.test('what a command got wrong is named without the parts of a request', async t => {
  const list = await runHere(['tasks', 'list', '--status', 'waiting'], there)
  t.match(list, { code: 2, stderr: /^reprise: status\.0: / })
  await api('POST', '/env/create', { session_id: 'game', env_id: 'chess' })
  t.match(await runHere(['env', 'step', 'game', 'mov', '{}'], there), {
    code: 2,
    stderr: /^reprise: tool_name: There is no tool "mov": the tools are .*move/,
  })
})
