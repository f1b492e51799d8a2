// The public suite of MCP against this server: what the version 2026-07-28 requires, with the scenarios of the extension for
// tasks. The tools that it calls are the agents in suite-agents. expected-failures.yaml names what fails, with reasons.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { adminToken, serveHere } from '../../support/server.ts'
import { hostileMessages } from './hostile.ts'
import { forms, messagesTo } from './messages.ts'
import { namingProxy } from './naming-proxy.ts'

t.setTimeout(900_000)

const folder = import.meta.dirname
const program = path.resolve(folder, '../../../node_modules/@modelcontextprotocol/conformance/dist/index.js')

/** The suite waits half a second for some answers. An agent that has run once is as fast as any tool. */
const warmUp = async (url: string): Promise<void> => {
  const send = messagesTo(url, { capabilities: forms })
  for (const name of ['greet', 'test_logging_tool', 'test_streaming_elicitation'])
    await send('tools/call', { name: `agent_${name}`, arguments: { name: 'x' } })
}

t.test('what 2026-07-28 requires, and tasks', async t => {
  const { url, api } = await serveHere(t, {
    AGENT_PATH: path.join(folder, 'suite-agents'),
    MCP_TASK_AFTER_MS: '500',
  })
  for (const task_id of ['static-text', 'template/123/data']) {
    const body = { task_id, user_message_content: 'x', client_id: 'echo', stream: false }
    t.equal((await api('POST', '/tasks', body)).status, 200)
  }
  await warmUp(url)
  const proxy = await namingProxy(url, adminToken)
  t.teardown(proxy.close)
  const results = mkdtempSync(path.join(tmpdir(), 'reprise-mcp-suite-'))
  t.teardown(() => rmSync(results, { recursive: true, force: true }))
  const args = [
    ...['server', '--url', proxy.url, '--requirements', '2026-07-28'],
    ...[
      '--expected-failures',
      path.join(folder, 'expected-failures.yaml'),
      '--output-dir',
      results,
      '--timeout',
      '120000',
    ],
  ]
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'inherit', 'inherit'] })
  const [code] = await once(child, 'close')
  t.equal(code, 0)
})

t.test('5,000 hostile messages', async t => {
  const { url, lines } = await serveHere(t)
  const { wrong, statuses } = await hostileMessages(url, adminToken, 5000)
  t.comment(JSON.stringify(statuses))
  t.same(wrong, [])
  t.same(
    lines.filter(({ level }) => level === 'error'),
    [],
  )
})
