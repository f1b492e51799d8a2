// A disk without room while something is erased: nothing is said to be erased that is not, and the erasure ends when
// there is room. The disk is a small tmpfs, which only root may mount.
import path from 'node:path'
import t from 'tap'
import { openLogReadOnly } from '../../src/log/read-only.ts'
import { runReprise, spawnServer } from '../support/server.ts'
import { fill, free, noMount, smallDisk } from '../support/small-disk.ts'
import { type Erased, filesWith, makeTask, nothingIn, ok, secret } from './support.ts'

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
  fill(disk)
  for (let n = 0; n < 3; n++) {
    const refused = await api('DELETE', `/tasks/${id}?${wish}`)
    t.equal(refused.status, 503)
    t.match(refused.headers.get('retry-after'), /^\d+$/)
    t.match(await refused.json(), { code: -32603, message: /try again|sent again/ })
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
