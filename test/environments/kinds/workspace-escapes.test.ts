// Every way out of the workspace that we know of, tried with every file tool.
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import t, { type Test } from 'tap'
import { givenWorkspace, secret } from './workspace-support.ts'

const calls: Record<string, (given: string) => object> = {
  read_file: path => ({ path }),
  write_file: path => ({ path, content: 'written' }),
  patch_file: path => ({ path, old: 'secret', new: 'written' }),
  list_files: path => ({ path }),
  search: path => ({ pattern: '^', path }),
}

/** What every tool tells of a path; outside all is as before. */
const tryAll = async (t: Test, given: ReturnType<typeof givenWorkspace>, way: string) => {
  const told: Record<string, string> = {}
  for (const [tool, argsOf] of Object.entries(calls)) {
    told[tool] = await given.told(tool, argsOf(way))
    t.notMatch(told[tool], secret, `${tool} ${way}`)
    if (!way.includes(given.around)) t.notMatch(told[tool], given.around, 'no path of this machine is told')
  }
  t.same(readdirSync(given.outside).sort(), ['deep', 'secret.txt'])
  t.same(readdirSync(path.join(given.outside, 'deep')), [])
  t.equal(readFileSync(path.join(given.outside, 'secret.txt'), 'utf8'), secret)
  return told
}
const each = (told: string) => Object.fromEntries(Object.keys(calls).map(tool => [tool, told]))
const leadsOutside = (way: string) => each(`${way} leads outside of the workspace`)

t.test('a path that leads outside is refused, whether or not there is something', async t => {
  const given = givenWorkspace(t)
  given.put('sub/a.txt', 'a')
  for (const way of [
    '..',
    '../../outside/secret.txt',
    '../missing',
    'sub/../../../outside/secret.txt',
    'missing/../../x',
    '../files-not',
    '/workspace/../x',
    '/workspace-not/x',
    '/etc/passwd',
    '/etc/passwd/x',
    '/',
    '/proc/self/root/etc/passwd',
    '/dev/zero',
    path.join(given.outside, 'secret.txt'),
    given.inside('../../outside/secret.txt'),
  ]) {
    t.same(await tryAll(t, given, way), leadsOutside(way), way)
  }
})

t.test('links that lead outside are refused, at the end of a path and in the middle', async t => {
  const given = givenWorkspace(t)
  given.link('secret', '../../outside/secret.txt')
  given.link('absolute', path.join(given.outside, 'secret.txt'))
  given.link('folder', given.outside)
  given.link('up', '..')
  given.link('twice', 'folder')
  given.link('proc', '/proc/self/root')
  given.put('sub/x', '')
  given.link('sub/out', '../folder/deep')
  for (const way of [
    'secret',
    'absolute',
    'folder',
    'folder/secret.txt',
    'folder/missing.txt',
    'folder/deep/missing/x.txt',
    'up/x',
    'twice/secret.txt',
    'proc/etc/passwd',
    'sub/out',
    'sub/out/new.txt',
  ]) {
    t.same(await tryAll(t, given, way), leadsOutside(way), way)
  }
  t.equal(await given.call('search', { pattern: '^' }), 'sub/x:1: ', 'a search goes through none of them')
  t.match(given.workspace.observe(), { file_count: 8, size_bytes: 0 }, 'and the state tells of none')
})

t.test('links inside may be read through, but not written through', async t => {
  const given = givenWorkspace(t)
  given.put('dir/a', 'text')
  given.link('to', 'dir/a')
  given.link('lost', 'nowhere')
  given.link('round', 'round')
  t.equal(await given.call('read_file', { path: 'to' }), 'text')
  t.equal(
    await given.told('write_file', { path: 'to', content: '' }),
    'to is a symbolic link, not a regular file',
  )
  t.equal(await given.told('write_file', { path: 'lost', content: '' }), 'lost does not exist')
  t.equal(
    await given.told('read_file', { path: 'round' }),
    'round is a symbolic link that cannot be followed',
  )
  await given.call('patch_file', { path: 'to', old: 'text', new: 'changed' })
  t.equal(given.got('dir/a'), 'changed', 'the file that a link leads to is changed, the link stays')
})

t.test('pipes, sockets, devices and folders are not opened', async t => {
  const given = givenWorkspace(t)
  given.fifo('pipe')
  given.put('dir/x', '')
  const before = process.cwd()
  process.chdir(given.inside()) // a path of a socket is short
  const server = createServer()
  await new Promise<void>(resolve => server.listen('socket', resolve))
  process.chdir(before)
  t.teardown(() => server.close())
  for (const [name, kind] of [
    ['pipe', 'a named pipe'],
    ['socket', 'a socket'],
    ['dir', 'a folder'],
  ]) {
    for (const tool of ['read_file', 'write_file', 'patch_file']) {
      t.equal(
        await given.told(tool, calls[tool]?.(name as string)),
        `${name} is ${kind}, not a regular file`,
        tool,
      )
    }
  }
  t.equal(
    await given.told('search', { pattern: '^', path: 'pipe' }),
    'pipe is a named pipe, not a regular file',
  )
  t.equal(await given.told('write_file', { path: '.', content: '' }), '. is a folder, not a file')
  t.equal(
    await given.told('read_file', { path: 'dir/x/y' }),
    'dir/x/y does not exist: a part of its path is not a folder',
  )
  t.equal(await given.told('read_file', { path: 'a\0b' }), 'A path cannot hold a NUL character')
  t.equal(
    await given.told('write_file', { path: 'x'.repeat(300), content: '' }),
    `${'x'.repeat(200)}… is too long for a name`,
  )
})

t.test('a workspace that was put elsewhere leads nowhere', async t => {
  const given = givenWorkspace(t)
  // Without a sandbox a command reaches what is around the folder.
  await given.shell(`cd ..; mv files away; ln -s "${given.outside}" files`)
  for (const [tool, argsOf] of Object.entries(calls)) {
    t.match(await given.told(tool, argsOf('secret.txt')), 'leads outside of the workspace', tool)
  }
  given.workspace.reset(1, {})
  t.equal(readFileSync(path.join(given.outside, 'secret.txt'), 'utf8'), secret)
  t.equal(await given.call('list_files'), '(the folder is empty)')
})
