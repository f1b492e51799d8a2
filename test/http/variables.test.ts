// Variables of callers: what `env` of a task and `env_vars` of a step reach, and what they never reach.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { folderOf } from '../mcp/support.ts'
import { read, until } from '../support/http.ts'
import { noBubblewrap } from '../support/sandbox.ts'
import { spawnServer } from '../support/server.ts'
import { resultsOf, script, tasksOf } from './agent-tasks.ts'
import { envCalls } from './env-calls.ts'

const folder = folderOf(t)
const MCP_CONFIG = path.join(folder, 'mcp.json')
const stdio = path.resolve(import.meta.dirname, '../mcp/servers/stdio.mjs')
const command = { command: process.execPath, args: [stdio] }
writeFileSync(
  MCP_CONFIG,
  JSON.stringify({
    mcpServers: {
      asks: { ...command, env: { REGION: 'eu', KEPT: 'mine' }, env_from: ['REGION', 'TOKEN', 'MISSING'] },
      closed: command,
    },
  }),
)
const dataDir = path.join(folder, 'data')
const settings = {
  MCP_CONFIG,
  ENV_PATH: path.resolve(import.meta.dirname, '../environments/variables'),
  ALLOW_UNSANDBOXED_SHELL: '1',
  DRAIN_SECONDS: '0',
}
const first = await spawnServer(t, dataDir, settings)
const { post } = tasksOf(first.api)
const env = envCalls(first.api)

const token = 'sEcReT-0123456789'
const variables = {
  TOKEN: token,
  REGION: 'us',
  DEEP: { list: [1] },
  LD_PRELOAD: '/tmp/evil.so',
  NODE_OPTIONS: '--require=/tmp/evil.js',
  PYTHONPATH: '/tmp/evil',
  PATH: '/tmp/evil',
  HOME: '/tmp/evil',
}
/** What each call of a task with these variables gave. */
const givenTo = async (steps: object[], more: object = {}, config: object = {}): Promise<string[]> => {
  const agent_config = { ...script(...steps), ...config }
  const { body, text } = await post({ agent_config, env: variables, ...more })
  if (body.result?.status !== 'completed') throw new Error(text)
  return resultsOf(body.result).map(({ message_content }) => String(message_content))
}
const withServers = { tool_mcp_config: { asks: {}, closed: {} } }

t.test('run_javascript finds the variables of its task in env, and so does a subagent', async t => {
  const code = { tool: 'run_javascript', arguments: { code: 'env.TOKEN = 1; JSON.stringify(env)' } }
  const inner = {
    subagent: 'script',
    input: JSON.stringify([code, { message: 'OWN' }]).replace('OWN', '\\u0024result'),
  }
  const [own = '', ofSubagent = ''] = await givenTo([code, inner])
  t.same(JSON.parse(own), variables)
  t.equal(ofSubagent, own)
  const { body } = await post({ agent_config: script(code) })
  t.same(
    resultsOf(body.result).map(item => item.message_content),
    ['{}'],
    'a task without env has none',
  )
})

t.test('a local MCP server gets the variables that its entry lists, and no others', async t => {
  const calls = [{ tool: 'asks__environment' }, { tool: 'closed__environment' }]
  const seen = (await givenTo(calls, {}, withServers)).map(text => JSON.parse(text))
  t.match(seen[0], { TOKEN: token, REGION: 'us', KEPT: 'mine' }, 'over those of the operator')
  t.notOk('MISSING' in seen[0])
  t.notOk('TOKEN' in seen[1])
  for (const one of seen) {
    t.notMatch([one.PATH, one.HOME ?? ''].join(), 'evil')
    for (const name of ['LD_PRELOAD', 'NODE_OPTIONS', 'PYTHONPATH', 'DEEP']) t.notOk(name in one, name)
  }
  const odd = await givenTo([calls[0] ?? {}], { env: { TOKEN: 'a\0b' } }, withServers).catch(String)
  t.match(odd, /cannot be given the variable TOKEN: its value holds a NUL character/)
  const session_id = await env.made({
    env_class_path: 'mcp',
    env_init_kwargs: { server: 'asks' },
    env_vars: { TOKEN: token, X: '1' },
  })
  const { body } = await env.step(session_id, 'environment')
  const ofSession = JSON.parse(String(body.tool_result.message_content))
  t.match(ofSession, { TOKEN: token, REGION: 'eu' }, 'so does one that is the environment of a session')
  t.notOk('X' in ofSession)
})

