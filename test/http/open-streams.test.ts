// Heartbeats of open streams.
import t from 'tap'
import { createOpenStreams } from '../../src/http/open-streams.ts'
import { until } from '../support/http.ts'

t.test('of twenty streams, two get a heartbeat at each tick, and each stream one in ten ticks', async t => {
  const principals = { current: () => ({}) as never }
  const open = createOpenStreams({ principals, tickets: { sit: () => () => {} } }, 2)
  t.teardown(open.stop)
  let tick = 0
  const beats: { tick: number; stream: number }[] = []
  for (let stream = 0; stream < 20; stream++) {
    open.add({ principal: { id: 'p' }, headers: {}, query: {} } as never, {
      isFull() {
        if (stream === 0) tick++ // the first stream is asked first
        return false
      },
      beat: () => void beats.push({ tick, stream }),
      cut: () => t.fail('no stream is cut'),
    })
  }
  await until(() => tick > 20)
  const whole = beats.filter(beat => beat.tick <= 20)
  for (let at = 1; at <= 20; at++) t.equal(whole.filter(beat => beat.tick === at).length, 2, `tick ${at}`)
  for (let stream = 0; stream < 20; stream++)
    t.equal(whole.filter(beat => beat.stream === stream).length, 2, `stream ${stream}`)
})
