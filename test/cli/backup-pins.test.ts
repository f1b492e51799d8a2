// The marker of a running backup, while somebody cleans up its folder.
import { existsSync, rmSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { isPinned, pin } from '../../src/maintenance/backup-pins.ts'
import { until } from '../server/wire.ts'

t.test('a marker that somebody removes while the backup is made comes back', async t => {
  const folder = path.join(t.testdir(), 'backups')
  const release = pin(folder)
  t.ok(await isPinned(folder))
  rmSync(folder, { recursive: true })
  t.notOk(await isPinned(folder))
  await until('the marker is touched again', () => isPinned(folder))
  release()
  t.notOk(existsSync(folder))
})

t.test('a marker that goes while the markers are read does not hide the others', async t => {
  // Such a marker is listed and cannot be found, as a link that leads nowhere.
  const links = Object.fromEntries(['1', '2', '3', '4'].map(name => [name, t.fixture('symlink', 'gone')]))
  const folder = path.join(t.testdir({ backups: links }), 'backups')
  const release = pin(folder)
  t.ok(await isPinned(folder))
  release()
})
