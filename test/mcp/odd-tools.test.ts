// The kinds: a tool of a server is odd, and a list of tools ends in an odd way. An odd tool is mended, or left out by
// name; the others work; the log and whoever lists the tools are told. A list ends when nothing more can come.
import t, { type Test } from 'tap'
import { createOddTools } from '../../src/mcp/odd-tools.ts'
import { type RawAnswer, result } from './servers/raw.mjs'
import { listOf, plainTool, rawPlace } from './servers/raw.ts'
import { givenMcp, placeServer } from './support.ts'

const schema = { type: 'object', properties: { a: { type: 'string' } } }
const good = plainTool('good')
const said = (text: string): RawAnswer => ({ writes: [result({ content: [{ type: 'text', text }] })] })

const serving = async (
  t: Test,
  lists: RawAnswer[],
  calls: Record<string, RawAnswer> = { good: said('well') },
) => {
  const place = await rawPlace(t, { lists, calls })
  const mcp = await givenMcp(t, [place.server])
  const offered = async () => {
    const tools = await mcp.list()
    return {
      usable: tools.filter(({ odd }) => odd?.left_out !== true),
      odd: tools.flatMap(({ odd }) => odd ?? []),
    }
  }
  return { ...mcp, ...place, offered }
}

/** By name: a definition, and the schema with which the tool is offered. */
const mended: Record<string, [object, object]> = {
  'a description that is null': [{ description: null, inputSchema: schema }, schema],
  'a description that is a number': [{ description: 7, inputSchema: schema }, schema],
  'a title that is null': [{ title: null, inputSchema: schema }, schema],
  'annotations that are null': [{ annotations: null, inputSchema: schema }, schema],
  'hints that are null': [{ annotations: { readOnlyHint: null, title: null }, inputSchema: schema }, schema],
  'an output schema that is null': [{ outputSchema: null, inputSchema: schema }, schema],
  'an output schema of another type': [{ outputSchema: { type: 'array' }, inputSchema: schema }, schema],
  'unknown fields': [{ icons: null, execution: null, _meta: null, inputSchema: schema }, schema],
  'required that is null': [{ inputSchema: { ...schema, required: null } }, schema],
  'required that is a text': [{ inputSchema: { ...schema, required: 'a' } }, { ...schema, required: ['a'] }],
  'properties that are null': [{ inputSchema: { type: 'object', properties: null } }, { type: 'object' }],
  'properties of PHP': [
    { inputSchema: { type: 'object', properties: [] } },
    { type: 'object', properties: {} },
  ],
  'a property that is null': [
    { inputSchema: { type: 'object', properties: { a: null } } },
    { type: 'object', properties: { a: {} } },
  ],
  'nulls below': [
    {
      inputSchema: {
        ...schema,
        properties: { a: { anyOf: [{ type: 'string', enum: null }, null], description: null } },
      },
    },
    { ...schema, properties: { a: { anyOf: [{ type: 'string' }, {}] } } },
  ],
  'nulls that mean something': [
    {
      inputSchema: {
        ...schema,
        properties: { a: { default: null }, b: { const: null }, c: { enum: ['x', null] } },
      },
    },
    { ...schema, properties: { a: { default: null }, b: { const: null }, c: { enum: ['x', null] } } },
  ],
  'anyOf without a type': [{ inputSchema: { anyOf: [schema] } }, { anyOf: [schema], type: 'object' }],
  'a type that is null': [{ inputSchema: { ...schema, type: null } }, schema],
  'a list of types': [{ inputSchema: { ...schema, type: ['object', 'null'] } }, schema],
  'a schema that is true': [{ inputSchema: true }, { type: 'object' }],
}

