// The file MCP_CONFIG: what it may hold, and one clear line for everything else.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { readConfig } from '../../src/config.ts'
import { CannotStart } from '../../src/contract/cannot-start.ts'
import { readMcpConfig } from '../../src/mcp/config.ts'
import { folderOf } from './support.ts'

const file = path.join(folderOf(t), 'mcp.json')
const env = { KEY: 'sEcReT', HOME: '/home/me', EMPTY: '' }
const read = (content: unknown) => {
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return readMcpConfig(file, env)
}

t.test('it names processes and places', async t => {
  const servers = read({
    mcpServers: {
      files: { command: 'npx', args: ['files', `\${HOME}/docs`], env: { KEY: `\${KEY}` }, cwd: '/tmp' },
      bare: { type: 'stdio', command: 'serve' },
      asks: { command: 'serve', env: { REGION: 'eu' }, env_from: ['REGION', 'TOKEN'] },
      web: { type: 'http', url: 'https://tools.example/mcp', headers: { Authorization: `Bearer \${KEY}` } },
      open: { url: `http://127.0.0.1:\${PORT:-9000}/mcp` },
    },
    inputs: [],
  })
  t.same(
    [...servers.values()],
    [
      {
        name: 'files',
        command: 'npx',
        args: ['files', '/home/me/docs'],
        env: { KEY: 'sEcReT' },
        cwd: '/tmp',
      },
      { name: 'bare', command: 'serve', args: [], env: {} },
      { name: 'asks', command: 'serve', args: [], env: { REGION: 'eu' }, envFrom: ['REGION', 'TOKEN'] },
      {
        name: 'web',
        url: 'https://tools.example/mcp',
        headers: { Authorization: 'Bearer sEcReT' },
        fromCaller: false,
      },
      { name: 'open', url: 'http://127.0.0.1:9000/mcp', headers: {}, fromCaller: false },
    ],
  )
  t.same([...servers.keys()], ['files', 'bare', 'asks', 'web', 'open'])
})

t.test('without the file there are no servers', async t => {
  t.equal(readMcpConfig(undefined, env).size, 0)
})

const server = (entry: unknown) => ({ mcpServers: { s: entry } })
const wrong: [string, unknown, string][] = [
  ['is no JSON', '{"mcpServers": sEcReT', ' is not JSON'],
  ['has no servers', { servers: {} }, ' has no object "mcpServers"'],
  ['has a server that is no object', server('x'), ': server "s": an object is needed'],
  ['has a server that is nothing', server({}), ': server "s": "command" or "url" is needed'],
  [
    'lists a variable that decides which code runs',
    server({ command: 'x', env_from: ['TOKEN', 'LD_PRELOAD'] }),
    ': server "s": "env_from" may not name LD_PRELOAD: it decides which code the program runs. Set it in "env"',
  ],
  [
    'lists variables that are no names',
    server({ command: 'x', env_from: 'TOKEN' }),
    ': server "s": "env_from" must be a list of names of variables',
  ],
  ['has an empty command', server({ command: '' }), ': server "s": "command" must be a text'],
  ['has odd arguments', server({ command: 'x', args: [1] }), ': server "s": "args" must be a list of texts'],
  ['has an odd environment', server({ command: 'x', env: { A: 1 } }), ': server "s": "env.A" must be a text'],
  [
    'has odd headers',
    server({ url: 'http://x', headers: [] }),
    ': server "s": "headers" must be an object of texts',
  ],
  [
    'has a header that cannot be sent',
    server({ url: 'http://x', headers: { 'a b': 'sEcReT' } }),
    ': server "s": "headers.a b" cannot be sent as a header',
  ],
  [
    'has a URL that is none',
    server({ url: 'ftp://x' }),
    ': server "s": "url" must be an http or https URL without a user name',
  ],
  [
    'has a password in a URL',
    server({ url: 'https://me:sEcReT@x' }),
    ': server "s": "url" must be an http or https URL without a user name',
  ],
  [
    'speaks as nobody does any more',
    server({ type: 'sse', url: 'http://x' }),
    ': server "s": the transport "sse" is not supported any more: give the URL of a Streamable HTTP server',
  ],
  [
    'wants what the environment has not',
    server({ command: 'x', env: { A: `\${NOT_SET}` } }),
    ': server "s": the environment has no NOT_SET',
  ],
]
for (const [what, content, told] of wrong) {
  t.test(`a file that ${what} is refused in one line`, async t => {
    t.throws(() => read(content), new CannotStart(`MCP_CONFIG=${file}${told}`))
  })
}

t.test('whether callers may lead us inside is said with 1 or nothing', async t => {
  for (const given of [undefined, '', '0'])
    t.notOk(readConfig({ ALLOW_PRIVATE_URLS: given }).allowPrivateUrls)
  t.ok(readConfig({ ALLOW_PRIVATE_URLS: '1' }).allowPrivateUrls)
  t.throws(
    () => readConfig({ ALLOW_PRIVATE_URLS: 'yes' }),
    new CannotStart('ALLOW_PRIVATE_URLS=yes is neither 0 nor 1'),
  )
})

t.test('the configuration holds the servers of the file', async t => {
  writeFileSync(file, JSON.stringify(server({ command: 'x' })))
  t.same([...readConfig({ MCP_CONFIG: file }).mcpServers.keys()], ['s'])
  t.equal(readConfig({ MCP_CONFIG: '' }).mcpServers.size, 0)
})

t.test('a file that is not there is refused', async t => {
  t.throws(() => readMcpConfig('/nowhere.json', env), {
    message: /^MCP_CONFIG=\/nowhere\.json cannot be read: ENOENT/,
  })
})