t.test('a shell of the task’s session has its variables over those of the session', async t => {
  const env_vars = { TOKEN: 'of the session', MINE: 'too', LD_BIND_NOW: '1' }
  const session_id = await env.made({ env_class_path: 'workspace', env_vars })
  // A PATH that leads nowhere would find no bash in the sandbox.
  const inside = noBubblewrap === false ? { ...variables, PATH: '/evil:/usr/bin:/bin' } : variables
  const shell = { tool: 'shell', arguments: { command: 'echo "$TOKEN|$MINE|$DEEP|$LD_PRELOAD|$PATH|$HOME"' } }
  const [line = ''] = (await givenTo([shell], { session_id, env: inside })).map(
    text => text.split('\n').find(part => part.includes('|')) ?? '',
  )
  const [seenToken, mine, deep, preload, searched, home] = line.split('|')
  t.same([seenToken, mine, deep], [token, 'too', '{"list":[1]}'])
  // What decides which code runs reaches the sandbox, and never a process outside of it.
  if (noBubblewrap === false) t.same([preload, home], ['/tmp/evil.so', '/tmp/evil'])
  else t.same([preload, searched?.includes('evil'), home?.includes('evil')], ['', false, false])
  const { body } = await env.step(
    session_id,
    'shell',
    { command: 'echo "$TOKEN|$LATER"' },
    { env_vars: { LATER: 'x' } },
  )
  t.match(
    body.tool_result.message_content,
    /^of the session\|x/,
    'a step has its own, and the next one has not',
  )
  const next = await env.step(session_id, 'shell', { command: 'echo "$LATER|"' })
  t.match(next.body.tool_result.message_content, /^\|/)
})

t.test(
  'env_vars of a step reach the step, in JavaScript and in Python, also when it is done again',
  async t => {
    const of = (answer: Awaited<ReturnType<typeof env.step>>) =>
      JSON.parse(String(answer.body.tool_result.message_content))
    const python = await env.made({ env_class_path: 'shows_py.py', env_vars: { A: 'a', B: 'b' } })
    t.same(of(await env.step(python, 'show', {}, { env_vars: { B: 'step', C: 3 } })), {
      A: 'a',
      B: 'step',
      C: '3',
    })
    t.same(of(await env.step(python, 'show')), { A: 'a', B: 'b' })
    const session_id = await env.made({
      session_id: 'again',
      env_class_path: 'shows.mjs',
      env_vars: { A: 'a' },
    })
    const shown = of(await env.step(session_id, 'show', {}, { env_vars: { TOKEN: token, PATH: 'evil' } }))
    t.same(shown, {
      frozen: true,
      own: { A: 'a' },
      given: { A: 'a', TOKEN: token, PATH: 'evil' },
      PATH: true,
    })
    await givenTo([{ tool: 'show' }], { session_id, env: { TOKEN: 'of a task' } })
    const { data: events } = (await read(first.api('GET', '/audit/events?stream=env-again')))
      .body as unknown as {
      data: { type: string; data: { env_vars?: object; secret_ref?: string } }[]
    }
    const steps = events.filter(({ type }) => type === 'EnvStepCompleted')
    t.same(
      steps.map(({ data }) => data.env_vars),
      [{ TOKEN: '***', PATH: '***' }, { TOKEN: '***' }],
    )

    await first.end('SIGKILL')
    const second = await spawnServer(t, dataDir, settings)
    const after = envCalls(second.api)
    const { lengths } = (await after.observe('again')).body.state as unknown as { lengths: number[] }
    t.same(lengths, [token.length, 'of a task'.length], 'the steps were done again with their values')
    const filesWith = (text: string) =>
      readdirSync(dataDir).filter(
        name => name.startsWith('secrets') && readFileSync(path.join(dataDir, name)).includes(text),
      )
    t.same(filesWith('of a task'), ['secrets.db'])
    await after.close('again')
    await until(() => filesWith('of a task').length === 0)
    t.pass('and they are gone when the session is closed')
  },
)
