// Every way out of the workspace that we know of, tried with every file tool.
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { failure, givenWorkspace, type Workspace } from './support.ts'

const calls: Record<string, (given: string) => [name: string, args: object]> = {
  read: given => ['read_file', { path: given }],
  write: given => ['write_file', { path: given, content: 'written' }],
  append: given => ['write_file', { path: given, content: 'written', append: true }],
  list: given => ['list_files', { path: given }],
  search: given => ['search_files', { pattern: '', path: given }],
}

/** Calls every tool with a path; gives what each told, and sees that outside all is as before. */
const tryAll = async (t: Test, { call, outside, folder }: Workspace, given: string) => {
  const told: Record<string, string> = {}
  for (const [name, args] of Object.entries(calls)) {
    told[name] = await failure(call(...args(given)))
    t.notMatch(told[name], 'the secret', `${name} ${given}`)
    if (!given.includes(folder)) t.notMatch(told[name], folder, 'no path of this machine is told')
  }
  t.same(readdirSync(outside).sort(), ['deep', 'secret.txt'])
  t.same(readdirSync(path.join(outside, 'deep')), [])
  t.equal(readFileSync(path.join(outside, 'secret.txt'), 'utf8'), 'the secret')
  return told
}
const each = (told: string) => Object.fromEntries(Object.keys(calls).map(name => [name, told]))
const leadsOutside = (given: string) => each(`${given} leads outside of the workspace`)

t.test('a path that leads outside is refused, whether or not there is something', async t => {
  const given = givenWorkspace(t)
  given.put('sub/a.txt', 'a')
  for (const way of [
    '..',
    '../outside/secret.txt',
    '../outside/missing/x.txt',
    '../missing',
    'sub/../../outside/secret.txt',
    'missing/../../outside/secret.txt',
    '../work-not', // a name that begins like the workspace
    '/etc/passwd',
    '/',
    path.join(given.outside, 'secret.txt'),
    path.join(given.work, '../outside/secret.txt'),
  ]) {
    t.same(await tryAll(t, given, way), leadsOutside(way), way)
  }
})

t.test('links that lead outside are refused, at the end of a path and in the middle', async t => {
  const given = givenWorkspace(t)
  given.link('secret', '../outside/secret.txt')
  given.link('absolute', path.join(given.outside, 'secret.txt'))
  given.link('folder', given.outside)
  given.link('up', '..')
  given.link('twice', 'folder')
  given.put('sub/x', '')
  given.link('sub/out', '../folder/deep')
  for (const way of [
    'secret',
    'absolute',
    'folder',
    'folder/secret.txt',
    'folder/missing.txt',
    'folder/deep/missing/x.txt',
    'up/outside/secret.txt',
    'twice/secret.txt',
    'sub/out',
    'sub/out/new.txt',
    'missing/../folder/secret.txt',
  ]) {
    t.same(await tryAll(t, given, way), leadsOutside(way), way)
  }
  t.equal(
    await given.call('search_files', { pattern: '' }),
    'sub/x:1: ',
    'a search goes through none of them',
  )
})

t.test('links that lead nowhere or in a circle are refused, and nothing is made through them', async t => {
  const given = givenWorkspace(t)
  given.link('inside-nowhere', 'missing.txt')
  given.link('outside-nowhere', path.join(given.outside, 'new.txt'))
  given.link('a', 'b')
  given.link('b', 'a')
  for (const way of ['inside-nowhere', 'outside-nowhere', 'outside-nowhere/x', 'inside-nowhere/x']) {
    t.same(await tryAll(t, given, way), each(`${way} is a symbolic link that leads nowhere`), way)
  }
  t.same(await tryAll(t, given, 'a'), each('a is a symbolic link that cannot be followed'))
  t.equal(readlinkSync(given.inside('inside-nowhere')), 'missing.txt')
  t.notOk(existsSync(given.inside('missing.txt')))
})

