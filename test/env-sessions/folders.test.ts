// The folders of environment sessions: found again where earlier versions left them, and gone when they should be.
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import path from 'node:path'
import t from 'tap'
import { segment } from '../../src/access/user-folders.ts'
import { createSessionFolders } from '../../src/env-sessions/folders.ts'
import { removeFolder } from '../../src/platform/remove-folder.ts'

/** Every file below a folder with its content, by name. */
const filesIn = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => path.join(entry.parentPath, entry.name))
      .sort()
      .map(file => [path.relative(folder, file), readFileSync(file, 'utf8')]),
  )

// Users who are named like sessions, and sessions that are named like what is in the folder of one.
const active = [
  { session_id: 's1', user_id: 'alice' },
  { session_id: 'alice', user_id: 's1' },
  { session_id: 'bob', user_id: 'bob' },
  { session_id: 'files', user_id: 'alice' },
  { session_id: 'a/b', user_id: '..' },
]
const old = (folder: string) => {
  for (const { session_id } of [...active, { session_id: 'closed' }]) {
    const own = path.join(folder, segment(session_id))
    mkdirSync(path.join(own, 'files'), { recursive: true })
    mkdirSync(path.join(own, 'states'))
    writeFileSync(path.join(own, 'files/a'), `files of ${session_id}`)
    writeFileSync(path.join(own, 'states/1.json'), `state of ${session_id}`)
  }
}
const sorted = {
  '.sorted-by-user': '',
  ...Object.fromEntries(
    active.flatMap(({ session_id, user_id }) => {
      const own = `${segment(user_id)}/${segment(session_id)}`
      return [
        [`${own}/files/a`, `files of ${session_id}`],
        [`${own}/states/1.json`, `state of ${session_id}`],
      ]
    }),
  ),
}

t.test(
  'folders of active sessions that an earlier version left go to their users, others are removed',
  async t => {
    const root = t.testdir()
    old(root)
    const folders = createSessionFolders(root)
    await folders.clearOthers(active)
    t.same(filesIn(root), sorted)
    await folders.clearOthers(active)
    t.same(filesIn(root), sorted, 'once')
    await folders.clearOthers(active.slice(0, 1))
    t.same(Object.keys(filesIn(root)), ['.sorted-by-user', 'alice/s1/files/a', 'alice/s1/states/1.json'])
  },
)

t.test(
  'when the mark is lost that says that they are sorted, no active session loses its folder',
  async t => {
    const root = t.testdir()
    old(root)
    await createSessionFolders(root).clearOthers(active)
    rmSync(path.join(root, '.sorted-by-user'))
    await createSessionFolders(root).clearOthers(active)
    t.same(filesIn(root), sorted)
  },
)

t.test('where the start could not sort them, the first new session does, and loses none', async t => {
  const root = t.testdir()
  old(root)
  const folders = createSessionFolders(root)
  const { rename } = promises
  Object.assign(promises, { rename: () => Promise.reject(new Error('the disk said no')) })
  syncBuiltinESMExports()
  try {
    await t.rejects(folders.clearOthers(active), { message: 'the disk said no' })
  } finally {
    Object.assign(promises, { rename })
    syncBuiltinESMExports()
  }
  await folders.clear({ session_id: 'new', user_id: 'alice' })
  t.same(filesIn(root), sorted)
})

t.test('killed at any point of it, the next start brings it to its end', async t => {
  const folder = t.testdir({ root: {} })
  const root = path.join(folder, 'root')
  old(root)
  const names = ['rename', 'rm', 'mkdir', 'writeFile'] as const
  const real = names.map(name => promises[name])
  /** Runs as long as a process that is killed before this change of the disk. */
  const runUntil = async (at: string, most: number): Promise<boolean> => {
    let calls = 0
    for (const [index, name] of names.entries()) {
      const call = real[index] as (...given: unknown[]) => Promise<unknown>
      const counted = (...given: unknown[]) =>
        calls++ < most ? call(...given) : Promise.reject(new Error('killed'))
      Object.assign(promises, { [name]: counted })
    }
    syncBuiltinESMExports()
    try {
      await createSessionFolders(at).clearOthers(active)
      return true
    } catch {
      return false
    } finally {
      for (const [index, name] of names.entries()) Object.assign(promises, { [name]: real[index] })
      syncBuiltinESMExports()
    }
  }
  let most = 0
  for (let whole = false; !whole; most++) {
    const copy = path.join(folder, `${most}`)
    cpSync(root, copy, { recursive: true })
    whole = await runUntil(copy, most)
    await createSessionFolders(copy).clearOthers(active)
    t.same(filesIn(copy), sorted, `killed before change ${most}`)
  }
  t.ok(most > 15, `${most} points`)
})

t.test('what a program has locked up is removed all the same', async t => {
  const folder = t.testdir({ locked: { a: { b: '' } } })
  const locked = path.join(folder, 'locked')
  // Only those who are not root can be kept out of a folder.
  const nobody = 65_534
  const isRoot = process.geteuid?.() === 0
  if (isRoot)
    for (const name of ['.', 'locked', 'locked/a', 'locked/a/b'])
      chownSync(path.join(folder, name), nobody, nobody)
  chmodSync(path.join(locked, 'a'), 0)
  chmodSync(locked, 0o500)
  if (isRoot) process.seteuid?.(nobody)
  try {
    t.throws(() => rmSync(locked, { recursive: true }), { code: 'EACCES' }, 'it is locked')
    await removeFolder(locked)
    await removeFolder(locked)
  } finally {
    if (isRoot) process.seteuid?.(0)
  }
  t.same(readdirSync(folder), [])
})
