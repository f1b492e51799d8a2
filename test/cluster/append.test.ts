// How a record that got no answer is sent again. The answers are those of servers whose leader has changed.
import tap from 'tap'
import { createAppender } from '../../src/cluster/nats/append.ts'
import { Unknown } from '../../src/cluster/shared-log.ts'
import { realWorld } from '../../src/platform/world.ts'

const bytes = Buffer.from('a record')
const noAnswer = Object.assign(new Error('no answer'), { name: 'TimeoutError' })
const refused = { error: { err_code: 10071, description: 'wrong last sequence: 8' } }

/** An appender whose first try gets no answer, and whose later ones are refused. */
const doubted = (recordAt: () => Uint8Array | undefined) => {
  let tries = 0
  const request = async () => {
    if (tries++ === 0) throw noAnswer
    return { json: () => refused }
  }
  return createAppender({
    ...{ name: 'LOG', subject: 'log', appendMs: 15_000, timers: realWorld().timers },
    link: { connected: async () => ({ request }) as never, leave() {}, async close() {} },
    recordAt: async () => recordAt(),
    stopping: new AbortController().signal,
  })
}
const alive = setInterval(() => {}, 1000)
tap.teardown(() => clearInterval(alive))

tap.test('a record that the leader has, and shows only a moment later, is stored', async t => {
  let looks = 0
  await doubted(() => (++looks > 5 ? bytes : undefined))(7, bytes)
  t.ok(looks > 5)
})

tap.test(
  'a record that is refused and never seen is unknown, since the servers have lost records',
  async t => {
    const begun = performance.now()
    const error = await doubted(() => undefined)(7, bytes).catch(reason => reason)
    t.ok(error instanceof Unknown)
    t.match(error.message, 'LOG has lost records before 8')
    t.ok(performance.now() - begun < 10_000)
  },
)

tap.test('a record in whose place another one stands is surely not stored', async t => {
  await t.rejects(doubted(() => Buffer.from('another one'))(7, bytes), { message: /does not end at 7/ })
})
