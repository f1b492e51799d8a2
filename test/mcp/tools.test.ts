// The tools of servers as tools of a task: their names, whether they may run again, and what their results become.
import t from 'tap'
import { mayBeOf, toolName } from '../../src/mcp/names.ts'
import { givenMcp, processServer } from './support.ts'

t.test('a tool is called by its server and its own name, in letters that every endpoint takes', async t => {
  t.equal(toolName('files', 'read-file_2'), 'files__read-file_2')
  const odd = [
    ['files', 'read file'],
    ['files', 'read.file'],
    ['my server', 'read'],
    ['my_server', 'read'],
    ['my__server', 'read'],
    ['my', 'server__read'],
    ['my_', 'server__read'],
    ['my', '_server__read'],
    ['files', 'x'.repeat(80)],
    ['files', `${'x'.repeat(80)}y`],
    ['f'.repeat(64), 'read'],
    ['f'.repeat(64), 'write'],
    ['файлы', 'прочесть'],
    ['файлы', 'записать'],
  ] as const
  const names = odd.map(([server, tool]) => toolName(server, tool))
  t.equal(new Set(names).size, odd.length, 'no two are the same')
  for (const [index, [server, tool]] of odd.entries()) {
    t.match(names[index], /^[A-Za-z0-9_-]{1,64}$/)
    t.ok(mayBeOf(server, names[index] ?? ''), `${server} ${tool}`)
  }
  t.notOk(mayBeOf('files', 'calculator'))
  t.notOk(mayBeOf('files', 'other__read'))
})

t.test('a call may run again when its tool only reads, or does the same twice', async t => {
  const { list } = await givenMcp(t, [processServer('s')])
  const safe = (await list()).filter(tool => tool.isSafe({})).map(tool => tool.definition.function.name)
  t.same(safe, ['s__echo', 's__count', 's__look'])
})

t.test('a result is text, pictures, sound and files, and structure when there is no text', async t => {
  const { call } = await givenMcp(t, [processServer('s')])
  const data = Buffer.from('a picture').toString('base64')
  t.same(await call('s__everything'), [
    { type: 'text', text: 'look' },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } },
    { type: 'input_audio', input_audio: { data, format: 'mp3' } },
    { type: 'text', text: 'the notes' },
    {
      type: 'file',
      file: {
        file_url: 'file:///notes/b.pdf',
        filename: 'b.pdf',
        file_data: `data:application/pdf;base64,${data}`,
      },
    },
    { type: 'file', file: { file_url: 'https://tools.example/c', filename: 'c' } },
  ])
  t.equal(await call('s__sum', { a: 1, b: 2 }), '{"sum":3}')
})

t.test('a failed result is a failure with the words of the tool, but for what is secret', async t => {
  const { call } = await givenMcp(t, [processServer('s', 'stdio', [], { API_KEY: 'a-long-key' })])
  t.equal(await call('s__fail', { why: 'a-long-key is wrong' }), '*** is wrong')
  t.equal(await call('s__fail', { why: '' }), 'the tool "fail" failed')
  await t.rejects(call('s__refuse', { why: 'Bearer a-long-key' }), {
    message: 'the MCP server "s" answered: Bearer ***',
  })
})

t.test('odd names lead to their tools', async t => {
  const { list, call } = await givenMcp(t, [processServer('s')])
  const odd = (await list())
    .map(tool => tool.definition.function.name)
    .filter(name => /_[0-9a-f]{8}$/.test(name))
  t.equal(odd.length, 2)
  t.same(await Promise.all(odd.map(name => call(name))), ['odd', 'long'])
})

t.test('only a server that may have a tool of that name is asked for it', async t => {
  const { scopeOf, tools, call } = await givenMcp(t, [
    processServer('good'),
    processServer('bad', 'hostile', ['gone']),
  ])
  t.equal(await call('good__echo', { text: 'x' }), 'x')
  t.equal(await tools.find(scopeOf(), 'calculator'), undefined)
  t.equal(await tools.find(scopeOf(), 'good__nothing'), undefined)
  await t.rejects(tools.find(scopeOf(), 'bad__echo'), {
    message: 'the MCP server "bad" closed the connection',
  })
})

t.test('a server that the operator has taken away is told by name', async t => {
  const { scopeOf, list } = await givenMcp(t)
  await t.rejects(list(scopeOf('task_1', { mcpServers: { gone: {} } })), {
    message: 'the MCP server "gone" is not configured here any more',
  })
})
