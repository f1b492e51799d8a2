// The long variant of test/log/crash-safety.test.ts: ROUNDS kills with checkpoints on the way, and copies of a
// stopped process cut at thousands of places. node test/soak/log-crash.ts
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { appender, copyCut, heldBy } from '../log/crash.ts'
import { all, fileIn, oneToN, openFile, sameText, to } from '../log/support.ts'
import { randomOf } from '../support/world.ts'

t.setTimeout(0)
const rounds = Number(process.env.ROUNDS ?? 40)
const scratch = () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'reprise-crash-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

t.test(
  'killed again and again, while checkpoints run, a log loses nothing it acknowledged',
  { timeout: 0 },
  async t => {
    const file = fileIn(scratch())
    const random = randomOf(Number(process.env.SEED ?? 11))
    let last = 0
    for (let round = 0; round < rounds; round++) {
      const run = appender(t, file, 1 + Math.floor(random() * 200))
      const enough = Math.floor(random() * 100_000)
      await run.until(output => output.length > enough)
      await run.kill()
      const acknowledged = run.acknowledged()
      const log = await openFile(t, file)
      sameText(
        t,
        acknowledged,
        oneToN(acknowledged.length).map(n => last + n),
        'acknowledged in order',
      )
      t.ok(
        (acknowledged.at(-1) ?? 0) <= log.head(),
        `round ${round}: ${acknowledged.at(-1)} of ${log.head()}`,
      )
      last = log.head()
      await log.close()
    }
    const log = await openFile(t, file)
    const positions = (await all(log)).map(({ position }) => position)
    sameText(t, positions, oneToN(last), 'no hole')
  },
)

t.test('cut at every byte after an acknowledgement, the log opens and holds it', { timeout: 0 }, async t => {
  const folder = scratch()
  const file = fileIn(folder)
  const log = await openFile(t, file)
  const lengths: number[] = []
  for (let n = 0; n < 12; n++) {
    await log.append([to(`s${n % 3}`, Math.floor(n / 3) - 1, { n, text: 'x'.repeat(n * 100) })])
    lengths.push(statSync(`${file}-wal`).size)
  }
  const cut = mkdtempSync(path.join(folder, 'cut-'))
  const [from = 0, end = 0] = [lengths[10], lengths.at(-1)]
  const wrong: string[] = []
  for (let length = from; length <= end; length++) {
    const held = heldBy(copyCut(file, cut, length))
    const promised = lengths.filter(at => at <= length).length
    if (held !== promised) wrong.push(`cut at ${length}: ${held} events, ${promised} acknowledged`)
  }
  t.same(wrong, [], `${end - from + 1} cuts`)
})
