// The folders of environment sessions: each in the folder of its user, and gone when it should be.
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { createSessionFolders, folderOfSession } from '../../src/env-sessions/folders.ts'
import { removeFolder } from '../../src/platform/files/remove-folder.ts'

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
const ended = [
  { session_id: 's2', user_id: 'alice' },
  { session_id: 's1', user_id: 'bob' },
  { session_id: 's1', user_id: 'carol' },
]

t.test('a start keeps the folders of active sessions, and removes all others', async t => {
  const root = t.testdir({ 'no-folder': '' })
  for (const session of [...active, ...ended]) {
    const own = folderOfSession(root, session)
    mkdirSync(path.join(own, 'files'), { recursive: true })
    mkdirSync(path.join(own, 'states'))
    writeFileSync(path.join(own, 'files/a'), `files of ${session.session_id}`)
    writeFileSync(path.join(own, 'states/1.json'), `state of ${session.session_id}`)
  }
  const ofActive = {
    '=Li4/=YS9i/files/a': 'files of a/b',
    '=Li4/=YS9i/states/1.json': 'state of a/b',
    'alice/files/files/a': 'files of files',
    'alice/files/states/1.json': 'state of files',
    'alice/s1/files/a': 'files of s1',
    'alice/s1/states/1.json': 'state of s1',
    'bob/bob/files/a': 'files of bob',
    'bob/bob/states/1.json': 'state of bob',
    's1/alice/files/a': 'files of alice',
    's1/alice/states/1.json': 'state of alice',
  }
  const folders = createSessionFolders(root)
  await folders.clearOthers(active)
  t.same(filesIn(root), ofActive)
  t.same(readdirSync(root).sort(), ['=Li4', 'alice', 'bob', 's1'])
  await folders.clear({ session_id: 'files', user_id: 'alice' })
  await folders.clear({ session_id: 'never', user_id: 'alice' })
  await folders.clearOthers(active.slice(0, 1))
  t.same(Object.keys(filesIn(root)), ['alice/s1/files/a', 'alice/s1/states/1.json'])
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
