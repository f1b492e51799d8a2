// A command of a workspace that takes more memory than its environment may have ends its session, and nothing runs on.
import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { envCalls } from '../../http/env-calls.ts'
import { until } from '../../support/http.ts'
import { pathOf } from '../../support/sandbox.ts'
import { spawnServer } from '../../support/server.ts'
import { isAlive } from '../support.ts'
import { sandboxes } from './workspace-support.ts'

/** Processes whose arguments hold a text. */
const running = (text: string): string[] =>
  readdirSync('/proc').filter(pid => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text) && isAlive(pid)
    } catch {
      return false
    }
  })

const skips = process.platform === 'linux' ? sandboxes : { limits: 'needs /proc', bubblewrap: 'needs /proc' }
for (const [sandbox, skip] of Object.entries(skips)) {
  t.test(`by children of its shell, ${sandbox}`, { skip }, async t => {
    const env = sandbox === 'limits' ? { PATH: pathOf(t), ALLOW_UNSANDBOXED_SHELL: '1' } : {}
    const { api } = await spawnServer(t, t.testdir(), { ENV_MEMORY_MB: '200', ...env })
    const { create, step, record } = envCalls(api)
    const { session_id, initial_state } = (await create({ env_id: 'workspace' })).body
    t.equal(initial_state.sandbox, sandbox)
    const small = await step(session_id, 'shell', { command: 'head -c 20M /dev/zero | tail | wc -c' })
    t.match(small.body, { info: { exit_code: 0 }, truncated: false }, 'what fits is done')

    // tail keeps what has no end of a line, and cannot let go of it.
    const mark = `60.${process.pid}${sandbox.length}`
    const command = `(head -c 300M /dev/zero | tail | sleep ${mark}) & wait`
    const { status, body } = await step(session_id, 'shell', { command, timeout_s: 60 })
    t.equal(status, 200)
    t.match(body, {
      info: { error: 'the environment needed more than 200 MiB of memory' },
      truncated: true,
      done: true,
    })
    t.match((await record(session_id)).body, {
      is_active: false,
      close_reason: 'the environment needed more than 200 MiB of memory',
    })
    await until(() => running(`sleep\0${mark}`).length === 0)
  })
}
