// The files of a user are in the user's own folder, and nobody else's task comes near them.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { apiAs, brief, until } from '../support/http.ts'
import { serveHere } from '../support/server.ts'
import { type AgentTask, resultsOf, tasksOf } from './agent-tasks.ts'

const { api, url, dataDir } = await serveHere(t)
const tokenOf = async (body: object) =>
  ((await (await api('POST', '/auth/tokens', body)).json()) as { token: string }).token
const as = async (user_id: string) => tasksOf(apiAs(url, await tokenOf({ role: 'user', user_id })))
const [admin, alice, bob] = [tasksOf(api), await as('alice'), await as('bob')]
const workspace = (...names: string[]) => path.join(dataDir, 'workspace', ...names)
const write = (at: string, content: string) => ({ tool: 'write_file', arguments: { path: at, content } })
const readIt = (at: string) => ({ tool: 'read_file', arguments: { path: at } })
const list = { tool: 'list_files', arguments: {} }
const search = { tool: 'search_files', arguments: { pattern: '.' } }
const told = (task: AgentTask) => resultsOf(task).map(({ message_content }) => message_content)

t.test('the root of a workspace is the own folder: what another user has is not below it', async t => {
  await alice.play([write('secret.txt', 'hers')], { session_id: 's1' })
  t.equal(readFileSync(workspace('alice/s1/secret.txt'), 'utf8'), 'hers')
  for (const who of [bob, admin]) {
    const task = await who.play(
      [list, readIt('alice/s1/secret.txt'), search, write('alice/s1/secret.txt', 'his')],
      {
        workspace_dir: '.',
      },
    )
    t.notMatch(JSON.stringify(told(task)), /hers|secret\.txt:/)
  }
  t.equal(readFileSync(workspace('alice/s1/secret.txt'), 'utf8'), 'hers')
  t.equal(readFileSync(workspace('bob/alice/s1/secret.txt'), 'utf8'), 'his')
  t.equal(readFileSync(workspace('default/alice/s1/secret.txt'), 'utf8'), 'his')
  const [found] = told(await alice.play([readIt('s1/secret.txt')], { workspace_dir: '.' }))
  t.equal(found, 'hers', 'the own folder can be shared by sessions of one user')
})

t.test('a path into the folder of another user is refused, for each of the three fields', async t => {
  for (const [field, root] of [
    ['workspace_dir', 'workspace'],
    ['rollout_save_dir', 'rollouts'],
    ['log_dir', 'logs'],
  ] as const) {
    for (const given of [
      '../alice',
      '../alice/s1',
      path.join(dataDir, root),
      path.join(dataDir, root, 'alice'),
    ]) {
      const { status, body } = await bob.post({ client_id: 'echo', [field]: given })
      t.equal(status, 422, given)
      t.same(brief(body.detail), [`body ${field} value_error`])
    }
    const own = path.join(dataDir, root, 'bob/x')
    t.equal((await bob.post({ client_id: 'echo', [field]: own })).status, 200, 'the own folder may be named')
  }
})

t.test('a task belongs to the user that its token names, else to the one that its body names', async t => {
  await admin.play([write('a.txt', 'for her')], { user_id: 'alice', workspace_dir: 'from-admin' })
  t.equal(readFileSync(workspace('alice/from-admin/a.txt'), 'utf8'), 'for her')
  await admin.play([write('a.txt', 'for nobody')], { workspace_dir: 'from-admin' })
  t.equal(readFileSync(workspace('default/from-admin/a.txt'), 'utf8'), 'for nobody')
  t.equal((await bob.post({ client_id: 'echo', user_id: 'alice', workspace_dir: '.' })).status, 403)
})

t.test('a subagent works in the folder of its caller', async t => {
  const steps = [write('from-child.txt', 'x'), readIt('../../alice/s1/secret.txt')]
  const child = { subagent: 'script', input: JSON.stringify(steps) }
  const task = await bob.play([child, { message: '$result' }], { workspace_dir: 'ours' })
  t.equal(readFileSync(workspace('bob/ours/from-child.txt'), 'utf8'), 'x')
  t.notMatch(JSON.stringify(task), 'hers')
})

