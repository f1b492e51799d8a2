// The marker of a running backup, while somebody cleans up its folder.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, rmSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { isPinned, pin } from '../../src/maintenance/backup/backup-pins.ts'
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

t.test('a backup has its marker, also when another backup removes the folder as it begins', async t => {
  const folder = path.join(t.testdir(), 'backups')
  const file = path.join(folder, `${process.pid}`)
  const module = path.resolve('src/maintenance/backup/backup-pins.ts')
  const backups = `
    import { pin } from ${JSON.stringify(module)}
    console.log('begun')
    for (;;) pin(${JSON.stringify(folder)})()`
  const args = ['--input-type=module', '--eval', backups]
  const other = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => other.kill('SIGKILL'))
  await once(other.stdout, 'data')
  let lacking = 0
  for (let n = 0; n < 5000; n++) {
    const release = pin(folder)
    if (!existsSync(file)) lacking++
    release()
  }
  t.equal(lacking, 0)
})
