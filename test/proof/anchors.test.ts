// The file of checkpoints: it survives what crashes leave in it, and a start compares the log with its newest checkpoint.

import { appendFileSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import t, { type Test } from 'tap'
import { leafOf } from '../../src/log/leaf.ts'
import { filesOf } from '../../src/platform/files/data-folder.ts'
import { realWorld } from '../../src/platform/world.ts'
import { appendAnchor, newestAnchor } from '../../src/proof/anchors.ts'
import { originOf, signCheckpoint } from '../../src/proof/note/checkpoint.ts'
import { makeSigningKey, readSigningKey, writeSigningKey } from '../../src/proof/note/keys.ts'
import { createProof } from '../../src/proof/proof.ts'
import { proofOf } from '../../src/proof/settings.ts'
import { acceptLog } from '../../src/shard/opening/checked-anchor.ts'
import { numbered, openFile, to } from '../log/support.ts'
import { refusedStart, serveHere, spawnServer } from '../support/server.ts'
import { someLeaves } from './trees.ts'

const origin = originOf('log_1')
const key = makeSigningKey(origin, 'note')
const noteOf = (size: number) => signCheckpoint({ origin, size, root: someLeaves(1)[0] ?? '' }, [key])
const newestIn = (file: string) => {
  const newest = newestAnchor(file, origin, [key.verifier])
  return typeof newest === 'object' ? newest.size : newest
}

t.test('the newest whole checkpoint is found, wherever a crash has cut the file', async t => {
  const file = path.join(t.testdir({}), 'checkpoints')
  t.equal(newestIn(file), undefined)
  await appendAnchor(file, noteOf(10))
  const first = readFileSync(file).length
  await appendAnchor(file, noteOf(20))
  const whole = readFileSync(file)
  t.equal(newestIn(file), 20)
  let wrong = 0
  for (let length = first; length < whole.length; length++) {
    writeFileSync(file, whole.subarray(0, length))
    // The note needs neither the empty line after it nor its own last line end.
    if (newestIn(file) !== (length < whole.length - 2 ? 10 : 20)) wrong++
  }
  t.equal(wrong, 0)
  for (const length of [first + 1, first + 20, whole.length - 30]) {
    writeFileSync(file, whole.subarray(0, length))
    await appendAnchor(file, noteOf(30))
    t.equal(newestIn(file), 30, 'after a note that was cut off')
  }
})

t.test('a checkpoint that another key signed, or of another log, does not count', async t => {
  const file = path.join(t.testdir({}), 'checkpoints')
  await appendAnchor(file, noteOf(10))
  const other = makeSigningKey(origin, 'note')
  await appendAnchor(file, signCheckpoint({ origin, size: 99, root: someLeaves(1)[0] ?? '' }, [other]))
  await appendAnchor(file, noteOf(20).replace('\n20\n', '\n21\n'))
  t.equal(newestIn(file), 10)
  t.equal(newestAnchor(file, origin, [makeSigningKey(origin, 'note').verifier]), 'unreadable')
  t.equal(newestAnchor(file, originOf('log_2'), [key.verifier]), 'unreadable')
  writeFileSync(file, '\n\n')
  t.equal(newestIn(file), undefined)
})

/** A data folder that a server has used, which the test may harm. */
const usedFolder = async (t: Test) => {
  const dataDir = t.testdir({})
  const server = await serveHere(t, { DATA_DIR: dataDir })
  const task = { user_message_content: 'hello', client_id: 'echo', stream: false }
  t.equal((await server.api('POST', '/tasks', task)).status, 200)
  await server.stop()
  return { dataDir, inFolder: (name: string) => path.join(dataDir, name) }
}

/** Changes the time in the header of an event, and its leaf with it, as an attacker would. */
const changeEvent = (file: string, position: number) => {
  const db = new Database(file)
  db.exec('DROP TRIGGER events_are_never_changed')
  const header = db
    .prepare<[number], string>('SELECT header FROM events WHERE position = ?')
    .pluck()
    .get(position)
    ?.replace(/"principal":"[^"]*"/, '"principal":"nobody"')
  db.prepare('UPDATE events SET header = ?, leaf = ? WHERE position = ?').run(
    header,
    leafOf(header ?? ''),
    position,
  )
  db.exec(
    "CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END",
  )
  db.close()
}

t.test('a log with a changed event is refused, with both roots, until somebody accepts it', async t => {
  const { dataDir, inFolder } = await usedFolder(t)
  changeEvent(inFolder('log.db'), 3)
  const before = readFileSync(inFolder('checkpoints'))
  const { code, stderr } = await refusedStart(dataDir)
  t.equal(code, 2)
  t.match(
    stderr,
    /^reprise: .*log\.db is not the log of its newest checkpoint in .*checkpoints: its first \d+ events have the root [\w+/=]{44}, and the checkpoint has [\w+/=]{44}, .*--accept-loss\)\n$/,
  )
  t.ok(readFileSync(inFolder('checkpoints')).equals(before), 'nothing was changed')
  const accepted = await spawnServer(t, dataDir, {}, ['--accept-loss'])
  await accepted.end('SIGKILL')
  await (await serveHere(t, { DATA_DIR: dataDir })).stop() // once is enough
})

