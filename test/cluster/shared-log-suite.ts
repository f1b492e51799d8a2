// What every shared log does. Each kind of log runs this suite in a test file of its own.
import t, { type Test } from 'tap'
import { Fenced, type SharedLog, type SharedRecord } from '../../src/cluster/shared-log.ts'

/** The number of tests in the suite, each of which makes a log. */
export const sentences = 11

/** Opens a client of one log, as a node does. The suite closes it. */
export type OpenClient = () => Promise<SharedLog>
/** Makes the servers of a new, empty log. */
export type MakeLog = (t: Test) => Promise<OpenClient>

const bytesOf = (text: string) => new TextEncoder().encode(text)
const textsOf = (records: readonly SharedRecord[]) =>
  records.map(({ sequence, bytes }) => `${sequence}:${new TextDecoder().decode(bytes)}`)

/** The error with which a promise rejects. */
const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    error => error,
  )

/** Appends texts behind the end, one after another. */
const fill = async (log: SharedLog, ...texts: string[]): Promise<void> => {
  let end = await log.tail()
  for (const text of texts) await log.append(end++, bytesOf(text))
}

/** Follows a log. `upTo` resolves with all records when that many have been handed over. */
const followed = (log: SharedLog, after: number) => {
  const all: SharedRecord[] = []
  let look = () => {}
  const following = log.follow(
    after,
    records => {
      all.push(...records)
      look()
    },
    error => {
      throw error
    },
  )
  const upTo = (count: number) =>
    new Promise<string[]>(resolve => {
      look = () => {
        if (all.length >= count) resolve(textsOf(all))
      }
      look()
    })
  return { all, upTo, stop: following.stop }
}

