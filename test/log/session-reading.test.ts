// The events of one session, found by an index: all of them, in order, and nothing of other sessions is read.
import t from 'tap'
import type { Recorded, StreamAppend } from '../../src/contract/stored.ts'
import { memoryStore } from '../../src/log/memory-store.ts'
import { all, numbered, onBothStores, openOn, pagesOf, to } from './support.ts'

const ofSession = (session_id: string, append: StreamAppend): StreamAppend => ({ ...append, session_id })
const positions = (events: Recorded[]) => events.map(({ position }) => position)

onBothStores('its events come in the order of the log, after any position', async (t, { log, reopened }) => {
  for (let turn = 0; turn < 6; turn++)
    await log.append(
      ['a', 'b', 'c', 'd'].map((stream, n) =>
        ofSession(n % 2 === 0 ? 'even' : 'odd', to(stream, turn * 300 - 1, ...numbered(300))),
      ),
    )
  await log.append([ofSession('', to('none', -1, { n: 0 }))])
  for (const begin of [async () => log, reopened]) {
    const here = await begin()
    const whole = await all(here)
    for (const session of ['even', 'odd', 'nobody', '']) {
      const own = whole.filter(({ header }) => header.session_id === session)
      for (const after of [0, 1, 2000, log.head()]) {
        const pages = await pagesOf(here.readSession(session, after))
        t.ok(pages.every(({ length }) => length > 0 && length <= 1000))
        t.strictSame(
          pages.flat(),
          own.filter(({ position }) => position > after),
          `${session} after ${after}`,
        )
      }
    }
  }
})

t.test('only its own events are read, however many other sessions there are', async t => {
  for (const others of [10, 1000]) {
    const store = memoryStore()
    let read = 0
    const log = await openOn(t, {
      ...store,
      page(after, limit) {
        const rows = store.page(after, limit)
        read += rows.length
        return rows
      },
    })
    const appends = Array.from({ length: others }, (_, n) =>
      ofSession(`s${n}`, to(`stream-${n}`, -1, ...numbered(3))),
    )
    await log.append(appends)
    await log.append([ofSession('s7', to('late', -1, ...numbered(2)))])
    read = 0
    t.same(positions((await pagesOf(log.readSession('s7'))).flat()), [
      22,
      23,
      24,
      3 * others + 1,
      3 * others + 2,
    ])
    t.equal(read, 5, `beside ${others} others`)
  }
})
