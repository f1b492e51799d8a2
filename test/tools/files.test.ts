import { chmodSync, linkSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { temporaryName } from '../../src/tools/put-file.ts'
import { failure, givenWorkspace } from './support.ts'

const MiB = 1 << 20

t.test('what was written is read again, byte for byte', async t => {
  const { call, got } = givenWorkspace(t)
  const content = '\uFEFFfirst\r\nsecond\n\u0000 é 😀 and no line end'
  t.equal(
    await call('write_file', { path: 'notes.txt', content }),
    `Wrote ${Buffer.byteLength(content)} bytes to notes.txt`,
  )
  t.equal(got('notes.txt'), content)
  t.equal(await call('read_file', { path: 'notes.txt' }), content)
  t.equal(await call('write_file', { path: 'empty', content: '' }), 'Wrote 0 bytes to empty')
  t.equal(await call('read_file', { path: 'empty' }), '')
})

t.test('a workspace that is not made yet is empty, and is made by the first file', async t => {
  const { call, inside } = givenWorkspace(t)
  const workdir = inside('not', 'yet')
  t.equal(await call('list_files', {}, { workdir }), '(the folder is empty)')
  t.equal(await call('list_files', { path: workdir }, { workdir }), '(the folder is empty)')
  t.equal(await call('search_files', { pattern: 'a' }, { workdir }), 'No line matches')
  t.equal(await failure(call('list_files', { path: 'sub' }, { workdir })), 'sub does not exist')
  t.equal(
    await failure(call('search_files', { pattern: 'a', path: 'sub' }, { workdir })),
    'sub does not exist',
  )
  t.equal(await failure(call('read_file', { path: 'a.txt' }, { workdir })), 'a.txt does not exist')
  t.match(
    await failure(call('write_file', { path: '../a.txt', content: 'a' }, { workdir })),
    'leads outside of the workspace',
  )
  t.same(readdirSync(inside()), [], 'looking makes nothing')
  await call('write_file', { path: 'deep/down/a.txt', content: 'a' }, { workdir })
  t.equal(readFileSync(inside('not', 'yet', 'deep', 'down', 'a.txt'), 'utf8'), 'a')
})

t.test('paths inside may be absolute, roundabout, or go through links that stay inside', async t => {
  const { call, put, inside, link, folder, work } = givenWorkspace(t)
  put('real/a.txt', 'here')
  link('way', 'real')
  link('file', 'real/a.txt')
  for (const given of ['real/a.txt', './real//x/../a.txt', inside('real/a.txt'), 'way/a.txt', 'file']) {
    t.equal(await call('read_file', { path: given }), 'here', given)
  }
  await call('write_file', { path: 'way/new/b.txt', content: 'b' })
  t.same(readdirSync(inside('real')).sort(), ['a.txt', 'new'])
  t.equal(await call('list_files', { path: 'way' }), 'a.txt\nnew/')

  const workdir = path.join(folder, 'by-another-name')
  symlinkSync(work, workdir)
  for (const given of ['real/a.txt', path.join(workdir, 'real/a.txt'), inside('real/a.txt')]) {
    t.equal(await call('read_file', { path: given }, { workdir }), 'here', given)
  }
  await call('write_file', { path: 'c.txt', content: 'c' }, { workdir })
  t.equal(await call('read_file', { path: 'c.txt' }), 'c')
  t.equal(await call('search_files', { pattern: 'here' }, { workdir }), 'real/a.txt:1: here')
})

t.test('of a long file its first part is read, up to the last whole character', async t => {
  const { call, put } = givenWorkspace(t)
  put('exact.txt', 'x'.repeat(MiB))
  t.equal(await call('read_file', { path: 'exact.txt' }), 'x'.repeat(MiB))
  for (const [character, fits] of [
    ['x', MiB],
    ['é', MiB / 2],
    ['€', Math.floor(MiB / 3)],
    ['😀', MiB / 4],
  ] as const) {
    for (const lead of ['', 'a', 'ab', 'abc']) {
      const content = lead + character.repeat(fits + 1)
      put('long.txt', content)
      const [first = '', note = ''] = (await call('read_file', { path: 'long.txt' })).split('\n')
      t.ok(content.startsWith(first), `${lead}${character}`)
      t.ok(MiB - Buffer.byteLength(first) < Buffer.byteLength(character), 'and as much as fits')
      t.equal(note, `[Cut: this is the first 1 MiB of a file of ${Buffer.byteLength(content)} bytes]`)
    }
  }
})

t.test('a file without end is not read to its end', async t => {
  const { call, sparse } = givenWorkspace(t)
  sparse('huge.txt', 2 ** 40)
  const content = await call('read_file', { path: 'huge.txt' })
  t.ok(content.startsWith('\0'.repeat(MiB)))
  t.match(content, 'the first 1 MiB of a file of 1099511627776 bytes')
  t.equal(await call('search_files', { pattern: '^' }), 'No line matches')
})

t.test('what is not UTF-8 is refused, with the reason', async t => {
  const { call, put } = givenWorkspace(t)
  const bad = {
    'latin-1': [0xe9, 0x20],
    cut: [0x61, 0xf0, 0x9f],
    utf16: [0xff, 0xfe, 0x61, 0],
    alone: [0x80],
  }
  for (const [name, bytes] of Object.entries(bad)) {
    put(name, Buffer.from(bytes))
    t.equal(
      await failure(call('read_file', { path: name })),
      `${name} is not a text file: its content is not UTF-8`,
    )
  }
  put('image', Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(2 * MiB, 0xff)]))
  t.match(await failure(call('read_file', { path: 'image' })), 'image is not a text file')
})

