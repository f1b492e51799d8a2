import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { createKept } from '../../../src/environments/kinds/shared/kept/kept.ts'
import { search } from '../../../src/environments/kinds/workspace/search.ts'
import { keep } from '../../../src/environments/kinds/workspace/snapshot.ts'
import byDefault, { Workspace } from '../../../src/environments/kinds/workspace/workspace.ts'
import fc from '../../support/fast-check.ts'
import { keeping } from '../support.ts'
import { type Action, carry, failure, folder, play } from './support.ts'
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
      carry([one.workspace, one.dir], [third.workspace, third.dir])
      assert.deepEqual(third.workspace.observe(), one.workspace.observe())
      assert.deepEqual(await play(third.workspace, actions), await play(one.workspace, actions))
    }),
    { numRuns: 25 },
  )
  t.notOk(existsSync(path.join(one.around, 'session/out')))
})

t.test('what is kept has bytes, permissions, times, links and empty folders', async t => {
  const one = givenWorkspace(t)
  one.put('bin', Buffer.from([0, 255, 10]))
  one.put('dir/run.sh', 'true')
  chmodSync(one.inside('dir/run.sh'), 0o750)
  chmodSync(one.inside('bin'), 0o400)
  one.put('closed/x', 'y')
  one.put('secret/deep/x', 'hidden')
  one.put('unreadable', 'u')
  one.put('hole', '')
  truncateSync(one.inside('hole'), 50 << 20)
  one.put('large', Buffer.from(Array.from({ length: 200_000 }, (_, n) => n % 251)))
  writeFileSync(Buffer.concat([Buffer.from(`${one.inside()}/`), Buffer.from([0xff, 0xfe])]), 'no UTF-8')
  one.link('away', '/etc/passwd')
  one.link('dir/up', '../dir')
  one.fifo('pipe')
  await one.shell('mkdir -p empty/er')
  utimesSync(one.inside('dir/run.sh'), 1_000_000_000, 1_000_000_000.25)
  chmodSync(one.inside('unreadable'), 0)
  chmodSync(one.inside('secret/deep'), 0)
  chmodSync(one.inside('secret'), 0o300)
  chmodSync(one.inside('closed'), 0o555)
  const two = givenWorkspace(t, { kwargs: { files: { 'in/the/way': '' } } })
  t.same(carry([one.workspace, one.dir], [two.workspace, two.dir]), ['pipe is a named pipe'])
  t.equal(lstatSync(one.inside('secret')).mode & 0o777, 0o300, 'what was opened to look is closed again')
  rmSync(one.inside('pipe'))
  t.same(two.workspace.observe(), one.workspace.observe())
  t.same(readFileSync(two.inside('bin')), Buffer.from([0, 255, 10]))
  t.same(readFileSync(two.inside('large')), readFileSync(one.inside('large')))
  t.equal(lstatSync(two.inside('hole')).size, 50 << 20)
  t.ok(lstatSync(two.inside('hole')).blocks < 1_000, 'a hole takes no room')
  t.ok(lstatSync(two.inside('empty/er')).isDirectory())
  t.equal(lstatSync(two.inside('closed')).mode & 0o777, 0o555)
  t.equal(Math.round(lstatSync(two.inside('dir/run.sh')).mtimeMs), 1_000_000_000_250)
  t.equal(readlinkSync(two.inside('away')), '/etc/passwd')
  t.equal(readlinkSync(two.inside('dir/up')), '../dir')
  two.workspace.reset(1, {})
  t.same(readdirSync(two.inside()), ['in'], 'folders that may not be written are removed as well')
  one.workspace.reset(1, {})
})