/** By name: a definition whose schema cannot be used, and why. */
const opened: Record<string, [object, string]> = {
  'no schema': [{}, 'it has no inputSchema'],
  'a schema that is null': [{ inputSchema: null }, 'it has no inputSchema'],
  'a schema of PHP': [{ inputSchema: [] }, 'it has no inputSchema'],
  'a schema that is a text': [{ inputSchema: '{}' }, 'its inputSchema is no object'],
  'a schema of another type': [
    { inputSchema: { type: 'string' } },
    'its inputSchema is of the type "string"',
  ],
}

/** By name: what cannot be used, the name under which it is left out, and why. */
const leftOut: Record<string, [unknown, string, string]> = {
  null: [null, 'number 2 of the list', 'it is no object'],
  'a text': ['strange', 'number 2 of the list', 'it is no object'],
  'a list': [[], 'number 2 of the list', 'it is no object'],
  'no name': [{ inputSchema: schema }, 'number 2 of the list', 'it has no name'],
  'an empty name': [{ name: ' ', inputSchema: schema }, 'number 2 of the list', 'it has no name'],
  'a name that is null': [{ name: null, inputSchema: schema }, 'number 2 of the list', 'it has no name'],
  'the name of another': [
    { ...good, description: 'other' },
    'good',
    'another tool before it has the same name',
  ],
  'much text': [
    { ...plainTool('long'), description: 'x'.repeat(200_000) },
    'long',
    'its definition is longer than 128 KiB',
  ],
}

for (const [name, [definition, parameters]] of Object.entries(mended)) {
  t.test(`a tool with ${name} is mended`, async t => {
    const { offered, lines } = await serving(t, [listOf([good, { name: 'strange', ...definition }])])
    const { usable, odd } = await offered()
    t.same(
      usable.map(tool => tool.definition.function.name),
      ['s__good', 's__strange'],
    )
    t.same(usable[1]?.definition.function.parameters, parameters)
    t.equal(typeof usable[1]?.definition.function.description, 'string')
    t.same(odd, [])
    t.same(lines, [])
  })
}

for (const [name, [definition, why]] of Object.entries(opened)) {
  t.test(`a tool with ${name} takes all arguments, and the log names it`, async t => {
    const calls = { strange: said('strange, but well') }
    const { offered, lines, call } = await serving(
      t,
      [listOf([good, { name: 'strange', ...definition }])],
      calls,
    )
    const { usable, odd } = await offered()
    t.same(usable[1]?.definition.function.parameters, { type: 'object' })
    const problem = `${why}, so all arguments are accepted`
    t.same(odd, [{ server: 's', name: 'strange', problem, left_out: false }])
    t.equal(await call('s__strange', { any: 'thing' }), 'strange, but well')
    t.match(lines, [{ level: 'warn', fields: { tools: [{ name: 'strange', problem, left_out: false }] } }])
  })
}

for (const [kind, [definition, name, problem]] of Object.entries(leftOut)) {
  t.test(`a tool with or that is ${kind} is left out by name, and the others work`, async t => {
    const { offered, lines, call, list } = await serving(t, [listOf([good, definition, plainTool('other')])])
    const { usable, odd } = await offered()
    t.same(
      usable.map(tool => tool.definition.function.name),
      ['s__good', 's__other'],
    )
    t.same(odd, [{ server: 's', name, problem, left_out: true }])
    t.equal(await call('s__good'), 'well')
    await list()
    t.match(lines, [{ level: 'warn', fields: { tools: [{ name, problem, left_out: true }] } }], 'once')
    t.equal(lines.length, 1)
  })
}

t.test('the log tells again when other tools of a server are odd', async t => {
  const lists = [listOf([good, null]), listOf([good, null]), listOf([good, 7, null]), listOf([good])]
  const { list, lines, connections } = await serving(t, lists)
  for (const _ of lists) {
    await list()
    connections.ended('task_1')
  }
  t.same(
    lines.map(({ level, fields }) => [level, (fields as { tools: unknown[] }).tools.length]),
    [
      ['warn', 1],
      ['warn', 2],
    ],
  )
})