export const sharedLogSuite = (kind: string, makeLog: MakeLog): void => {
  const sentence = (text: string, test: (t: Test, log: SharedLog, other: SharedLog) => Promise<void>) =>
    t.test(`${kind}: ${text}`, async t => {
      const open = await makeLog(t)
      const [log, other] = await Promise.all([open(), open()])
      t.teardown(() => Promise.all([log.close(), other.close()]))
      await test(t, log, other)
    })

  sentence('an empty log ends at 0, and its first record has the sequence 1', async (t, log, other) => {
    t.equal(await log.tail(), 0)
    t.same(await log.read(0, 10), [])
    await log.append(0, bytesOf('first'))
    t.equal(await other.tail(), 1)
    t.same(textsOf(await other.read(0, 10)), ['1:first'])
  })

  sentence('records are read as they were appended, from the empty to the longest', async (t, log, other) => {
    const every = Uint8Array.from({ length: 256 }, (_, byte) => byte)
    const longest = new Uint8Array(log.maxBytes).map((_, n) => n % 251)
    const given = [new Uint8Array(0), every, longest, bytesOf('after the longest')]
    for (const [n, bytes] of given.entries()) await log.append(n, bytes)
    const got: SharedRecord[] = []
    while (got.length < given.length) got.push(...(await other.read(got.length, 10)))
    t.same(
      got.map(({ sequence }) => sequence),
      [1, 2, 3, 4],
    )
    for (const [n, bytes] of given.entries()) t.ok(Buffer.from(got[n]?.bytes ?? []).equals(bytes))
    t.ok((await failure(log.append(4, new Uint8Array(log.maxBytes + 1)))) instanceof RangeError)
    t.equal(await log.tail(), 4)
  })

  sentence('reading begins behind any record, and ends at the limit', async (t, log) => {
    await fill(log, 'a', 'b', 'c', 'd')
    t.same(textsOf(await log.read(1, 2)), ['2:b', '3:c'])
    t.same(textsOf(await log.read(3, 2)), ['4:d'])
    t.same(await log.read(4, 2), [])
    t.same(await log.read(9, 2), [])
  })

  sentence('a record that does not stand behind the last one is fenced, and not stored', async (t, log) => {
    t.ok((await failure(log.append(1, bytesOf('ahead')))) instanceof Fenced)
    await fill(log, 'a', 'b')
    for (const expected of [0, 1, 3, 100])
      t.ok((await failure(log.append(expected, bytesOf('x')))) instanceof Fenced)
    t.same(textsOf(await log.read(0, 10)), ['1:a', '2:b'])
    await log.append(2, bytesOf('c'))
    t.equal(await log.tail(), 3)
  })

  sentence('appends that are called ahead are stored in order', async (t, log) => {
    const texts = Array.from({ length: 50 }, (_, n) => `${n}`)
    await Promise.all(texts.map((text, n) => log.append(n, bytesOf(text))))
    t.same(
      textsOf(await log.read(0, 100)),
      texts.map((text, n) => `${n + 1}:${text}`),
    )
  })

  sentence('behind a fenced record, no record that was called ahead is stored', async (t, log, other) => {
    await fill(other, 'taken')
    // Without care, the second would be stored behind the record that took the place of the first.
    const ahead = await Promise.allSettled([0, 1, 2].map(expected => log.append(expected, bytesOf('lost'))))
    for (const result of ahead) {
      t.equal(result.status, 'rejected')
      t.ok(result.status === 'rejected' && result.reason instanceof Fenced)
    }
    t.same(textsOf(await other.read(0, 10)), ['1:taken'])
    await log.append(1, bytesOf('then'))
    t.same(textsOf(await other.read(0, 10)), ['1:taken', '2:then'])
  })

  sentence('of two records for one place, one is stored and the other is fenced', async (t, log, other) => {
    const won: string[] = []
    for (let n = 0; n < 50; n++) {
      const results = await Promise.allSettled([
        log.append(n, bytesOf('log')),
        other.append(n, bytesOf('other')),
      ])
      t.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
      for (const result of results) if (result.status === 'rejected') t.ok(result.reason instanceof Fenced)
      won.push(`${n + 1}:${results[0]?.status === 'fulfilled' ? 'log' : 'other'}`)
    }
    t.same(textsOf(await log.read(0, 100)), won)
  })

  sentence(
    'a follower gets the records that are there and then new ones, once each',
    async (t, log, other) => {
      await fill(log, 'a', 'b')
      const follower = followed(other, 0)
      t.same(await follower.upTo(2), ['1:a', '2:b'])
      await fill(log, 'c', 'd')
      t.same(await follower.upTo(4), ['1:a', '2:b', '3:c', '4:d'])
      const later = followed(other, 3)
      t.same(await later.upTo(1), ['4:d'])
      await fill(log, 'e')
      t.same(await later.upTo(2), ['4:d', '5:e'])
      t.same(await follower.upTo(5), ['1:a', '2:b', '3:c', '4:d', '5:e'])
      await Promise.all([follower.stop(), later.stop()])
    },
  )

  sentence(
    'a follower gets no further records before it has handled the last ones',
    async (t, log, other) => {
      await fill(log, 'a')
      let underWay = 0
      let most = 0
      let handled = 0
      const proceed: (() => void)[] = []
      const first = new Promise<void>(resolve => {
        const following = other.follow(
          0,
          async records => {
            most = Math.max(most, ++underWay)
            if (handled === 0) {
              resolve()
              await new Promise<void>(go => proceed.push(go))
            }
            handled += records.length
            underWay--
          },
          error => t.fail(String(error)),
        )
        t.teardown(() => following.stop())
      })
      await first
      await fill(log, 'b', 'c')
      t.equal(handled, 0)
      proceed[0]?.()
      const rest = followed(other, 0)
      await rest.upTo(3)
      while (handled < 3) await new Promise(resolve => setImmediate(resolve))
      t.equal(most, 1)
      await rest.stop()
    },
  )

  sentence('a follower ends with the error of its handler, and can be stopped', async (t, log, other) => {
    await fill(log, 'a')
    let calls = 0
    let stop = async () => {}
    const error = await new Promise(resolve => {
      stop = other.follow(
        0,
        async () => {
          calls++
          throw new Error('the disk is full')
        },
        resolve,
      ).stop
    })
    t.match(error, { message: 'the disk is full' })
    await stop()
    await fill(log, 'b')
    const follower = followed(other, 0)
    await follower.upTo(2)
    await follower.stop()
    t.equal(calls, 1)
  })

  sentence('when a follower has stopped, it gets nothing more', async (t, log, other) => {
    await fill(log, 'a')
    const stopped = followed(other, 0)
    await stopped.upTo(1)
    await stopped.stop()
    await fill(log, 'b')
    const follower = followed(other, 0)
    await follower.upTo(2)
    t.same(textsOf(stopped.all), ['1:a'])
    await follower.stop()
  })
}
