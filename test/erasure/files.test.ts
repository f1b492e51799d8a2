// The files of erased tasks are removed when nothing writes them any more.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { taskFileOf } from '../../src/access/user-folders.ts'
import type { Recorded } from '../../src/contract/stored.ts'
import { createErasedFiles } from '../../src/erasure/files.ts'
import { temporaryName } from '../../src/tools/put-file.ts'

/** Removes the files of one task. `saved`: when nothing writes them any more. */
const removalIn = (root: string, saved: Promise<void>) => {
  const roots = { workspace: path.join(root, 'workspace'), rollouts: root, logs: root }
  const task = { task_id: 'one', user_id: 'ann', session_id: 's' }
  const workdir = path.join(roots.workspace, 'ann', 's')
  const data = { ...task, workdir, request: { rollout_save_dir: 'saved' } }
  const header = { stream: 'task-one', type: 'TaskCreated', revision: 0 }
  const created = { position: 1, header, data } as unknown as Recorded
  const files = createErasedFiles({
    log: { firstOf: async () => created, readStream: async function* () {} },
    rows: { async *ofUser() {} } as never,
    roots,
    folders: { clear: async () => {}, dirOf: () => root },
    secrets: { forget: () => {} },
    saved: { atRest: () => saved },
  })
  return { file: taskFileOf(root, { ...task, folder: 'saved' }), removed: files.remove(['task-one']) }
}
const put = (file: string) => {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, 'what the task said')
}

t.test('a file that is being written is removed after it was written', async t => {
  let written = () => {}
  const writing = new Promise<void>(resolve => {
    written = resolve
  })
  const { file, removed } = removalIn(t.testdir(), writing)
  await new Promise(resolve => setTimeout(resolve, 50)) // enough to remove a file that is not there yet
  put(file)
  written()
  t.same(await removed, [])
  t.notOk(existsSync(file))
})

t.test('what a crash has left of a file that was being written is removed, too', async t => {
  const root = t.testdir()
  const left = path.join(
    path.dirname(taskFileOf(root, { task_id: 'one', user_id: 'ann', folder: 'saved' })),
    temporaryName('one'),
  )
  put(left)
  t.same(await removalIn(root, Promise.resolve()).removed, [])
  t.notOk(existsSync(left))
  t.notOk(existsSync(path.dirname(left)), 'nor the folder that is empty now')
})
