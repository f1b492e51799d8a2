// MCP's own client, pointed at a server of the tests, and agents for it to call.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Test } from 'tap'
import { adminToken } from '../../support/server.ts'

/** How a client that negotiates its version and one that does not are told apart. */
export const versions = { '2026-07-28': { versionNegotiation: { mode: 'auto' as const } }, '2025-11-25': {} }
export type Version = keyof typeof versions

type Wishes = {
  version?: Version
  token?: string
  capabilities?: object
  answer?: (params: unknown) => unknown
}

/** A client that has connected. `answer`: answers questions; without it the client shows none. */
export const clientOf = async (
  t: Test,
  url: string,
  { version = '2026-07-28', token = adminToken, capabilities = {}, answer }: Wishes = {},
) => {
  const client = new Client(
    { name: 'test', version: '1' },
    {
      ...versions[version],
      capabilities: { ...capabilities, ...(answer === undefined ? {} : { elicitation: { form: {} } }) },
    },
  )
  if (answer !== undefined)
    client.setRequestHandler('elicitation/create', ({ params }) => answer(params) as never)
  const headers = { authorization: `Bearer ${token}` }
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } })
  await client.connect(transport)
  t.teardown(() => client.close())
  return client
}

/** A folder with some agents of the public suite. Each one that is loaded has a process. */
export const suiteAgents = (t: Test, ...names: string[]): string => {
  const files = names.map(name => `${name}.mjs`)
  const folder = path.join(import.meta.dirname, 'suite-agents')
  return t.testdir(
    Object.fromEntries(files.map(file => [file, readFileSync(path.join(folder, file), 'utf8')])),
  )
}
