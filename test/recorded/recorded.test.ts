// A recorded log is served as the build that wrote it served it, to the byte: its frames, public events, rollouts, task
// objects, session records, audit lines and hashes. docs/changing.md says how recordings are made.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { compareAll } from '../../src/cli/log/compared.ts'
import { decode } from '../../src/log/decode.ts'
import { sqliteReader } from '../../src/log/file/sqlite-reader.ts'
import { openLogReadOnly } from '../../src/log/read-only.ts'
import { checkLog } from '../../src/maintenance/verify/check-log.ts'
import { serveHere } from '../support/server.ts'
import { ask } from './ask.ts'
import { foundIn, wanted } from './coverage.ts'
import { type Answer, type Question, readRecording, recordingNames } from './files.ts'
import { foldsOf } from './folds.ts'
import { allRows, loadLog } from './load.ts'

const recordings = recordingNames().map(readRecording)
const atOnce = 8
const howTo =
  'add a scene for it to test/recorded/scenes, and make the recording anew as docs/changing.md says'

t.test('every event, field, move and state of the contract has been recorded', async t => {
  const found = new Set(recordings.flatMap(({ rows }) => [...foundIn(rows.map(row => decode(row)))]))
  const missing = wanted().filter(line => !found.has(line))
  t.same(missing, [], `no recording holds these: ${howTo}`)
})

const nameOf = ({ method, path: where, as = 'the admin', accept = '' }: Question): string =>
  [as, method ?? 'GET', where, accept].join(' ').trim()

for (const { name, rows, answers, folds, tokens } of recordings) {
  t.test(`${name}: every fold gives what it gave`, async t => {
    const now = foldsOf(rows)
    t.equal(now.length, folds.length)
    for (const [n, fold] of folds.entries()) {
      if (JSON.stringify(now[n]) !== JSON.stringify(fold))
        t.same(now[n], fold, `${fold.kind} of ${fold.stream}`)
    }
  })

  t.test(`${name}: the log is read, served and told as it was`, async t => {
    const dataDir = mkdtempSync(path.join(tmpdir(), 'reprise-recorded-'))
    t.teardown(() => rmSync(dataDir, { recursive: true, force: true }))
    t.same(await loadLog(dataDir, rows), rows, 'written by the store, each row is what it was, leaf included')

    const server = await serveHere(t, { DATA_DIR: dataDir, ENV_SESSION_IDLE_SECONDS: '3153600000' })
    const wrong: string[] = []
    const check = async (answer: Answer) => {
      const now = await ask(server.url, answer.ask, tokens)
      if (JSON.stringify(now) === JSON.stringify(answer)) return
      wrong.push(nameOf(answer.ask))
      if (wrong.length <= 5) t.same(now, answer, nameOf(answer.ask))
    }
    for (let n = 0; n < answers.length; n += atOnce) {
      await Promise.all(answers.slice(n, n + atOnce).map(check))
    }
    t.same(wrong, [], `${answers.length} questions are answered as they were`)
    await server.stop()

    const reader = sqliteReader(path.join(dataDir, 'log.db'))
    t.same(allRows(reader).slice(0, rows.length), rows, 'what was recorded stands as it stood')
    await reader.close()

    const problems: object[] = []
    const log = openLogReadOnly(path.join(dataDir, 'log.db'))
    const file = path.join(dataDir, 'read.db')
    await checkLog(
      log,
      damage => problems.push(damage),
      () => {},
    )
    const compared = await compareAll({ log, file, onDifference: row => problems.push(row) }, () => {})
    t.ok(Number(compared) >= rows.length, 'the read models know the whole log')
    t.same(problems, [], 'every event fits, and every row of the read models is what the log gives')
    await log.close()
  })
}
