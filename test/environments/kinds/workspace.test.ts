import assert from 'node:assert/strict'
import { chmodSync, existsSync, linkSync, lstatSync, readdirSync, readFileSync, truncateSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { search } from '../../../src/environments/kinds/workspace/search.ts'
import { snapshotOf } from '../../../src/environments/kinds/workspace/snapshot.ts'
import byDefault, { Workspace } from '../../../src/environments/kinds/workspace/workspace.ts'
import { type Action, failure, folder, play } from './support.ts'
import { givenWorkspace } from './workspace-support.ts'

t.test('the class is exported by name and by default', t => {
  t.equal(byDefault, Workspace)
  t.equal(Workspace.recovery, 'snapshot')
  t.end()
})

t.test('a workspace begins with its files, and a reset makes it anew', async t => {
  const { workspace, call, got } = givenWorkspace(t, {
    kwargs: { files: { 'a/b.txt': 'ä\n', 'run.sh': 'true' } },
  })
  const begun = workspace.observe()
  t.same(begun, {
    files: [
      { path: 'a/b.txt', size: 3, mode: '644' },
      { path: 'run.sh', size: 4, mode: '644' },
    ],
    file_count: 2,
    size_bytes: 7,
    sandbox: 'limits',
  })
  t.equal(got('a/b.txt'), 'ä\n')
  await call('write_file', { path: 'a/new', content: 'x' })
  t.same(workspace.reset(1, {}), begun)
  t.match(workspace.reset(1, { files: { only: '' } }), { files: [{ path: 'only', size: 0 }], file_count: 1 })
})

t.test('a file is written whole, changed at one place, and read back', async t => {
  const { call, told, got, inside } = givenWorkspace(t)
  t.equal(
    await call('write_file', { path: 'new/deep/a.txt', content: 'one\ntwo $&\nthree' }),
    'Wrote 16 bytes to new/deep/a.txt',
  )
  t.equal(
    await call('patch_file', { path: 'new/deep/a.txt', old: 'two', new: '$& 2' }),
    'Changed new/deep/a.txt at line 2',
  )
  t.equal(await call('read_file', { path: './new/deep/../deep/a.txt' }), 'one\n$& 2 $&\nthree')
  t.equal(
    await call('read_file', { path: '/workspace/new/deep/a.txt' }),
    'one\n$& 2 $&\nthree',
    'as the sandbox calls it',
  )
  t.equal(
    await told('patch_file', { path: 'new/deep/a.txt', old: '$&', new: '' }),
    'old occurs more than once in new/deep/a.txt: give more of what stands around it',
  )
  t.equal(
    await told('patch_file', { path: 'new/deep/a.txt', old: 'Three', new: '' }),
    'old does not occur in new/deep/a.txt: it must fit character by character',
  )
  chmodSync(inside('new/deep/a.txt'), 0o755)
  await call('write_file', { path: 'new/deep/a.txt', content: 'again' })
  t.equal(lstatSync(inside('new/deep/a.txt')).mode & 0o777, 0o755, 'permissions stay')
  t.same(readdirSync(inside('new/deep')), ['a.txt'], 'nothing else is left')
  t.equal(got('new/deep/a.txt'), 'again')
})

t.test('a long file is read in parts', async t => {
  const { call, told, put } = givenWorkspace(t)
  const lines = Array.from({ length: 3_000 }, (_, index) => `line ${index + 1}\n`)
  put('long', lines.join(''))
  t.match(
    await call('read_file', { path: 'long' }),
    /^line 1\n[\s\S]*\nline 2000\n\[Cut: lines 1 to 2000 of 3000\]$/u,
  )
  t.equal(await call('read_file', { path: 'long', offset: 2_999 }), 'line 2999\nline 3000\n')
  t.equal(
    await call('read_file', { path: 'long', offset: 5, limit: 1 }),
    'line 5\n[Cut: lines 5 to 5 of 3000]',
  )
  t.equal(await told('read_file', { path: 'long', offset: 3_001 }), 'long has only 3000 lines')
  put('wide', `${'x'.repeat(300_000)}\ny`)
  t.match(await call('read_file', { path: 'wide' }), /^x{262144}\n\[Cut: lines 1 to 1 of 2\]$/)
  put('many', `${'x'.repeat(100_000)}\n`.repeat(3))
  t.match(await call('read_file', { path: 'many' }), /\[Cut: lines 1 to 2 of 3\]$/)
  put('huge', Buffer.alloc((16 << 20) + 1))
  t.equal(await told('read_file', { path: 'huge' }), 'huge has 16777217 bytes, more than 16 MiB: use shell')
  put('binary', Buffer.from([0xff, 0xfe]))
  t.equal(await told('read_file', { path: 'binary' }), 'binary is not a text file: its content is not UTF-8')
  put('empty', '')
  t.equal(await call('read_file', { path: 'empty' }), '')
})

t.test('a folder is listed by name, and says what is not a file', async t => {
  const { workspace, call, told, put, link, fifo } = givenWorkspace(t)
  t.equal(await call('list_files'), '(the folder is empty)')
  put('b.txt', 'abc')
  put('a/x', '')
  put('odd\nname', '')
  link('link', 'b.txt')
  fifo('pipe')
  t.equal(
    await call('list_files', { path: '.' }),
    'a/\nb.txt (3 bytes)\nlink (symbolic link)\n"odd\\nname" (0 bytes)\npipe (not a regular file)',
  )
  t.equal(await told('list_files', { path: 'b.txt' }), 'b.txt is not a folder')
  t.equal(await told('list_files', { path: 'c' }), 'c does not exist')
  for (let n = 0; n < 1_001; n++) put(`many/${n}`, '')
  t.match(await call('list_files', { path: 'many' }), /\n\[Cut: these are 1000 of 1001 entries\]$/)
  t.match(workspace.observe(), { files: { length: 1_000 }, file_count: 1_006 }, 'and the state stays short')
})

t.test('lines that match are found, and what is no text is passed by', async t => {
  const { call, told, put, link, fifo } = givenWorkspace(t)
  put('b.txt', 'TODO one\r\nnothing\r\n  TODO two')
  put('a/.hidden', 'a TODO')
  put('binary', Buffer.from('TODO\0'))
  put('large', `TODO${' '.repeat(4 << 20)}`)
  link('link', 'b.txt')
  link('loop', '.')
  fifo('pipe')
  t.equal(
    await call('search', { pattern: 'TO+DO' }),
    'a/.hidden:1: a TODO\nb.txt:1: TODO one\nb.txt:3:   TODO two',
  )
  t.equal(await call('search', { pattern: '^TODO', path: 'b.txt' }), 'b.txt:1: TODO one')
  t.equal(await call('search', { pattern: 'todo' }), 'No line matches')
  t.match(await told('search', { pattern: '(' }), /^pattern is no regular expression: /)
  t.equal(await told('search', { pattern: 'x', path: 'large' }), 'large is not a text file of at most 4 MiB')
  put('many', 'x\n'.repeat(300))
  t.match(
    await call('search', { pattern: 'x', path: 'many' }),
    /\nmany:200: x\n\[Cut: these are the first 200 matches\]$/,
  )
})

t.test('a pattern that takes for ever is stopped', t => {
  const { inside, put } = givenWorkspace(t)
  put('a', `${'a'.repeat(60)}b`)
  t.throws(
    () => search(inside(), '^(a+)+$', '.', 50),
    new Error('The search took longer than 50 ms: use a simpler pattern, or a path with less below'),
  )
  t.equal(search(inside(), 'b$', '.', 50_000), `a:1: ${'a'.repeat(60)}b`)
  t.end()
})

const name = fc.constantFrom('a', 'b', 'dir/a', 'dir/b', 'dir/sub/a', 'a/b', '../out', 'dir')
const text = fc.constantFrom('', 'one\ntwo\n', 'two', 'ä\u0000😀', 'x'.repeat(5_000))
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ path: name, content: text }).map(args => ({ tool: 'write_file', args })),
  fc
    .record({ path: name, old: fc.constantFrom('two', 'x', 'ä'), new: text })
    .map(args => ({ tool: 'patch_file', args })),
  name.map(path => ({ tool: 'read_file', args: { path } })),
  name.map(path => ({ tool: 'list_files', args: { path } })),
  fc.constant({ tool: 'search', args: { pattern: 'o' } }),
)

