// What runs for users has a lower priority than the thread that answers everybody.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { script } from '../http/agent-tasks.ts'
import { envCalls } from '../http/env-calls.ts'
import { read, until } from '../support/http.ts'
import { serveHere } from '../support/server.ts'
import { lowThreads, workshop } from '../tools/support.ts'

/** The nice value of a process, or of one of its threads. */
const niceOf = (stat: string): number => {
  const text = readFileSync(stat, 'utf8')
  return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[16])
}

t.test(
  'threads of tools and processes of environments give way to the main thread',
  { skip: process.platform !== 'linux' && 'it reads /proc' },
  async t => {
    const { api, dataDir } = await serveHere(t)
    const usual = niceOf(`/proc/${process.pid}/stat`)
    const endless = script({ tool: 'run_javascript', arguments: { code: 'for (;;);' } })
    const body = { user_message_content: 'x', stream: false, background: true, agent_config: endless }
    const task = await read(api('POST', '/tasks', body))
    await until(() => lowThreads(workshop() ?? process.pid) === 1)
    await read(api('POST', `/tasks/${task.body.result.id}/cancel`))
    await read(api('POST', '/env/create', {}))
    const [pid] = readdirSync(`${dataDir}/children`)
    t.equal(niceOf(`/proc/${pid}/stat`), 19)
    t.equal(niceOf(`/proc/${process.pid}/stat`), usual, 'it has kept its own')
  },
)

t.test(
  'whatever a command of a workspace starts gives way, also where it begins a session of processes',
  { skip: !existsSync('/proc/self/autogroup') && 'this system does not share by sessions' },
  async t => {
    const { api } = await serveHere(t, { ALLOW_UNSANDBOXED_SHELL: '1' })
    const { create, step } = envCalls(api)
    await create({ session_id: 's1', env_id: 'workspace' })
    const ask = 'sed s/.*nice.// /proc/self/autogroup'
    const found = `until ${ask} | grep 10; do sleep 0.1; done`
    const command = `${found}; setsid --wait sh -c '${ask}; ${found}'`
    const { body } = await step('s1', 'shell', { command })
    t.match(body.tool_result.message_content, /^10\n(0|10)\n10$/, 'also where it was found later')
  },
)

t.test(
  'a workspace that keeps a processor busy gives way to other workspaces',
  { skip: !existsSync('/proc/self/autogroup') && 'this system does not share by sessions' },
  async t => {
    const { api } = await serveHere(t, { ALLOW_UNSANDBOXED_SHELL: '1' })
    const { create, step } = envCalls(api)
    await create({ session_id: 's1', env_id: 'workspace' })
    // The loop runs in the shell itself, which looks at its priority after each round.
    const found = 'read _ _ nice < /proc/self/autogroup; [ "$nice" = 19 ]'
    const busy = 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done'
    const { body } = await step('s1', 'shell', { command: `until ${found}; do ${busy}; done; echo $nice` })
    t.equal(body.tool_result.message_content, '19')
  },
)
