// A server that is killed in the middle of an erasure finishes it at the next start, before it answers.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { openLogReadOnly } from '../../src/log/read-only.ts'
import { pause } from '../support/http.ts'
import { launch, runReprise } from '../support/server.ts'
import { type Erased, filesWith, makeTask, ok } from './support.ts'

/** Whether the log has stored an erasure that it has not finished. */
const isPending = async (dataDir: string): Promise<boolean> => {
  const log = openLogReadOnly(path.join(dataDir, 'log.db'))
  const last = await log.lastOf('erasures')
  await log.close()
  return last?.header.type === 'PayloadsErased'
}

t.test('killed at different moments', async t => {
  const folder = mkdtempSync(path.join(tmpdir(), 'reprise-erase-kill-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const dataDir = path.join(folder, 'data')
  const env = { DATA_DIR: dataDir, ADMIN_TOKEN: 'test-admin-token' }
  let server = await launch(dataDir)
  t.teardown(() => server.end('SIGKILL'))
  let pending = 0
  for (const [round, ms] of [5, 12, 20, 30].entries()) {
    const word = `ROUND-${round}-SECRET`
    const body = {
      session_id: `s${round}`,
      user_id: 'anna',
      user_message_content: `${word} ${'x'.repeat(5000)}`,
    }
    for (let n = 0; n < 5; n++) await makeTask(server.api, body)
    const asked = server.api('DELETE', `/env/session/s${round}?erase=true&reason=x`).catch(() => undefined)
    const until = performance.now() + 2000
    while (!(await isPending(dataDir)) && performance.now() < until && round > 0) await pause(1)
    await pause(ms)
    await server.end('SIGKILL')
    await asked
    if (await isPending(dataDir)) pending++
    const wasStored = round > 0
    server = await launch(dataDir)
    if (wasStored) t.same(filesWith(dataDir, word), [], `${word}: gone before the first request`)
    const { erased } = await ok<Erased>(server.api('DELETE', `/env/session/s${round}?erase=true&reason=x`))
    t.equal(erased.tasks.length, 5)
    t.same(filesWith(dataDir, word), [], word)
  }
  t.comment(`${pending} erasures were unfinished when the server was killed`)
  for (const command of [['verify'], ['replay', '--all']]) {
    const { code, stdout, stderr } = await runReprise(command, env)
    t.equal(code, 0, stdout + stderr)
  }
})