t.test('odd tools of a caller are told to the caller, and only for debugging to the operator', async t => {
  const lines: unknown[] = []
  const odd = createOddTools((level, message) => void lines.push([level, message]))
  const tool = { server: 'mine', name: 'strange', problem: 'it has no name', left_out: true }
  odd.note({ name: 'mine', url: 'https://tools.example', headers: {}, fromCaller: true }, [tool])
  t.match(lines, [['debug', /^MCP server "mine" lists tools that are odd/]])
  t.same(odd.all(), [])
  odd.note(placeServer('ours', 'https://tools.example'), [{ ...tool, server: 'ours' }])
  t.same(odd.all(), [{ ...tool, server: 'ours' }])
})

const page = (tools: unknown[], nextCursor: unknown): RawAnswer => ({
  writes: [result({ tools, ...(nextCursor === undefined ? {} : { nextCursor }) })],
})
const names = (tools: { definition: { function: { name: string } } }[]) =>
  tools.map(tool => tool.definition.function.name)

for (const [name, cursor] of Object.entries({
  null: null,
  'an empty text': '',
  false: false,
  nothing: undefined,
})) {
  t.test(`a list ends with the cursor ${name}`, async t => {
    const { list, asked } = await serving(t, [page([good], cursor)])
    t.same(names(await list()), ['s__good'])
    t.equal(asked.filter(({ message }) => message.method === 'tools/list').length, 1)
  })
}

t.test('a list ends when a page comes again', async t => {
  const { offered, asked } = await serving(t, [page([good, plainTool('other')], 'again')])
  const { usable, odd } = await offered()
  t.same(names(usable), ['s__good', 's__other'])
  t.same(odd, [], 'the same tool twice is not odd')
  t.equal(asked.filter(({ message }) => message.method === 'tools/list').length, 2)
})

t.test('a cursor that is a number leads to the next page', async t => {
  const { list } = await serving(t, [page([good], 2), page([plainTool('other')], null)])
  t.same(names(await list()), ['s__good', 's__other'])
})

for (const [kind, list, why] of [
  ['no list', { writes: [result({})] }, undefined],
  ['a list that is null', { writes: [result({ tools: null })] }, undefined],
  [
    'a list that is a text',
    { writes: [result({ tools: 'none' })] },
    'sent an answer that cannot be read: the result of "tools/list" has no list of tools',
  ],
  [
    'a result that is null',
    { writes: [result(null)] },
    'sent an answer that cannot be read: the result of "tools/list" has no list of tools',
  ],
  [
    'a page of 10,000 tools',
    listOf(Array.from({ length: 10_000 }, (_, n) => plainTool(`t${n}`))),
    'lists more than 512 tools',
  ],
] as [string, RawAnswer, string | undefined][]) {
  t.test(
    `${kind} is ${why === undefined ? 'a server without tools' : 'a failure with the reason'}`,
    async t => {
      const mcp = await serving(t, [list])
      if (why === undefined) t.same(await mcp.list(), [])
      else await t.rejects(mcp.list(), { message: `the MCP server "s" ${why}` })
    },
  )
}

t.test('a list that fails once is asked for again', async t => {
  const error = (text: string): RawAnswer => ({ writes: [text] })
  for (const once of [
    error('{"jsonrpc":"2.0","id":"$id","error":{"code":-32603,"message":"not ready"}}'),
    { status: 503, writes: ['not ready'] },
    { status: 202 },
    { writes: ['{"jsonrpc":'], end: 'break' },
  ] as RawAnswer[]) {
    const { list } = await serving(t, [once, listOf([good])])
    t.same(names(await list()), ['s__good'], JSON.stringify(once))
  }
  const never = error('{"jsonrpc":"2.0","id":"$id","error":{"code":-32603,"message":"not ready"}}')
  const { list, asked } = await serving(t, [never])
  await t.rejects(list(), { message: 'the MCP server "s" answered: not ready' })
  t.equal(asked.filter(({ message }) => message.method === 'tools/list').length, 2)
})
