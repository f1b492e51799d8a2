// The values of `env` over restarts: where they are, how long, and what happens when they are gone.

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import t from 'tap'
import { refusedStart, serveHere, spawnServer } from '../support/server.ts'
import { getTask, play, saidBy, untilStatus } from './wire.ts'

const value = 'a-value-that-nobody-else-has'
const env = { API_KEY: value }
const holding = (dataDir: string) =>
  readdirSync(dataDir, { withFileTypes: true })
    .filter(entry => entry.isFile() && readFileSync(path.join(dataDir, entry.name)).includes(value))
    .map(({ name }) => name)
const secretsIn = (dataDir: string) => new Database(path.join(dataDir, 'secrets.db'))
const keptIn = (dataDir: string) => {
  const db = secretsIn(dataDir)
  const count = db.prepare('SELECT count(*) FROM secrets').pluck().get()
  db.close()
  return count
}

t.test('a value is in secrets.db alone, outlives a kill, and is gone without a trace at the end', async t => {
  const dataDir = t.testdir()
  const server = await spawnServer(t, dataDir)
  const { id } = await play(server.api, [{ sleep_ms: 3000 }, { message: 'done' }], { env })
  const { id: canceled } = await play(server.api, [{ sleep_ms: 60_000 }], { env })
  t.same(holding(dataDir), ['secrets.db'])
  t.equal(keptIn(dataDir), 2)
  await server.end('SIGKILL')

  const next = await spawnServer(t, dataDir)
  t.equal(keptIn(dataDir), 2)
  await untilStatus(next.api, id, 'completed')
  t.equal((await next.api('POST', `/tasks/${canceled}/cancel`, {})).status, 200)
  t.equal(keptIn(dataDir), 0)
  t.same(holding(dataDir), [], 'the bytes are gone from the file')
  await next.end('SIGTERM')
  t.same(holding(dataDir), [])
})

t.test('what no unfinished task names is swept at the start', async t => {
  const dataDir = t.testdir()
  const server = await serveHere(t, { DATA_DIR: dataDir, DRAIN_SECONDS: '0' })
  const { id } = await play(server.api, [{ sleep_ms: 60_000 }], { env: { KEPT: 'kept' } })
  await server.stop()
  const db = secretsIn(dataDir)
  const kept = db.prepare('SELECT ref FROM secrets').pluck().get()
  db.prepare('INSERT INTO secrets (ref, body) VALUES (?, ?)').run('sec_orphan', JSON.stringify({ env }))
  db.close()

  const next = await serveHere(t, { DATA_DIR: dataDir, DRAIN_SECONDS: '0' })
  t.same(holding(dataDir), [])
  const left = secretsIn(dataDir)
  t.same(left.prepare('SELECT ref FROM secrets').pluck().all(), [kept])
  left.close()
  t.equal((await getTask(next.api, id)).status, 'working')
})

t.test('after a restore of the log alone, a task that needs its values pauses and says why', async t => {
  const dataDir = t.testdir()
  const server = await serveHere(t, { DATA_DIR: dataDir, DRAIN_SECONDS: '0' })
  const working = await play(server.api, [{ sleep_ms: 60_000 }], { env, session_id: 's' })
  const queued = await play(server.api, [{ message: 'hi' }], { env, session_id: 's' })
  const plain = await play(server.api, [{ sleep_ms: 300 }, { message: 'needs nothing' }])
  await server.stop()
  for (const file of readdirSync(dataDir))
    if (file !== 'log.db') rmSync(path.join(dataDir, file), { recursive: true })

  const next = await serveHere(t, { DATA_DIR: dataDir, DRAIN_SECONDS: '0' })
  t.ok(existsSync(path.join(dataDir, 'secrets.db')))
  for (const { id } of [working, queued]) {
    const { metadata } = await untilStatus(next.api, id, 'paused')
    t.equal(metadata?.reason, 'secret_missing')
    t.same((await next.api('POST', `/tasks/${id}/resume`, {})).status, 200)
    await untilStatus(next.api, id, 'paused')
  }
  t.same(saidBy(await untilStatus(next.api, plain.id, 'completed')), ['needs nothing'])
})

t.test('a secrets.db that is not as it was written is one line, without what it holds', async t => {
  const dataDir = t.testdir()
  const server = await serveHere(t, { DATA_DIR: dataDir, DRAIN_SECONDS: '0' })
  await play(server.api, [{ sleep_ms: 60_000 }], { env })
  await server.stop()
  const file = path.join(dataDir, 'secrets.db')
  const whole = readFileSync(file)
  const damages: ((bytes: Buffer) => void)[] = [
    bytes => bytes.write('!', bytes.indexOf(`"${value}"`)),
    bytes => bytes.fill(7, 4096, 4300),
  ]
  for (const damage of damages) {
    const bytes = Buffer.from(whole)
    damage(bytes)
    writeFileSync(file, bytes)
    const { code, stdout, stderr } = await refusedStart(dataDir)
    t.match({ code, stdout }, { code: 2, stdout: '' })
    t.match(
      stderr,
      /^reprise: .*secrets\.db cannot be used: it is damaged: .+; move it away, .*tasks that need .+ are paused, .+\n$/,
    )
    t.notMatch(stderr, value.slice(0, 6))
  }
})
