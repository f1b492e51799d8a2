// How ids become the names of folders, and where stored paths lead.
import { hash } from 'node:crypto'
import t from 'tap'
import { segment, workspaceOf } from '../../src/access/user-folders.ts'

const base64url = (text: string) => Buffer.from(text).toString('base64url')

t.test('no two ids have the same folder, however they look like the folders of others', async t => {
  const seeds = [
    'a',
    'alice',
    '..',
    '.',
    '/',
    'a/b',
    '\\',
    '=',
    '~',
    '=x',
    'é',
    '💥',
    ' ',
    'x'.repeat(256),
    'é'.repeat(200),
  ]
  const ids = new Set(seeds)
  // Whatever one id becomes is an id as well, and so is what that becomes.
  for (let round = 0; round < 4; round++) {
    for (const id of [...ids]) {
      for (const next of [
        segment(id),
        base64url(id),
        `=${id}`,
        `~${id}`,
        `~${hash('sha256', id, 'base64url')}`,
      ]) {
        if (next.length <= 256) ids.add(next)
      }
    }
  }
  const folders = new Map<string, string>()
  for (const id of ids) {
    const folder = segment(id)
    if (!/^[=~]?[A-Za-z0-9_-]{0,240}$/.test(folder))
      t.fail(`${folder} is no name that every file system takes`)
    if (folders.has(folder)) t.fail(`${id} and ${folders.get(folder)} are both ${folder}`)
    folders.set(folder, id)
  }
  t.ok(folders.size > 1_000, `${folders.size} ids`)
})

t.test('the folder that a stored task works in is in the folder of its user', async t => {
  const at = (workdir: string, user_id = 'bob') =>
    workspaceOf('/data/workspace', { user_id, session_id: 's 1', workdir }).workdir
  t.equal(at('/data/workspace/bob/s'), '/data/workspace/bob/s', 'as it is')
  t.equal(at('/data/workspace/bob'), '/data/workspace/bob')
  t.equal(at('/elsewhere/workspace/bob/s/t'), '/data/workspace/bob/s/t', 'stored under another root')
  t.equal(at('/data/workspace/old/=YS9i/proj', 'a/b'), '/data/workspace/=YS9i/proj', 'a root in this one')
  t.equal(at('/data/workspace/alice/s'), '/data/workspace/bob/=cyAx', 'never in the folder of another user')
  t.equal(at('/data/workspace/bobby'), '/data/workspace/bob/=cyAx')
  t.equal(at('/data/workspace'), '/data/workspace/bob/=cyAx', 'the root of all')
  t.equal(at('/'), '/data/workspace/bob/=cyAx')
})
