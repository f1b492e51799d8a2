// `tool_mcp_config` of a request: what is refused, what is kept of it, and what its servers are.
import t from 'tap'
import { mcpProblems, serversOf, splitHeaders } from '../../src/mcp/request.ts'
import type { McpServer } from '../../src/mcp/server.ts'

const files: McpServer = { name: 'files', command: 'files', args: [], env: { KEY: 'sEcReT' } }
const configured = new Map([['files', files]])
const problems = (config: Record<string, unknown>) =>
  mcpProblems(config, name => configured.has(name)).map(({ loc, type }) => [...loc.slice(3), type].join(' '))

t.test('a name of the file, and a URL with headers, are servers', async t => {
  const config = { files: {}, web: { url: 'https://tools.example/mcp', headers: { 'X-Key': 'sEcReT' } } }
  const wanted = [files, { name: 'web', ...config.web, fromCaller: true }]
  for (const given of [config, { mcpServers: config }]) {
    t.same(problems(given), [])
    const { shown, headers } = splitHeaders(given)
    t.notMatch(JSON.stringify(shown), 'sEcReT')
    t.match(JSON.stringify(shown), '"X-Key":"***"')
    t.same(serversOf(shown, headers, configured), wanted)
  }
})

t.test('what we do not know is not kept: it may be a secret', async t => {
  const url = 'https://tools.example/mcp'
  const { shown, headers } = splitHeaders({
    web: { url, token: 'sEcReT', auth: { headers: { a: 'sEcReT' } } },
  })
  t.same(shown, { web: { url } })
  t.same(headers, {})
})

t.test('without it there are none', async t => {
  t.same(
    mcpProblems(null, () => false),
    [],
  )
  t.same(serversOf(undefined, {}, configured), [])
  t.same(serversOf({ mcpServers: {} }, {}, configured), [])
})

const wrong: [string, Record<string, unknown>, string[]][] = [
  [
    'a command, of a known server too',
    { files: { command: 'sh', args: ['-c'] }, other: { url: 'https://x', env: {}, cwd: '/' } },
    ['files command value_error', 'files args value_error', 'other env value_error', 'other cwd value_error'],
  ],
  ['a name that nobody knows', { unknown: {} }, ['unknown value_error']],
  ['a name that is wrapped and nobody knows', { mcpServers: { u: {} } }, ['mcpServers u value_error']],
  ['a name of an object', { constructor: {} }, ['constructor value_error']],
  ['no name', { '': {} }, [' value_error']],
  ['what is no entry', { files: 'https://x', other: null }, ['files dict_type', 'other dict_type']],
  [
    'URLs that are none, or hold a password',
    { a: { url: 'file:///etc/passwd' }, b: { url: 7 }, c: { url: 'https://me:you@x' }, d: { url: 'x' } },
    ['a url value_error', 'b url string_type', 'c url value_error', 'd url value_error'],
  ],
  [
    'headers that cannot be sent',
    { a: { url: 'https://x', headers: { 'b c': 'x', d: 'x\r\ny', e: 5, f: '\u{1f600}' } } },
    [
      'a headers b c value_error',
      'a headers d value_error',
      'a headers e string_type',
      'a headers f value_error',
    ],
  ],
  ['headers that are none', { a: { url: 'https://x', headers: 'x' } }, ['a headers dict_type']],
  [
    'headers for a server that has its own',
    { files: { headers: { a: 'b' } } },
    ['files headers value_error'],
  ],
  [
    'too many servers',
    Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`s${index}`, { url: 'https://x' }])),
    ['value_error'],
  ],
]
for (const [what, config, expected] of wrong) {
  t.test(`${what}: refused`, async t => {
    t.same(problems(config), expected)
  })
}

t.test('no problem quotes a value', async t => {
  const config = { a: { url: 'https://me:sEcReT@x', headers: { b: 'sEcReT\n', c: ['sEcReT'] } } }
  t.notMatch(JSON.stringify(mcpProblems(config, () => false)), 'sEcReT')
})
