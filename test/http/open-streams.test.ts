// Heartbeats of open streams.
import t from 'tap'
import { createOpenStreams } from '../../src/http/stream/open-streams.ts'
import { until } from '../support/http.ts'

t.test(
  'each stream gets a heartbeat in one of ten ticks, and no turn of the loop sends many of them',
  async t => {
    const principals = { current: () => ({}) as never }
    const open = createOpenStreams({ principals, tickets: { sit: () => () => {} } }, 40)
    t.teardown(open.stop)
    let isNewTurn = true
    /** The heartbeats of each turn of the event loop that sent any. */
    const turns: number[] = []
    const streams = Array.from({ length: 200 }, () => ({ ticks: 0, beats: 0 }))
    for (const stream of streams)
      open.add({ principal: { id: 'p' }, headers: {}, query: {} } as never, {
        isFull() {
          stream.ticks++
          return false
        },
        beat() {
          if (isNewTurn) {
            isNewTurn = false
            setImmediate(() => {
              isNewTurn = true
            })
            turns.push(0)
          }
          turns.push((turns.pop() ?? 0) + 1)
          stream.beats++
        },
        cut: () => t.fail('no stream is cut'),
      })
    await until(() => streams.every(({ ticks }) => ticks >= 20))
    open.stop()
    for (const { ticks, beats } of streams) {
      if (beats === Math.floor(ticks / 10) || beats === Math.ceil(ticks / 10)) continue
      t.fail(`${beats} heartbeats in ${ticks} ticks`)
    }
    // A busy machine may be late with some turns, and then send more.
    const usual = turns.sort((a, b) => a - b)[Math.floor(turns.length / 2)] ?? 0
    t.ok(usual < 10, `${usual} of the 20 heartbeats of a tick in a usual turn`)
  },
)
