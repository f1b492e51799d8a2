// Folders that a caller names stay below their roots, whatever the name.
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { brief, read } from '../support/http.ts'
import { serveHere } from '../support/server.ts'

const outside = mkdtempSync(path.join(tmpdir(), 'outside-'))
const { api, dataDir } = await serveHere(t)
t.teardown(() => rmSync(outside, { recursive: true, force: true }))
const roots = {
  workspace_dir: path.join(dataDir, 'workspace/default'),
  log_dir: path.join(dataDir, 'logs/default'),
  rollout_save_dir: path.join(dataDir, 'rollouts/default'),
}
const create = (more: object) =>
  read(api('POST', '/tasks', { user_message_content: 'x', stream: false, client_id: 'echo', ...more }))

/** Longer than a name in a folder, and longer than a path, can be. */
const tooLong = [
  'n'.repeat(256),
  'ä'.repeat(128),
  Array.from({ length: 400 }, () => 'folder')
    .join('/')
    .repeat(2)
    .slice(0, 4000),
]
const refuse = [
  ...tooLong,
  '..',
  '../x',
  'a/../../x',
  '/',
  '/etc',
  outside,
  './../..',
  'a\u0000b',
  '\u0000',
  '..\u0000',
]
const allow = [
  'a',
  'a/b/c',
  'a/../b',
  './x',
  '.',
  '...',
  '..a',
  'a//b',
  '~',
  '%2e%2e',
  '..\\x',
  'Ünï',
  'a'.repeat(200),
]

for (const [field, root] of Object.entries(roots)) {
  const check = async (t: import('tap').Test) => {
    for (const given of refuse) {
      const { status, body } = await create({ [field]: given })
      t.equal(status, 422, `${JSON.stringify(given)} leads outside`)
      t.same(brief(body.detail), [`body ${field} value_error`])
    }
    for (const given of allow) {
      t.equal((await create({ [field]: given })).status, 200, `${given.slice(0, 20)} stays inside`)
    }
  }
  t.test(`${field} stays below its root before there is one`, check)
  t.test(`${field} stays below its root`, async t => {
    mkdirSync(path.join(root, 'real/deep'), { recursive: true })
    await check(t)
  })

  t.test(`${field} does not follow a link that leads outside`, async t => {
    symlinkSync(outside, path.join(root, 'link'))
    symlinkSync('real', path.join(root, 'inner'))
    symlinkSync('loop', path.join(root, 'loop'))
    for (const given of ['link', 'link/x', 'link/x/y', 'inner/../link/x']) {
      t.equal((await create({ [field]: given })).status, 422, given)
    }
    t.equal((await create({ [field]: 'inner/deep' })).status, 200, 'a link that stays inside is fine')
    t.not((await create({ [field]: 'loop/x' })).status, 500)
  })

  t.test(`${field} does not follow a link to what does not exist yet`, async t => {
    symlinkSync(path.join(outside, 'later'), path.join(root, 'dangling'))
    t.equal((await create({ [field]: 'dangling' })).status, 422)
    t.equal((await create({ [field]: 'dangling/x' })).status, 422)
  })
}

t.test(
  'an absolute path inside of the own folder is allowed, its neighbour of the same beginning is not',
  async t => {
    t.equal((await create({ workspace_dir: path.join(roots.workspace_dir, 'x') })).status, 200)
    t.equal((await create({ workspace_dir: `${roots.workspace_dir}2` })).status, 422)
    t.equal((await create({ workspace_dir: '../default2' })).status, 422)
    t.equal((await create({ workspace_dir: path.join(dataDir, 'workspace') })).status, 422, 'the root of all')
  },
)

t.test('ids that look like paths lead nowhere', async t => {
  const { status } = await create({ session_id: '../../../escaped', user_id: '../../escaped' })
  t.equal(status, 200)
  t.notOk(existsSync(path.join(dataDir, '../escaped')))
})

t.test('a name that no file system takes is no fault of ours', async t => {
  for (const workspace_dir of ['a'.repeat(4096), 'a/'.repeat(2000), `${'a/'.repeat(100)}../`.repeat(10)]) {
    t.match((await create({ workspace_dir })).status, /^(200|422)$/)
  }
})
