// A disk without room while something is erased: nothing is said to be erased that is not, and the erasure ends when
// there is room. The disk is a small tmpfs, which only root may mount.
import { statSync, truncateSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { openLogReadOnly } from '../../src/log/read-only.ts'
import { runReprise, spawnServer } from '../support/server.ts'
import { fillAtRest, free, noMount, smallDisk } from '../support/small-disk.ts'
import { type Erased, filesWith, makeTask, nothingIn, ok, scripted, secret } from './support.ts'

/** The types of the events about erasures, in order. */
const told = async (dataDir: string): Promise<string[]> => {
  const log = openLogReadOnly(path.join(dataDir, 'log.db'))
  const types: string[] = []
  for await (const page of log.readStream('erasures')) types.push(...page.map(({ header }) => header.type))
  await log.close()
  return types
}
const wish = 'erase=true&reason=asked'

t.test('a full disk refuses an erasure, and with room it is carried out', async t => {
  const disk = smallDisk(t, 32)
  if (disk === undefined) return void t.pass(noMount, { skip: noMount })
  const { api, url } = await spawnServer(t, disk)
  const { id } = await makeTask(api, { user_message_content: `${secret} ${'x'.repeat(3000)}` })
  const other = await makeTask(api, { user_message_content: 'kept' })
  await fillAtRest(disk)
  for (let n = 0; n < 3; n++) {
    const refused = await api('DELETE', `/tasks/${id}?${wish}`)
    t.equal(refused.status, 503)
    t.match(refused.headers.get('retry-after'), /^\d+$/)
    t.match(await refused.json(), { code: -32603, data: { hint: /^Try again|again to see whether/ } })
    t.notOk((await told(disk)).includes('ErasureFinished'))
    t.ok(filesWith(disk, secret).length > 0, 'it is still there')
  }
  t.equal((await api('GET', `/tasks/${other.id}`)).status, 200)
  free(disk)
  for (let n = 0; n < 100 && (await api('DELETE', `/tasks/${id}?${wish}`)).status !== 200; n++) {}
  const { erased } = await ok<Erased>(api('DELETE', `/tasks/${id}?${wish}`))
  t.same(erased.tasks, [id])
  nothingIn(t, disk, secret, 'no file')
  t.match(await (await fetch(`${url}/metrics`)).text(), /reprise_erasures_pending 0/)
  t.same(await told(disk), ['PayloadsErased', 'ErasureFinished'])
  const verified = await runReprise(['verify'], { DATA_DIR: disk })
  t.equal(verified.code, 0, verified.stdout + verified.stderr)
})

t.test('a disk that is full between the log and the read models, also after a kill', async t => {
  const disk = smallDisk(t, 64)
  if (disk === undefined) return void t.pass(noMount, { skip: noMount })
  const env = { WORKSPACE_ROOT: t.testdir() }
  const maker = await spawnServer(t, disk, env)
  const shared = { user_id: 'anna', workspace_dir: 'shared' }
  const writes = scripted({ tool: 'write_file', arguments: { path: 'a', content: 'a' } })
  await makeTask(maker.api, { ...shared, ...writes, user_message_content: 'x' })
  const { id } = await makeTask(maker.api, {
    ...shared,
    user_message_content: `${secret} ${'x'.repeat(3000)}`,
  })
  const readModels = path.join(disk, 'read.db')
  const answers = scripted({ message: 'x'.repeat(150_000) })
  for (let n = 0; n < 30; n++) await makeTask(maker.api, { user_message_content: 'x', ...answers })
  await maker.end('SIGTERM') // empties the write-ahead logs, so that an erasure frees no room
  t.ok(statSync(readModels).size > 3_000_000)
  const server = await spawnServer(t, disk, env)
  const { api } = server
  await fillAtRest(disk)
  const ballast = path.join(disk, 'ballast')
  truncateSync(ballast, statSync(ballast).size - 1_000_000) // room for the log, and none for a copy of the read models

  const refused = await api('DELETE', `/tasks/${id}?${wish}`)
  t.equal(refused.status, 503)
  t.match(await refused.json(), { data: { hint: /^Try again|again to see whether/ } })
  t.same(await told(disk), ['PayloadsErased', 'ErasureLeft'], 'nobody says that it is finished')
  t.notMatch(filesWith(disk, secret), ['./log.db'], 'its payload is destroyed')
  t.equal((await api('GET', `/tasks/${id}`)).status, 404)

  await server.end('SIGKILL')
  truncateSync(ballast, statSync(ballast).size - 500_000) // a start needs some room for its own files
  const again = await spawnServer(t, disk, env)
  t.equal((await again.api('GET', `/tasks/${id}`)).status, 404, 'after a start without room, too')
  t.same(await told(disk), ['PayloadsErased', 'ErasureLeft'])
  t.match(await (await fetch(`${again.url}/metrics`)).text(), /reprise_erasures_pending 1/)
  free(disk)
  const { erased, not_erased } = await ok<Erased>(again.api('DELETE', `/tasks/${id}?${wish}`))
  t.same(erased.tasks, [id])
  t.match(not_erased[0]?.what, /shared$/, 'what was left before the kill is still named')
  t.same(await told(disk), ['PayloadsErased', 'ErasureLeft', 'ErasureFinished'])
  nothingIn(t, disk, secret, 'no file')
})
