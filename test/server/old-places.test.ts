// What tasks of earlier versions left below roots that all users shared is found again, and reaches nobody else.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t, { type Test } from 'tap'
import { foldersOf } from '../../src/access/user-folders.ts'
import type { CreateTaskBody } from '../../src/contract/wire.ts'
import { readTaskRequest } from '../../src/tasks/request.ts'
import { resultsOf, script, tasksOf } from '../http/agent-tasks.ts'
import { until } from '../support/http.ts'
import { serveHere } from '../support/server.ts'

type AgentConfig = NonNullable<CreateTaskBody['agent_config']>
type Old = { user: string; workspace_dir: string; steps?: object[]; task_id?: string }
const principal = { id: 'admin', role: 'admin', userId: undefined, expiresAt: undefined } as const
const done = [{ message: 'done' }]

/** A folder that an earlier version left: its tasks have their workspaces where that version put them. */
const givenOld = async (
  t: Test,
  tasks: Old[],
  rollouts: { user: string; folder: string; id: string }[] = [],
) => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'reprise-old-'))
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }))
  const at = (...names: string[]) => path.join(dataDir, 'workspace', ...names)
  const server = await serveHere(t, { DATA_DIR: dataDir })
  const roots = {
    workspace: at(),
    rollouts: path.join(dataDir, 'rollouts'),
    logs: path.join(dataDir, 'logs'),
  }
  const agents = { names: ['script'], fallback: 'script' }
  const create = async (user: string, workdir: string, more: Partial<CreateTaskBody>) => {
    const body: CreateTaskBody = { user_message_content: 'x', stream: false, user_id: user, ...more }
    const request = await readTaskRequest(body, undefined, foldersOf(roots, user), agents, async () => [])
    const wish = { principal, body, envelopeId: 'req', idempotencyKey: undefined, isRetry: false }
    return server.system.tasks.commands.create({ ...wish, request: { ...request, workdir: () => workdir } })
  }
  for (const { user, workspace_dir, steps = done, task_id } of tasks) {
    const agent_config = script(...steps) as AgentConfig
    await create(user, path.resolve(at(), workspace_dir), { agent_config, ...(task_id ? { task_id } : {}) })
  }
  for (const { user, folder, id } of rollouts) {
    await create(user, at(user), {
      agent_config: script(...done) as AgentConfig,
      task_id: id,
      rollout_save_dir: folder,
    })
  }
  await until(() => server.running() === 0)
  const files = (name: string) => path.join(roots.rollouts, name)
  const saved = rollouts.map(({ user, folder, id }) => files(path.join(user, folder, `${id}.jsonl`)))
  await until(() => saved.every(file => existsSync(file)))
  const texts = saved.map(file => readFileSync(file))
  rmSync(roots.rollouts, { recursive: true, force: true })
  for (const [index, { folder, id }] of rollouts.entries()) {
    mkdirSync(files(folder), { recursive: true })
    writeFileSync(path.join(roots.rollouts, folder, `${id}.jsonl`), texts[index] ?? '')
  }
  await server.stop()
  rmSync(path.join(dataDir, 'files-by-user.json'))
  rmSync(at(), { recursive: true, force: true })
  const put = (name: string, content = name) => {
    mkdirSync(path.dirname(at(name)), { recursive: true })
    writeFileSync(at(name), content)
  }
  const warnings = (lines: { level: string; message: string }[]) =>
    lines.filter(({ level }) => level === 'warn')
  return { dataDir, at, put, files, start: () => serveHere(t, { DATA_DIR: dataDir }), warnings }
}
const filesIn = (given: string) => {
  const folder = realpathSync(given)
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => !entry.isDirectory())
    .filter(({ parentPath }) => realpathSync(parentPath) === parentPath) // Node 24 follows links, Node 20 does not
    .map(entry => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort()
}

t.test('what one user alone used is moved into the own folder, once', async t => {
  const { at, put, start, warnings } = await givenOld(t, [
    { user: 'alice', workspace_dir: 'proj' },
    { user: 'alice', workspace_dir: 'proj/deep/er' },
    { user: 'a/b', workspace_dir: 'other/one' },
    { user: 'bob', workspace_dir: 'other/two' },
    { user: 'bob', workspace_dir: 'never-made' },
    { user: 'bob', workspace_dir: 'bob/s1' },
  ])
  for (const name of ['proj/a', 'proj/deep/er/b', 'other/one/c', 'other/two/d', 'bob/s1/e', 'nobodys/f'])
    put(name)
  const server = await start()
  const moved = [
    '=YS9i/other/one/c',
    'alice/proj/a',
    'alice/proj/deep/er/b',
    'bob/other/two/d',
    'bob/s1/e',
    'nobodys/f',
  ]
  t.same(filesIn(at()), moved)
  t.same(warnings(server.lines), [])
  await server.stop()
  put('proj/new')
  const again = await start()
  t.same(filesIn(at()), [...moved, 'proj/new'], 'the second start looks for nothing')
  await again.stop()
})