t.test('a log whose tree cannot be computed has no root, and the start says so', async t => {
  const dataDir = t.testdir({})
  const files = filesOf(dataDir)
  const log = await openFile(t, files.log)
  await log.append([to('task-a', -1, ...numbered(400))])
  const settings = proofOf({}, dataDir)
  const { clock, timers } = realWorld()
  const report = () => {}
  const proof = createProof({ log, settings, files, anchor: undefined, clock, timers, report })
  await proof.signer.sign().finally(() => proof.stop())
  const accepted = () => acceptLog({ dataDir, files, settings, log, acceptLoss: false, report })
  t.match(await accepted(), { size: 401 })

  const db = new Database(files.log)
  db.exec("DROP TRIGGER events_are_never_changed; UPDATE events SET leaf = 'x' WHERE position = 3")
  db.close()
  await t.rejects(accepted(), { message: /first 401 events have no root \(.+\), and the checkpoint has / })
})

t.test('a log that only its checkpoints know to have been longer is refused', async t => {
  const { dataDir, inFolder } = await usedFolder(t)
  const log = readFileSync(inFolder('log.db'))
  const server = await serveHere(t, { DATA_DIR: dataDir })
  const task = { user_message_content: 'hello', client_id: 'echo', stream: false }
  t.equal((await server.api('POST', '/tasks', task)).status, 200)
  await server.stop()
  writeFileSync(inFolder('log.db'), log)
  rmSync(inFolder('read.db'))
  const { code, stderr } = await refusedStart(dataDir)
  t.equal(code, 2)
  t.match(stderr, /log\.db has \d+ events, and .*checkpoints knows \d+: /)
})

t.test('a server goes on after a cut in the files of its proofs, and makes them whole', async t => {
  const { dataDir, inFolder } = await usedFolder(t)
  truncateSync(inFolder('checkpoints'), readFileSync(inFolder('checkpoints')).length - 40)
  appendFileSync(inFolder('tiles'), 'half a hash')
  writeFileSync(inFolder('audit-key.new'), writeSigningKey(key).slice(0, 30))
  const server = await serveHere(t, { DATA_DIR: dataDir })
  t.equal((await server.api('GET', '/audit/checkpoint')).status, 200)
  t.equal((await server.api('POST', '/audit/rotate-key')).status, 200)
  await server.stop()
  t.notOk(existsSync(inFolder('audit-key.new')))
  t.same(
    server.lines.filter(({ level }) => level === 'error'),
    [],
  )
})

t.test('a change of the key that a crash interrupted is finished, or has not happened', async t => {
  const { dataDir, inFolder } = await usedFolder(t)
  const old = readFileSync(inFolder('audit-key'), 'utf8')
  const server = await serveHere(t, { DATA_DIR: dataDir })
  const { key: next } = (await (await server.api('POST', '/audit/rotate-key')).json()) as { key: string }
  await server.stop()
  const fresh = readFileSync(inFolder('audit-key'), 'utf8')
  t.equal(readSigningKey(fresh.trim()).verifier.text, next)
  // As after a crash between the event and the rename.
  writeFileSync(inFolder('audit-key'), old)
  writeFileSync(inFolder('audit-key.new'), fresh)
  await (await serveHere(t, { DATA_DIR: dataDir })).stop()
  t.equal(readFileSync(inFolder('audit-key'), 'utf8'), fresh)
  // As after a crash before the event.
  writeFileSync(inFolder('audit-key.new'), old)
  await (await serveHere(t, { DATA_DIR: dataDir })).stop()
  t.equal(readFileSync(inFolder('audit-key'), 'utf8'), fresh)
})

t.test('a log whose key is lost gets a new one, and says that the old one did not sign it', async t => {
  const { dataDir, inFolder } = await usedFolder(t)
  rmSync(inFolder('audit-key'))
  const server = await serveHere(t, { DATA_DIR: dataDir })
  const keys = (await (await server.api('GET', '/audit/public-key')).text()).trim().split('\n')
  t.equal(keys.length, 2)
  t.match(server.lines, [{ level: 'warn', message: /a new audit key that its old key did not sign/ }])
})
