// The public suite of MCP against this server: what the version 2026-07-28 requires, with the scenarios of the extension for
// tasks. The tools that it calls are the agents in suite-agents. expected-failures.yaml names what fails, with reasons. A scenario
// that fails otherwise is asked once more, by itself: the suite gives some answers half a second, also on a busy machine.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { adminToken, serveHere } from '../../support/server.ts'
import { hostileMessages } from './hostile.ts'
import { forms, messagesTo } from './messages.ts'
import { namingProxy } from './naming-proxy.ts'

t.setTimeout(900_000)

const folder = import.meta.dirname
const program = path.resolve(folder, '../../../node_modules/@modelcontextprotocol/conformance/dist/index.js')

const expected = (
  parse(readFileSync(path.join(folder, 'expected-failures.yaml'), 'utf8')) as { server: string[] }
).server

type Outcome = { scenario: string; passed: number; failed: string[] }
/** What the suite has found, scenario by scenario. Its own exit code leaves out the scenarios of extensions. */
const outcomesIn = (output: string): Outcome[] =>
  readdirSync(output).map(name => {
    const file = path.join(output, name, 'checks.json')
    const checks = JSON.parse(readFileSync(file, 'utf8')) as { id: string; status: string }[]
    return {
      scenario: name.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, ''),
      passed: checks.filter(({ status }) => status === 'SUCCESS').length,
      failed: checks.flatMap(({ id, status }) => (['FAILURE', 'WARNING'].includes(status) ? [id] : [])),
    }
  })
const judged = (outcomes: Outcome[]) => {
  const lines = ({ scenario, failed }: Outcome) =>
    failed.length === 0 ? [] : [scenario, ...failed.map(id => `${scenario}:${id}`)]
  const failing = new Set(outcomes.flatMap(lines))
  const isExpected = (scenario: string, id: string) =>
    expected.includes(scenario) || expected.includes(`${scenario}:${id}`)
  return {
    unexpected: outcomes.filter(({ scenario, failed }) => failed.some(id => !isExpected(scenario, id))),
    stale: expected.filter(line => !failing.has(line)),
  }
}

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
  const ask = async (name: string, ...wanted: string[]): Promise<Outcome[]> => {
    const output = path.join(results, name)
    const args = ['server', '--url', proxy.url, ...wanted, '--output-dir', output, '--timeout', '120000']
    const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'inherit', 'inherit'] })
    await once(child, 'close')
    return outcomesIn(output)
  }
  const outcomes = await ask('all', '--requirements', '2026-07-28')
  t.ok(outcomes.length > 40, 'the suite has run')
  const { unexpected, stale } = judged(outcomes)
  t.same(stale, [], 'what is expected to fail fails')
  for (const { scenario, failed } of unexpected) {
    t.comment(`${scenario} is asked once more: ${failed.join(', ')}`)
    const again = await ask(
      `again-${scenario}`,
      '--scenario',
      scenario,
      '--spec-version',
      '2026-07-28',
      '--force',
    )
    t.same(again.length > 0 && judged(again).unexpected, [], scenario)
  }
  const checks = outcomes.reduce((sum, { passed }) => sum + passed, 0)
  t.comment(
    `${outcomes.length} scenarios, ${checks} checks passed, ${expected.length} lines are expected to fail`,
  )
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