t.test('a state of which something is missing or was changed does not come back', async t => {
  const one = givenWorkspace(t)
  one.put('a', 'a'.repeat(1_000))
  const state = one.workspace.snapshot(keeping)
  const packs = path.join(one.dir, 'kept')
  const [pack = ''] = readdirSync(packs)
  const bytes = readFileSync(path.join(packs, pack))
  const damaged = 'its kept state is damaged; create a new session'
  for (const at of [10, state.kept.offset + 10]) {
    rmSync(one.inside('a'), { force: true })
    writeFileSync(
      path.join(packs, pack),
      bytes.map((byte, index) => (index === at ? byte ^ 1 : byte)),
    )
    t.equal(await failure(() => one.workspace.restore(state)), damaged)
  }
  truncateSync(path.join(packs, pack), 500)
  t.equal(await failure(() => one.workspace.restore(state)), damaged)
  rmSync(path.join(packs, pack))
  t.equal(await failure(() => one.workspace.restore(state)), 'a file of its kept state is missing')
  const elsewhere = { kept: { ...state.kept, pack: '../../outside/secret.txt' } }
  t.equal(await failure(() => one.workspace.restore(elsewhere)), damaged)
})

t.test('what is more than is kept is told, and costs no room', t => {
  const { dir, inside, put } = givenWorkspace(t)
  const kept = createKept(path.join(dir, 'kept'))
  put('a/b', 'x')
  const most = { entries: 2, bytes: 100 }
  t.ok(keep(kept, inside(), keeping, most))
  const before = readdirSync(path.join(dir, 'kept'))
  put('c', '')
  t.throws(
    () => keep(kept, inside(), keeping, most),
    new Error('the workspace has more than 2 files and folders, which is the most that is kept'),
  )
  put('a/b', 'x'.repeat(101))
  t.throws(() => keep(kept, inside(), keeping, { ...most, entries: 3 }), /^the workspace has more than /)
  t.same(readdirSync(path.join(dir, 'kept')), before)
  t.end()
})

t.test(
  'the state before the newest one comes back as well, and older ones only while they are held',
  async t => {
    const { workspace, dir, put, got } = givenWorkspace(t)
    const states = []
    for (const keepOld of [true, true, false, false]) {
      put('a', `state ${states.length}`)
      states.push(workspace.snapshot({ ...keeping, keepOld }))
      if (states.length === 2) t.equal(readdirSync(path.join(dir, 'kept')).length, 2)
    }
    const [first, , third, fourth] = states
    t.equal(await failure(() => workspace.restore(first)), 'a file of its kept state is missing')
    workspace.restore(fourth)
    t.equal(got('a'), 'state 3')
    workspace.restore(third)
    t.equal(got('a'), 'state 2')
    const again = workspace.snapshot(keeping)
    t.same(again, third, 'what has not changed is the state that it was')
  },
)

t.test('whatever became of a folder, what was kept is in it again and nothing else', async t => {
  const { workspace, inside, put, link, fifo, shell, outside } = givenWorkspace(t)
  put('same', 'same')
  put('dir/deep/a', 'a')
  put('file', 'f')
  put('closed/x', 'x')
  chmodSync(inside('closed'), 0o500)
  link('link', 'same')
  const state = workspace.snapshot(keeping)
  const before = workspace.observe()
  const { ino } = lstatSync(inside('same'))
  await shell(`
    rm -r dir; echo now a file > dir; rm file; mkdir -p file/is/folder; echo y > file/is/folder/y; chmod 000 file/is
    chmod 700 closed; echo more > closed/more; rm closed/x; ln -s /etc/passwd closed/x; chmod 300 closed
    rm link; ln -s / link`)
  fifo('pipe')
  put('x'.repeat(200), 'new')
  chmodSync(inside('same'), 0)
  linkSync(path.join(outside, 'secret.txt'), inside('hard'))
  workspace.restore(state)
  t.same(workspace.observe(), before)
  t.equal(readlinkSync(inside('link')), 'same')
  t.equal(readFileSync(inside('closed/x'), 'utf8'), 'x')
  t.equal(lstatSync(inside('same')).ino, ino, 'what was there already is left where it is')
  t.equal(readFileSync(path.join(outside, 'secret.txt'), 'utf8'), 'the secret')
  chmodSync(inside('closed'), 0o700)
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
