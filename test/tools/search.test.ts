import { chmodSync } from 'node:fs'
import t from 'tap'
import { realWorld } from '../../src/platform/world.ts'
import { searchFiles } from '../../src/tools/search-files.ts'
import { failure, givenWorkspace, runTool, timersThat } from './support.ts'

/** Takes longer than anybody waits: each further `a` doubles the time. */
const endless = { pattern: '(a+)+$', line: `${'a'.repeat(60)}b` }

t.test('the lines that match are told with their file and number, in the order of the names', async t => {
  const { call, put } = givenWorkspace(t)
  put('b.txt', 'TODO one\r\nnothing\r\n  TODO two')
  put('a/z.txt', 'TODO three\n')
  put('a/.hidden', 'a TODO')
  put('a-b.txt', 'no\nTODO')
  t.equal(
    await call('search_files', { pattern: '^\\s*TODO' }),
    ['a/z.txt:1: TODO three', 'a-b.txt:2: TODO', 'b.txt:1: TODO one', 'b.txt:3:   TODO two'].join('\n'),
  )
  t.equal(
    await call('search_files', { pattern: 'TODO', path: 'a' }),
    'a/.hidden:1: a TODO\na/z.txt:1: TODO three',
  )
  t.equal(await call('search_files', { pattern: 't\\w+o$', path: './b.txt' }), 'b.txt:3:   TODO two')
  t.equal(await call('search_files', { pattern: 'todo' }), 'No line matches')
})

t.test('what is no text, is too large or is a link is passed by', async t => {
  const { call, put, link, sparse, inside } = givenWorkspace(t)
  put('binary', Buffer.from('find me\0'))
  put('latin-1', Buffer.from([...Buffer.from('find me '), 0xe9]))
  put('large.txt', `find me${' '.repeat(4 << 20)}`)
  put('most.txt', `find me${' '.repeat((4 << 20) - 7)}`)
  sparse('sparse', 1 << 30)
  put('z.txt', 'find me')
  link('link.txt', 'z.txt')
  link('loop', '.')
  put('closed/z.txt', '')
  chmodSync(inside('closed'), 0)
  t.teardown(() => chmodSync(inside('closed'), 0o700))
  t.equal(
    (await call('search_files', { pattern: 'find me' })).replace(/ +…/, '…'),
    'most.txt:1: find me…\nz.txt:1: find me',
  )
  t.equal(await call('search_files', { pattern: 'find', path: 'link.txt' }), 'z.txt:1: find me')
  for (const path of ['binary', 'latin-1', 'large.txt']) {
    t.equal(
      await failure(call('search_files', { pattern: 'find', path })),
      `${path} is not a text file of at most 4 MiB`,
    )
  }
  t.equal(await failure(call('search_files', { pattern: 'find', path: 'none' })), 'none does not exist')
})

t.test('long lines and long lists of matches are cut', async t => {
  const { call, put } = givenWorkspace(t)
  put('a.txt', 'x'.repeat(400))
  put('b.txt', 'x'.repeat(401))
  t.equal(
    await call('search_files', { pattern: 'x' }),
    `a.txt:1: ${'x'.repeat(400)}\nb.txt:1: ${'x'.repeat(400)}…`,
  )
  put('many.txt', 'y\n'.repeat(200))
  const exactly = await call('search_files', { pattern: 'y' })
  t.equal(exactly.split('\n').length, 200)
  put('more.txt', 'y')
  t.equal(await call('search_files', { pattern: 'y' }), `${exactly}\n[Cut: these are the first 200 matches]`)
})

t.test('a pattern that is none is told apart from one that finds nothing', async t => {
  const { call } = givenWorkspace(t)
  for (const pattern of ['(', 'a{2,1}', '[z-a]', '\\']) {
    const told = await failure(call('search_files', { pattern }))
    t.match(told, `The pattern is not a regular expression: Invalid regular expression: /${pattern}/`)
  }
})

t.test('a pattern that never comes to an end is ended at the deadline', async t => {
  const { put, work } = givenWorkspace(t)
  put('a.txt', endless.line)
  const tool = searchFiles(realWorld().timers, 100)
  t.equal(
    await failure(runTool(tool, { pattern: endless.pattern }, { workdir: work })),
    'The search took longer than 100 ms: use a simpler pattern, or a path with less below',
  )
})

t.test('and when the call is stopped', async t => {
  const { put, work } = givenWorkspace(t)
  put('a.txt', endless.line)
  const stop = new AbortController()
  const tool = searchFiles(timersThat(() => setImmediate(() => stop.abort())))
  const searching = runTool(tool, { pattern: endless.pattern }, { workdir: work, signal: stop.signal })
  t.equal(await failure(searching), 'The call was stopped')

  const early = new AbortController()
  const starting = runTool(tool, { pattern: endless.pattern }, { workdir: work, signal: early.signal })
  early.abort()
  t.equal(await failure(starting), 'The call was stopped', 'also while the thread starts')
})