t.test('the same actions give the same trajectory, and a snapshot the same state anywhere', async t => {
  const [one, two, third] = [givenWorkspace(t), givenWorkspace(t), givenWorkspace(t)]
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 20 }), async actions => {
      one.workspace.reset(1, {})
      two.workspace.reset(1, {})
      assert.deepEqual(await play(two.workspace, actions), await play(one.workspace, actions))
      third.workspace.restore(JSON.parse(JSON.stringify(one.workspace.snapshot())))
      assert.deepEqual(third.workspace.observe(), one.workspace.observe())
      assert.deepEqual(await play(third.workspace, actions), await play(one.workspace, actions))
    }),
    { numRuns: 25 },
  )
  t.notOk(existsSync(path.join(one.around, 'session/out')))
})

t.test('a snapshot keeps bytes, permissions and empty folders', async t => {
  const one = givenWorkspace(t)
  one.put('bin', Buffer.from([0, 255, 10]))
  one.put('dir/run.sh', 'true')
  chmodSync(one.inside('dir/run.sh'), 0o750)
  chmodSync(one.inside('bin'), 0o400)
  one.put('closed/x', 'y')
  chmodSync(one.inside('closed'), 0o555)
  await one.shell('mkdir -p empty/er')
  const two = givenWorkspace(t, { kwargs: { files: { 'in/the/way': '' } } })
  two.workspace.restore(one.workspace.snapshot())
  t.same(two.workspace.observe(), one.workspace.observe())
  t.same(readFileSync(two.inside('bin')), Buffer.from([0, 255, 10]))
  t.ok(lstatSync(two.inside('empty/er')).isDirectory())
  t.equal(lstatSync(two.inside('closed')).mode & 0o777, 0o555)
  two.workspace.reset(1, {})
  t.same(readdirSync(two.inside()), ['in'], 'folders that may not be written are removed as well')
  for (const { inside } of [one, two]) existsSync(inside('closed')) && chmodSync(inside('closed'), 0o755)
})

