import { readFileSync } from 'node:fs'
import t from 'tap'
import { fileIn, numbered, openFile, to } from './support.ts'

/** What this process has read from files so far, all threads together; undefined where the system does not say. */
const bytesRead = (): number | undefined => {
  try {
    return Number(readFileSync('/proc/self/io', 'utf8').match(/^rchar: (\d+)$/m)?.[1])
  } catch {
    return undefined
  }
}

t.test('opening a log takes no longer when the log is long', async t => {
  const folder = t.testdir({})
  const filler = 'x'.repeat(700)
  const openings = async (name: string, events: number) => {
    const file = fileIn(folder).replace('log.db', name)
    const filling = await openFile(t, file)
    for (let n = 0; n < events; n += 2000) {
      await filling.append(
        numbered(100).map(({ n: s }) =>
          to(`s${s}`, n / 100 - 1, ...numbered(20).map(data => ({ ...data, filler }))),
        ),
      )
    }
    await filling.close()
    const found: { ms: number; read: number | undefined }[] = []
    for (let i = 0; i < 3; i++) {
      const [before, started] = [bytesRead(), performance.now()]
      const log = await openFile(t, file)
      const [ms, after] = [performance.now() - started, bytesRead()]
      t.equal(log.head(), events)
      await log.close()
      found.push({ ms, read: before === undefined || after === undefined ? undefined : after - before })
    }
    return found.sort((a, b) => a.ms - b.ms)[0] ?? { ms: 0, read: 0 }
  }
  const short = await openings('short.db', 2000)
  const long = await openings('long.db', 20_000) // 25 MB
  t.comment(`short: ${JSON.stringify(short)}, long: ${JSON.stringify(long)}`)
  if (short.read === undefined || long.read === undefined) t.pass('', { skip: '/proc/self/io is not there' })
  else t.ok(long.read - short.read < 500_000, `${long.read} bytes read, and ${short.read} for a tenth`)
})