t.test('a file is replaced as a whole, keeps its mode, and leaves nothing beside it', async t => {
  const { call, put, got, inside } = givenWorkspace(t)
  put('run.sh', 'old')
  chmodSync(inside('run.sh'), 0o750)
  linkSync(inside('run.sh'), inside('second-name'))
  await call('write_file', { path: 'run.sh', content: 'new' })
  t.equal(got('run.sh'), 'new')
  t.equal(statSync(inside('run.sh')).mode & 0o777, 0o750)
  t.equal(got('second-name'), 'old', 'a new file, not new bytes in the old one')
  t.same(readdirSync(inside()).sort(), ['run.sh', 'second-name'])
})

t.test('the next run of a call removes what a crash has left of the last', async t => {
  const { call, inside, put, got } = givenWorkspace(t)
  put(temporaryName('effect-7'), 'half')
  put(temporaryName('effect-8'), 'of another call')
  await call('write_file', { path: 'a.txt', content: 'whole' }, { effectId: 'effect-7' })
  t.equal(got('a.txt'), 'whole')
  t.same(readdirSync(inside()).sort(), [temporaryName('effect-8'), 'a.txt'])
})

t.test('append makes a file, then makes it longer', async t => {
  const { call, got, put, inside } = givenWorkspace(t)
  const append = (content: string) => call('write_file', { path: 'logs/a.log', content, append: true })
  t.equal(await append('one\n'), 'Appended 4 bytes to logs/a.log')
  await append('two\n')
  t.equal(got('logs/a.log'), 'one\ntwo\n')
  await Promise.all(Array.from({ length: 20 }, (_, i) => append(`${i}\n`)))
  t.equal(got('logs/a.log').split('\n').length, 23)
  put('b', 'b')
  linkSync(inside('b'), inside('c'))
  t.match(await failure(call('write_file', { path: 'b', content: 'x', append: true })), 'has a second name')
  t.equal(got('c'), 'b')
})

t.test('calls at the same time leave one of their files, whole', async t => {
  const { call, got, inside } = givenWorkspace(t)
  const contents = Array.from({ length: 8 }, (_, i) => `${i}`.repeat(100_000))
  await Promise.all(
    contents.map((content, i) =>
      call('write_file', { path: 'new/shared.txt', content }, { effectId: `effect-${i}` }),
    ),
  )
  t.ok(contents.includes(got('new/shared.txt')))
  t.same(readdirSync(inside('new')), ['shared.txt'])
})

t.test('more than 16 MiB are not written, and nothing is made for them', async t => {
  const { call, inside } = givenWorkspace(t)
  const content = 'x'.repeat(16 * MiB)
  await call('write_file', { path: 'most.txt', content })
  t.equal(statSync(inside('most.txt')).size, 16 * MiB)
  for (const append of [true, false]) {
    t.match(
      await failure(call('write_file', { path: 'new/more.txt', content: `${content}é`, append })),
      'longer than 16 MiB',
    )
  }
  t.same(readdirSync(inside()), ['most.txt'])
})

t.test('a write that is stopped has happened whole or not at all', async t => {
  const { call, got, put, inside } = givenWorkspace(t)
  const [before, after] = ['before', 'y'.repeat(16 * MiB)]
  const ends = new Set<string>()
  for (let ticks = 0; ticks < 40; ticks++) {
    put('a.txt', before)
    const stop = new AbortController()
    const end = failure(call('write_file', { path: 'a.txt', content: after }, { signal: stop.signal }))
    for (let i = 0; i < ticks; i++) await new Promise(resolve => setImmediate(resolve))
    stop.abort()
    const told = await end
    ends.add(told)
    t.equal(got('a.txt'), told === 'The call was stopped' ? before : after)
    t.same(readdirSync(inside()), ['a.txt'])
  }
  t.ok(ends.has('The call was stopped'))
})

t.test('a folder is listed one level deep, in order, with what each name is', async t => {
  const { call, put, link, fifo } = givenWorkspace(t)
  put('b.txt', '')
  put('a/inner.txt', '')
  put('.hidden', '')
  put('two\nlines', '')
  link('link', '/etc')
  fifo('pipe')
  t.equal(
    await call('list_files', {}),
    ['"two\\nlines"', '.hidden', 'a/', 'b.txt', 'link (symbolic link)', 'pipe (not a regular file)'].join(
      '\n',
    ),
  )
  t.equal(await call('list_files', { path: 'a' }), 'inner.txt')
  t.equal(await failure(call('list_files', { path: 'b.txt' })), 'b.txt is not a folder')
  t.equal(await failure(call('list_files', { path: 'c' })), 'c does not exist')
})

t.test('a long list is cut, and says so', async t => {
  const { call, inside, put } = givenWorkspace(t)
  for (let i = 0; i < 1_000; i++) mkdirSync(inside(`f${`${i}`.padStart(4, '0')}`))
  t.equal((await call('list_files', {})).split('\n').length, 1_000)
  put('g', '')
  const lines = (await call('list_files', {})).split('\n')
  t.same(lines.slice(999), ['f0999/', '[Cut: these are the first 1000 of 1001 entries]'])
})