t.test('what a snapshot cannot hold is refused by its name', async t => {
  const { workspace, link, fifo, put, inside, shell } = givenWorkspace(t)
  link('link', 'somewhere')
  t.match(await failure(() => workspace.snapshot()), 'link is a symbolic link, not a regular file')
  workspace.reset(1, {})
  fifo('dir-pipe')
  t.match(await failure(() => workspace.snapshot()), 'dir-pipe is a named pipe, not a regular file')
  workspace.reset(1, {})
  put('large', '')
  truncateSync(inside('large'), (32 << 20) + 1)
  t.match(await failure(() => workspace.snapshot()), 'A snapshot may have 32 MiB of files')
  workspace.reset(1, {})
  await shell('head -c 9000000 /dev/urandom > random')
  t.match(await failure(() => workspace.snapshot()), /^A snapshot may have 8\.0 MiB compressed/)
  workspace.reset(1, {})
  put('a/b', '')
  t.ok(snapshotOf(inside(), 2))
  t.throws(() => snapshotOf(inside(), 1), new Error('A snapshot may have 1 files and folders'))
})

t.test('another name of a file keeps its content when the file is written', async t => {
  const { call, got, put, inside, outside } = givenWorkspace(t)
  put('a', 'old')
  linkSync(inside('a'), path.join(outside, 'hard'))
  linkSync(path.join(outside, 'secret.txt'), inside('s'))
  await call('write_file', { path: 'a', content: 'new' })
  await call('write_file', { path: 's', content: 'new' })
  t.equal(got('a'), 'new')
  t.equal(readFileSync(path.join(outside, 'hard'), 'utf8'), 'old')
  t.equal(readFileSync(path.join(outside, 'secret.txt'), 'utf8'), 'the secret')
})

t.test('what cannot be a workspace is refused with the name of the field', async t => {
  const given = { dir: folder(t), env_vars: {} }
  for (const [kwargs, told] of [
    [{ files: [] }, 'files must be an object'],
    [{ files: { a: 1 } }, 'files.a must be a string'],
    [{ folder: 'x' }, 'folder is not known: there is files'],
    ...['..', '../x', 'a/../../x', '/etc/x', '', '.', './', 'a/', 'a\0b'].map(
      name =>
        [{ files: { [name]: '' } }, `files.${name} must be the path of a file below the workspace`] as const,
    ),
  ] as const) {
    t.equal(
      (await failure(() => new Workspace(kwargs, given))).slice(0, 100),
      told.slice(0, 100),
      JSON.stringify(kwargs),
    )
  }
  t.match(
    await failure(() => new Workspace({}, { ...given, env_vars: { A: 'x\0--bind\0/\0/' } })),
    'env_vars.A cannot hold a NUL character',
  )
  t.match(
    await failure(() => new Workspace({}, { ...given, env_vars: { 'A=B': '' } })),
    'env_vars must have names',
  )
  const { told } = givenWorkspace(t)
  t.equal(await told('read_file', {}), 'path is missing')
  t.equal(await told('shell', { command: 'true', timeout_s: 121 }), 'timeout_s must be at most 120')
  t.equal(await told('shell', { command: 'a\0b' }), 'command cannot hold a NUL character')
})
