// The kinds of environments as tools: the classes of the operator, and the servers of MCP_CONFIG.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { folderOf } from '../../environments/support.ts'
import { serveHere } from '../../support/server.ts'
import { messagesTo } from './messages.ts'

const folder = folderOf(t)
const write = (name: string, text: string) => {
  const file = path.join(folder, name)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}
const classOf = (name: string, more = '') => `export class ${name} {
  static description = 'Counts as ${name}.'
  ${more}
  constructor({ from = 0 } = {}) { this.n = from }
  tools() { return [{ type: 'function', function: { name: 'count', parameters: { type: 'object' } } }] }
  reset() { return { n: this.n } }
  observe() { return { n: this.n } }
  step() { this.n++; return { observation: { n: this.n } } }
}
`
const parameters = `static parameters = { type: 'object', properties: { from: { type: 'integer' } } }`
write('envs/count.mjs', classOf('Count', parameters))
write('envs/several.mjs', classOf('One') + classOf('Two'))
write('envs/games/a.b.mjs', classOf('Dotted'))
write('envs/same.mjs', classOf('Same'))
write(
  'envs/same.py',
  'class Same:\n    def reset(self, seed=None, options=None):\n        return 0, {}\n    def step(self, action):\n        return 0, 0.0, True, False, {}\n',
)
write('envs/sql.mjs', classOf('Sql'))
write(`envs/${'long'.repeat(20)}.mjs`, classOf('Long'))
const stdio = path.resolve(import.meta.dirname, '../../mcp/servers/stdio.mjs')
const servers = { tools: { command: process.execPath, args: [stdio] } }
const MCP_CONFIG = write('mcp.json', JSON.stringify({ mcpServers: servers }))

type Tool = { name: string; description: string; inputSchema: { properties: Record<string, object> } }
const toolsOf = async (url: string): Promise<Tool[]> => {
  const { result } = await messagesTo(url)('tools/list')
  return ((result?.tools as Tool[] | undefined) ?? []).filter(({ name }) => name.startsWith('env_'))
}

const { url, api } = await serveHere(t, { ENV_PATH: path.join(folder, 'envs'), MCP_CONFIG })
// A machine with much to do is slow to start what describes its classes.
while ((await (await api('GET', '/env')).text()).includes('has not said hello')) {}
const use = async (name: string, args: object) => messagesTo(url)('tools/call', { name, arguments: args })

t.test('a class of the operator is a tool with the name of its file', async t => {
  const tools = await toolsOf(url)
  const names = tools.map(({ name }) => name)
  for (const name of ['count', 'several_One', 'several_Two', 'games_a_b', 'gridworld', 'sql', 'mcp'])
    t.ok(names.includes(`env_${name}`), `${name} is one of ${names}`)
  t.same(new Set(names).size, names.length, 'each name is there once')
  for (const name of names) t.match(name, /^[a-zA-Z0-9_-]{1,64}$/)
  for (const start of ['env_same_', 'env_sql_', 'env_longlong'])
    t.equal(names.filter(name => name.startsWith(start)).length, start === 'env_same_' ? 2 : 1, start)
})

t.test('each listed tool of a class begins a session of that class, and no other name does', async t => {
  const own = (await toolsOf(url)).filter(({ description }) => description.startsWith('Counts as'))
  t.ok(own.length >= 7)
  for (const { name } of own) {
    const begun = (await use(name, {})).result?.structuredContent as { session_id: string } | undefined
    t.ok(begun?.session_id, name)
    t.match((await use(name, { session_id: begun?.session_id, close: true })).result, {
      structuredContent: { status: 'closed' },
    })
  }
  t.match(await use('env_count.mjs#Count', {}), { error: { code: -32602 } })
})

t.test('a first call gives what the class is made with, and what does not fit is refused', async t => {
  const count = (await toolsOf(url)).find(({ name }) => name === 'env_count')
  t.match(count?.inputSchema.properties.env_init_kwargs, { properties: { from: { type: 'integer' } } })
  const begun = (await use('env_count', { env_init_kwargs: { from: 5 } })).result?.structuredContent
  t.match(begun, { initial_state: { n: 5 } })
  t.match((await use('env_count', { env_init_kwargs: { from: 'x' } })).result, {
    isError: true,
    content: [{ text: /env_init_kwargs/ }],
  })
})

t.test(
  'the tool of the MCP servers names those that are configured, and is not there without any',
  async t => {
    const mcp = (await toolsOf(url)).find(({ name }) => name === 'env_mcp')
    t.match(mcp?.inputSchema.properties.env_init_kwargs, { properties: { server: { enum: ['tools'] } } })
    const begun = await use('env_mcp', { env_init_kwargs: { server: 'tools' } })
    t.ok((begun.result?.structuredContent as { session_id?: string } | undefined)?.session_id)
    t.match((await use('env_mcp', { env_init_kwargs: { server: 'none' } })).result, {
      isError: true,
      content: [{ text: /must be one of "tools"/ }],
    })
    const bare = await serveHere(t)
    t.notOk((await toolsOf(bare.url)).some(({ name }) => name === 'env_mcp'))
    const called = messagesTo(bare.url)('tools/call', { name: 'env_mcp', arguments: {} })
    t.match(await called, { error: { code: -32602 } })
  },
)
