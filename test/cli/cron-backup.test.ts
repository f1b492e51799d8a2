// Cron jobs in a backup: restored elsewhere they go on, what passed meanwhile is missed as each job says, and secret
// values stay behind.
import path from 'node:path'
import t from 'tap'
import { sqliteStore } from '../../src/log/file/sqlite-store.ts'
import { givenJob, settableWorld } from '../cron/jobs.ts'
import { ask, until } from '../server/wire.ts'
import { runReprise, spawnServer } from '../support/server.ts'
import { givenSystem } from '../support/system.ts'

type Run = {
  status: string
  scheduled_at: string
  skipped_reason?: string
  skipped_count?: number
  reason?: string
}
const minute = 60_000

t.test('restored after ten minutes, each job does what its rule says, and goes on', async t => {
  const root = t.testdir({ data: {} })
  const [dataDir, other] = [path.join(root, 'data'), path.join(root, 'other')]
  const world = settableWorld(new Date(Date.now() - 10.5 * minute).toISOString())
  const store = sqliteStore(path.join(dataDir, 'log.db'), () => 'log_of_the_test')
  const system = await givenSystem({ world, store })
  // Three times have passed; the next one is in a minute and a half.
  const times = { every_seconds: 180 }
  const skips = await givenJob(system, times)
  const runsOnce = await givenJob(system, { ...times, missed: 'run_once' })
  const hidden = await givenJob(system, {
    ...times,
    missed: 'run_once',
    task: { user_message_content: 'go', client_id: 'echo', stream: false, env: { KEY: 'hush' } },
  })
  const paused = await givenJob(system, { ...times, enabled: false })
  await system.close()

  const file = path.join(root, 'backup.db')
  t.match(await runReprise(['backup', file], { DATA_DIR: dataDir }), { code: 0 })
  t.match(await runReprise(['restore', file], { DATA_DIR: other }), { code: 0 })
  const { api } = await spawnServer(t, other)
  const runsOf = async (id: string) => (await ask<{ data: Run[] }>(api, 'GET', `/cron/jobs/${id}/runs`)).data
  const rested = (id: string) =>
    until(`the missed times of ${id} are stored`, async () => {
      const runs = await runsOf(id)
      return (
        runs.some(({ status }) => status === 'skipped') && runs.every(({ status }) => status !== 'running')
      )
    })
  for (const id of [skips, runsOnce, hidden]) await rested(id)
  t.match(await runsOf(skips), [{ status: 'skipped', skipped_reason: 'missed' }])
  const [ran, missed] = await runsOf(runsOnce)
  t.match([ran?.status, missed?.status], ['completed', 'skipped'])
  t.equal((missed?.skipped_count ?? 1) + 1, (await runsOf(skips))[0]?.skipped_count, 'all but the newest')
  t.match((await runsOf(hidden))[0], { status: 'failed', reason: 'secret_missing' })
  t.same(await runsOf(paused), [])

  const { next_run_at } = await ask<{ next_run_at: string }>(api, 'GET', `/cron/jobs/${skips}`)
  t.ok(Date.parse(next_run_at) > Date.now(), 'its next time is a coming one')
  await ask(api, 'PATCH', `/cron/jobs/${skips}`, { every_seconds: 1 })
  await until('a restored job runs', async () =>
    (await runsOf(skips)).some(({ status }) => status === 'completed'),
  )
})
