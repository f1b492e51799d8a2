// What is swapped between the look at a path and its use is found, or not followed.
import { constants } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import t from 'tap'
import { inFile, inFolder, spotOf } from '../../src/tools/workspace-paths.ts'
import { failure, givenWorkspace } from './support.ts'

const flags = constants.O_RDONLY
const told = (work: Promise<unknown>) => failure(work.then(String))

t.test('a folder that became a link to outside is not opened', async t => {
  const { work, inside, outside, put } = givenWorkspace(t)
  put('sub/a.txt', 'a')
  const spot = await spotOf({ userFolder: work, workdir: work }, 'sub/a.txt')
  await rename(inside('sub'), inside('moved'))
  await symlink(outside, inside('sub'))
  const open = inFolder(spot, path.dirname(spot.real), folder => readdir(folder.at('.')))
  t.match(await told(open), /ENOTDIR|ELOOP/)
})

t.test('nor is one below a folder that became a link', async t => {
  const { work, inside, folder: root, put } = givenWorkspace(t)
  put('sub/deep/a.txt', 'a')
  const spot = await spotOf({ userFolder: work, workdir: work }, 'sub/deep/a.txt')
  await rename(inside('sub'), inside('moved'))
  await mkdir(path.join(root, 'outside/sub/deep'), { recursive: true })
  await symlink(path.join(root, 'outside/sub'), inside('sub'))
  const open = inFolder(spot, path.dirname(spot.real), folder => readdir(folder.at('.')))
  t.equal(await told(open), 'sub/deep/a.txt was moved at the same time; try again')
})

t.test('a file that became a link or a pipe is neither followed nor waited for', async t => {
  const { work, inside, outside, put, fifo } = givenWorkspace(t)
  put('a.txt', 'a')
  const spot = await spotOf({ userFolder: work, workdir: work }, 'a.txt')
  const read = () =>
    inFolder(spot, path.dirname(spot.real), folder =>
      inFile(folder, { name: 'a.txt', given: 'a.txt', flags }, handle => handle.readFile('utf8')),
    )
  t.equal(await told(read()), 'answered: a')
  await rm(inside('a.txt'))
  await symlink(path.join(outside, 'secret.txt'), inside('a.txt'))
  t.match(await told(read()), 'ELOOP')
  await rm(inside('a.txt'))
  fifo('a.txt')
  t.equal(await told(read()), 'a.txt is a named pipe, not a regular file')
})

t.test('a folder that is moved while it is open: nothing is done at its old path', async t => {
  const { work, inside, outside, put } = givenWorkspace(t)
  put('sub/secret.txt', 'mine')
  const spot = await spotOf({ userFolder: work, workdir: work }, 'sub/secret.txt')
  await inFolder(spot, path.dirname(spot.real), async folder => {
    await rename(inside('sub'), inside('moved'))
    await symlink(outside, inside('sub'))
    const read = inFile(folder, { name: 'secret.txt', given: 'secret.txt', flags }, handle =>
      handle.readFile('utf8'),
    )
    t.match(await told(read), 'was moved at the same time; try again')
    const make = inFile(
      folder,
      { name: 'new.txt', given: 'new.txt', flags: constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL },
      handle => handle.writeFile('new'),
    )
    t.match(await told(make), 'was moved at the same time; try again')
    if (process.platform === 'linux') {
      await writeFile(folder.at('through.txt'), 'through')
      t.equal(await readFile(inside('moved', 'through.txt'), 'utf8'), 'through', 'it is that very folder')
    }
  })
  t.same((await readdir(outside)).filter(name => name !== 'new.txt').sort(), ['deep', 'secret.txt'])
})

t.test('while folders are swapped again and again, no write comes out and no secret comes in', async t => {
  const { call, inside, outside } = givenWorkspace(t)
  await mkdir(inside('sub'))
  let done = false
  // A write may make `sub` anew in the moment when there is none.
  const back = async (): Promise<void> => {
    try {
      await rm(inside('sub'), { recursive: true, force: true })
      await rename(inside('aside'), inside('sub'))
    } catch {
      await back()
    }
  }
  const swapping = (async () => {
    while (!done) {
      await rename(inside('sub'), inside('aside'))
      await symlink(outside, inside('sub')).catch(() => {})
      await new Promise(resolve => setImmediate(resolve))
      await back()
      await new Promise(resolve => setImmediate(resolve))
    }
  })()
  const ends = new Set<string>()
  for (let round = 0; round < 150; round++) {
    for (const [name, args] of [
      ['write_file', { path: 'sub/mine.txt', content: 'mine' }],
      ['write_file', { path: 'sub/log.txt', content: 'mine', append: true }],
      ['write_file', { path: 'sub/new/below/mine.txt', content: 'mine' }],
      ['read_file', { path: 'sub/secret.txt' }],
      ['list_files', { path: 'sub' }],
    ] as const) {
      const end = await failure(call(name, args))
      ends.add(end.replace(/answered: .*/s, 'answered'))
      t.notMatch(end, /the secret|answered: .*secret\.txt/)
    }
  }
  done = true
  await swapping
  t.comment([...ends].join('; '))
  if (process.platform === 'linux') t.same((await readdir(outside)).sort(), ['deep', 'secret.txt'])
})

t.test(
  'while the workspace itself is swapped for that of another user, nothing of it comes in or out',
  async t => {
    const { call, folder, outside } = givenWorkspace(t)
    const user = path.join(folder, 'user')
    const workdir = path.join(user, 'deep/work')
    await mkdir(workdir, { recursive: true })
    await writeFile(path.join(workdir, 'secret.txt'), 'mine')
    let done = false
    const swapping = (async () => {
      while (!done) {
        for (const name of ['deep/work', 'deep']) {
          const at = path.join(user, name)
          await rename(at, path.join(user, 'aside')).catch(() => {})
          await symlink(name === 'deep' ? folder : outside, at).catch(() => {})
          await new Promise(resolve => setImmediate(resolve))
          await rm(at, { recursive: true, force: true, maxRetries: 10 }) // a write may put something into it meanwhile
          await rename(path.join(user, 'aside'), at).catch(() => {})
          await new Promise(resolve => setImmediate(resolve))
        }
      }
    })()
    const ends = new Set<string>()
    for (let round = 0; round < 150; round++) {
      for (const [name, args] of [
        ['write_file', { path: 'mine.txt', content: 'mine' }],
        ['write_file', { path: 'new/below/mine.txt', content: 'mine', append: true }],
        ['read_file', { path: 'secret.txt' }],
        ['list_files', {}],
      ] as const) {
        const end = await failure(call(name, args, { workdir, userFolder: user }))
        ends.add(end.replace(/answered: .*/s, 'answered'))
        t.notMatch(end, /the secret|answered: (deep|outside|user|work)\//)
      }
    }
    done = true
    await swapping
    t.comment([...ends].join('; '))
    if (process.platform !== 'linux') return
    t.same((await readdir(outside)).sort(), ['deep', 'secret.txt'])
    t.same(await readdir(path.join(outside, 'deep')), [])
    t.same((await readdir(folder)).sort(), ['outside', 'user', 'work'])
  },
)