t.test('what several users may have used stays where it is, and one line says so', async t => {
  const { at, put, start, warnings, dataDir } = await givenOld(t, [
    { user: 'alice', workspace_dir: 'shared' },
    { user: 'bob', workspace_dir: 'shared' },
    { user: 'alice', workspace_dir: 'above' },
    { user: 'bob', workspace_dir: 'above/below' },
    { user: 'bob', workspace_dir: 'alice/s1' },
    { user: 'alice', workspace_dir: 'bob' },
    { user: 'alice', workspace_dir: '.' },
    { user: 'alice', workspace_dir: 'link' },
    { user: 'alice', workspace_dir: 'taken' },
    { user: 'alice', workspace_dir: 'fine' },
  ])
  const stays = [
    'above/a',
    'above/below/b',
    'alice/s1/c',
    'alice/taken/d',
    'bob/x/e',
    'in-the-root',
    'shared/f',
    'taken/g',
  ]
  for (const name of [...stays, 'fine/h']) put(name)
  symlinkSync('bob', at('link'))
  const server = await start()
  t.same(filesIn(at()), [...stays, 'alice/fine/h', 'link'].sort())
  const [warning, ...others] = warnings(server.lines)
  t.same(others, [])
  t.match(warning?.message, /^\d+ folders or files of earlier versions were left where they are/)
  const { left } = JSON.parse(readFileSync(path.join(dataDir, 'files-by-user.json'), 'utf8'))
  const named = (left as { folder: string }[]).map(({ folder }) => path.relative(at(), folder)).sort()
  t.same(named, ['above', 'above/below', 'alice/s1', 'bob', 'in-the-root', 'link', 'shared', 'taken'])
})

t.test('saved rollouts go to the user of their task, whoever else saved in the same folder', async t => {
  const { files, start, dataDir } = await givenOld(
    t,
    [],
    [
      { user: 'alice', folder: 'runs', id: 'task_1' },
      { user: 'bob', folder: 'runs', id: 'task_2' },
      { user: 'bob', folder: 'alice', id: 'task_3' },
      { user: 'alice', folder: '.', id: 'task_4' },
      { user: 'alice', folder: 'alice', id: 'task_5' },
    ],
  )
  const before = [
    'alice/task_3.jsonl',
    'alice/task_5.jsonl',
    'runs/task_1.jsonl',
    'runs/task_2.jsonl',
    'task_4.jsonl',
  ]
  t.same(filesIn(files('.')), before)
  const server = await start()
  t.same(filesIn(files('.')), [
    'alice/alice/task_5.jsonl',
    'alice/runs/task_1.jsonl',
    'alice/task_4.jsonl',
    'bob/alice/task_3.jsonl',
    'bob/runs/task_2.jsonl',
  ])
  t.match(readFileSync(files('bob/alice/task_3.jsonl'), 'utf8'), '"task_id":"task_3"')
  t.notOk(existsSync(files('runs')), 'nothing empty is left')
  await server.stop()
  rmSync(path.join(dataDir, 'files-by-user.json'))
  const again = await start()
  t.equal(filesIn(files('.')).length, 5, 'a second look changes nothing')
  await again.stop()
})

t.test(
  'an old task that goes on works in the folder of its user, wherever it was stored to work',
  async t => {
    const waits = [
      { pause: 'until the new version' },
      { tool: 'list_files', arguments: {} },
      { tool: 'read_file', arguments: { path: 'secret.txt' } },
      { tool: 'write_file', arguments: { path: 'mine.txt', content: 'bob was here' } },
    ]
    const { at, put, start } = await givenOld(t, [
      { user: 'alice', workspace_dir: 'alice/s1' },
      { user: 'bob', workspace_dir: 'alice/s1', steps: waits, task_id: 'hostile' },
      { user: 'bob', workspace_dir: '.', steps: waits, task_id: 'root' },
      { user: 'bob', workspace_dir: 'proj', steps: waits, task_id: 'moved' },
    ])
    put('alice/s1/secret.txt', 'hers')
    put('proj/secret.txt', 'his own')
    const { api } = await start()
    const { becomes, act, frames } = tasksOf(api)
    for (const [id, found] of [
      ['hostile', ['(the folder is empty)', 'secret.txt does not exist']],
      ['root', [/./, 'secret.txt does not exist']],
      ['moved', ['secret.txt', 'his own']],
    ] as const) {
      const before = await frames(id)
      await becomes(id, 'paused')
      await act(id, 'resume')
      const task = await becomes(id, 'completed')
      t.match(
        resultsOf(task).map(({ message_content }) => message_content),
        [...found, /^Wrote/],
        id,
      )
      t.same((await frames(id)).slice(0, before.length), before, 'what was told is told again as it was')
    }
    t.same(filesIn(at()), [
      'alice/s1/secret.txt',
      'bob/alice/s1/mine.txt',
      'bob/mine.txt',
      'bob/proj/mine.txt',
      'bob/proj/secret.txt',
    ])
  },
)
