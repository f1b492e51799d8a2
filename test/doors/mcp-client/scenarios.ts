// The client scenarios of the public suite of MCP, and how one is played.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import type { Test } from 'tap'

const folder = import.meta.dirname
const suite = path.resolve(folder, '../../../node_modules/@modelcontextprotocol/conformance/dist/index.js')

/**
 * The scenarios, by the version of the protocol. Those of `auth` are left out: a server gets the headers that its user has set, and no
 * browser is there for a consent.
 */
export const scenarios: Record<string, string[]> = {
  '2026-07-28': [
    'tools_call',
    'request-metadata',
    'sep-2322-client-request-state',
    'http-standard-headers',
    'http-custom-headers',
    'http-invalid-tool-headers',
    'json-schema-ref-no-deref',
  ],
  '2025-11-25': ['initialize', 'tools_call', 'elicitation-sep1034-client-defaults', 'sse-retry'],
}

/** Plays a scenario against program.ts. Resolves to what the suite has printed, and its exit code. */
export const play = async (t: Test, version: string, scenario: string) => {
  const command = [process.execPath, '--no-warnings', path.join(folder, 'program.ts')].join(' ')
  const args = [
    ...['client', '--command', command, '--scenario', scenario, '--spec-version', version],
    ...['--expected-failures', path.join(folder, 'expected-failures.yaml')],
    ...['--timeout', '120000', '--output-dir', t.testdir()],
  ]
  const child = spawn(process.execPath, [suite, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  t.teardown(() => void child.kill('SIGKILL'))
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', piece => (printed += piece))
  const [code] = await once(child, 'close')
  return { code, printed }
}