t.test(
  'users with the same session, and users with strange names, each have a folder of their own',
  async t => {
    const digest = readdirSync(workspace()).length
    t.ok(digest > 0)
    const names = [
      '..',
      '.',
      '/',
      'a/b',
      '=x',
      '=YS9i',
      '~x',
      'x'.repeat(256),
      'Alice',
      'ALICE',
      'alice ',
      'é',
      'alice/s1',
      '-',
    ]
    for (const name of names) {
      const who = await as(name)
      await who.play([write('mine.txt', name)], { session_id: 'same' })
      const [seen, mine] = told(await who.play([list, readIt('same/mine.txt')], { workspace_dir: '.' }))
      t.same([seen, mine], ['same/', name], name)
    }
    t.equal(new Set(readdirSync(workspace())).size, readdirSync(workspace()).length)
    t.notOk(existsSync(path.join(dataDir, 'mine.txt')))
    t.same(readdirSync(workspace('alice')).sort(), ['from-admin', 's1'])
  },
)

t.test('a workspace that became a link to the files of another user is not used', async t => {
  const swaps: Record<string, () => void> = {
    'the workspace itself': () => symlinkSync('../alice', workspace('bob/w')),
    'a folder above it': () => symlinkSync('../alice', workspace('bob/up')),
  }
  for (const [what, swap] of Object.entries(swaps)) {
    for (const step of [
      list,
      search,
      readIt('s1/secret.txt'),
      readIt('secret.txt'),
      write('s1/secret.txt', 'his'),
      write('new/x', 'his'),
    ]) {
      rmSync(workspace('bob/w'), { recursive: true, force: true })
      rmSync(workspace('bob/up'), { recursive: true, force: true })
      const dir = what === 'the workspace itself' ? 'w' : 'up/s1'
      // Asked for while nothing is there; the link is made before the tool comes to it.
      const { body } = await bob.post({
        workspace_dir: dir,
        background: true,
        agent_config: { agent_id: 'script', script: [{ sleep_ms: 150 }, step] },
      })
      swap()
      const task = await bob.becomes(body.result.id, 'completed', 'failed')
      t.same(told(task), ['The workspace leads outside of the folder of its user'], `${what}: ${step.tool}`)
    }
  }
  t.equal(readFileSync(workspace('alice/s1/secret.txt'), 'utf8'), 'hers')
  t.same(readdirSync(workspace('alice')).sort(), ['from-admin', 's1'])
})

t.test('rollouts are saved below the own folder, also when a link has come there meanwhile', async t => {
  const rollouts = (...names: string[]) => path.join(dataDir, 'rollouts', ...names)
  const mine = await alice.play([{ message: 'hers' }], { rollout_save_dir: 'kept' })
  const file = rollouts('alice/kept', `${mine.id}.jsonl`)
  await until(() => existsSync(file))
  mkdirSync(rollouts('bob'), { recursive: true })
  const { body } = await bob.post({
    rollout_save_dir: 'kept',
    background: true,
    agent_config: { agent_id: 'script', script: [{ sleep_ms: 150 }, { message: 'his' }] },
  })
  symlinkSync('../alice/kept', rollouts('bob/kept'))
  await bob.becomes(body.result.id, 'completed')
  const later = await bob.play([{ message: 'later' }], { rollout_save_dir: 'other' })
  await until(() => existsSync(rollouts('bob/other', `${later.id}.jsonl`)))
  t.same(readdirSync(rollouts('alice/kept')), [`${mine.id}.jsonl`])
})

t.test('files that cannot be saved keep no others from being saved', async t => {
  const first = await bob.play([{ message: 'a' }], { rollout_save_dir: 'plain' })
  const file = path.join(dataDir, 'rollouts/bob/plain', `${first.id}.jsonl`)
  await until(() => existsSync(file))
  const blocked = `plain/${first.id}.jsonl` // a file is no folder
  await Promise.all(
    Array.from({ length: 110 }, () => bob.post({ client_id: 'echo', rollout_save_dir: blocked })),
  )
  const hers = await alice.play([{ message: 'a' }], { rollout_save_dir: 'after' })
  const after = path.join(dataDir, 'rollouts/alice/after', `${hers.id}.jsonl`)
  await until(() => existsSync(after))
  t.match(readFileSync(after, 'utf8'), hers.id)
})
