// A server that is killed at each step of an erasure finishes it at the next start, before it answers. What it had to leave
// to others is said again.
import path from 'node:path'
import t from 'tap'
import type { KillPoint } from '../../src/contract/tools.ts'
import { verifyLog } from '../../src/maintenance/verify/verify-log.ts'
import { builtEntry, mortalServer } from '../server/kill-points.ts'
import { until } from '../support/http.ts'
import { runReprise } from '../support/server.ts'
import { type Erased, filesWith, makeTask, ok, scripted } from './support.ts'

/** The steps in order. A step with a name ends when the server has done what the name says. */
const steps: [KillPoint, name?: string][] = [
  ['before-intent'],
  ['after-intent'],
  ['during', 'files'],
  ['during', 'left'],
  ['during', 'nats'],
  ['during', 'payloads'],
  ['during', 'read models'],
  ['during', 'readers'],
  ['during', 'traces'],
  ['after-effect'],
  ['after-result'],
]
const writes = (content: string) => ({ tool: 'write_file', arguments: { path: 'notes.txt', content } })

t.test(
  'a server that is killed at each step of an erasure finishes it, and says again what it left',
  async t => {
    const folder = t.testdir()
    const dataDir = path.join(folder, 'data')
    const server = mortalServer(await builtEntry(folder), dataDir)
    t.teardown(() => server.stop())
    const first = await server.api()
    await makeTask(first, {
      user_id: 'anna',
      workspace_dir: 'shared',
      user_message_content: 'x',
      ...scripted(writes('stays')),
    })

    for (const [round, [point, name]] of steps.entries()) {
      const [word, session_id] = [`ROUND-${round}-SECRET`, `s${round}`]
      const api = await server.api()
      const make = (more: object) =>
        makeTask(api, {
          session_id,
          user_id: 'anna',
          user_message_content: word,
          rollout_save_dir: 'saved',
          ...more,
        })
      await make({ workspace_dir: 'shared' })
      await make({ workspace_dir: session_id, ...scripted(writes(word), { message: word }) })
      t.ok(filesWith(dataDir, word).length > 1, 'it is there')

      const before = server.deaths()
      await server.arm({ of: 'erasure', point, nth: 1, ...(name === undefined ? {} : { name }) })
      const where = `/env/session/${session_id}?erase=true&reason=asked`
      await api('DELETE', where).catch(() => undefined)
      await until(() => server.deaths() > before)
      const again = await server.api()
      const said = `killed ${point} ${name ?? ''}`
      if (point !== 'before-intent')
        t.same(filesWith(dataDir, word), [], `${said}: gone before the first request`)
      const { erased, not_erased } = await ok<Erased>(again('DELETE', where))
      t.equal(erased.tasks.length, 2, said)
      t.same(
        not_erased.map(({ what }) => path.basename(what)),
        ['shared', 'backups', 'exports', 'what was sent away'],
        `${said}: the folder that another task needs is named`,
      )
      t.same(filesWith(dataDir, word), [], said)
    }
    await server.stop()
    const given = { ownCheckpoints: path.join(dataDir, 'checkpoints'), checkpoints: [], key: undefined }
    const { erased } = await verifyLog({ log: path.join(dataDir, 'log.db'), ...given }, () => {})
    t.ok(erased > 0)
    const { code, stdout, stderr } = await runReprise(['replay', '--all'], { DATA_DIR: dataDir })
    t.equal(code, 0, stdout + stderr)
  },
)