t.test('a link to a file inside is read, but not written through, nor replaced', async t => {
  const given = givenWorkspace(t)
  given.put('real.txt', 'real')
  given.link('link.txt', 'real.txt')
  t.equal(await given.call('read_file', { path: 'link.txt' }), 'real')
  for (const append of [false, true]) {
    t.equal(
      await failure(given.call('write_file', { path: 'link.txt', content: 'x', append })),
      'link.txt is a symbolic link, not a regular file',
    )
  }
  t.ok(lstatSync(given.inside('link.txt')).isSymbolicLink())
  t.equal(given.got('real.txt'), 'real')
})

t.test('only regular files are read and written: no folder, pipe, socket or device', async t => {
  const given = givenWorkspace(t)
  given.put('folder/x', '')
  given.fifo('pipe')
  await given.socket('socket')
  const kinds = { folder: 'a folder', pipe: 'a named pipe', socket: 'a socket', '.': 'a folder' }
  for (const [name, kind] of Object.entries(kinds)) {
    for (const tool of ['read', 'write', 'append'] as const) {
      const [called, args] = calls[tool]?.(name) ?? ['', {}]
      const told = await failure(given.call(called, args))
      t.equal(told, `${name} is ${kind}, not a regular file`, `${tool} ${name}`)
    }
  }
  t.equal(
    await failure(given.call('search_files', { pattern: '', path: 'pipe' })),
    'pipe is a named pipe, not a regular file',
  )
  t.ok(lstatSync(given.inside('pipe')).isFIFO())
  t.ok(lstatSync(given.inside('socket')).isSocket())
  t.equal(await given.call('search_files', { pattern: '' }), 'folder/x:1: ', 'a search passes them by')
})

t.test('a device is refused, as the workspace itself would have it', async t => {
  const { call } = givenWorkspace(t)
  for (const name of ['zero', 'null']) {
    for (const tool of ['read', 'write', 'append'] as const) {
      const [called, args] = calls[tool]?.(name) ?? ['', {}]
      const told = await failure(call(called, args, { workdir: '/dev' }))
      t.equal(told, `${name} is a device, not a regular file`, `${tool} ${name}`)
    }
  }
  t.equal(
    await failure(call('search_files', { pattern: '', path: 'zero' }, { workdir: '/dev' })),
    'zero is a device, not a regular file',
  )
})

t.test('a link to a device is a way outside', async t => {
  const given = givenWorkspace(t)
  given.link('zero', '/dev/zero')
  t.same(await tryAll(t, given, 'zero'), leadsOutside('zero'))
})

t.test('names that cannot be are refused in words', async t => {
  const given = givenWorkspace(t)
  for (const name of ['a\0b', '../outside/secret.txt\0.png', '\0']) {
    t.same(await tryAll(t, given, name), each('A path cannot hold a NUL character'))
  }
  const long = 'n'.repeat(300)
  t.same(await tryAll(t, given, long), each(`${long.slice(0, 200)}… is too long for a name`))
  const longer = `${'folder/'.repeat(1_000)}x`
  t.same(await tryAll(t, given, longer), each(`${longer.slice(0, 200)}… is too long for a name`))
  t.same(readdirSync(given.work), [])
})

t.test('a file is no folder', async t => {
  const given = givenWorkspace(t)
  given.put('file', 'content')
  t.match(await tryAll(t, given, 'file/below/x'), {
    read: 'file/below/x does not exist',
    write: 'file/below/x does not exist: a part of its path is not a folder',
    append: 'file/below/x does not exist: a part of its path is not a folder',
    list: 'file/below/x does not exist',
    search: 'file/below/x does not exist',
  })
  t.equal(given.got('file'), 'content')
})

t.test('a workspace that leads nowhere is told without its path', async t => {
  const given = givenWorkspace(t)
  const workdir = path.join(given.folder, 'gone')
  symlinkSync(path.join(given.folder, 'never'), workdir)
  for (const args of Object.values(calls)) {
    t.equal(
      await failure(given.call(...args('x'), { workdir })),
      'The workspace is a symbolic link that leads nowhere',
    )
  }
})
