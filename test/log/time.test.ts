import { testWorld } from '../support/world.ts'
import { all, onBothStores, to } from './support.ts'

onBothStores('an event bears the time of its append, in ISO with milliseconds', async (t, { log, world }) => {
  await log.append([to('a', -1, {}, {})])
  await world.advance(1234)
  await log.append([to('a', 1, {})])
  t.same(
    (await all(log)).map(({ header }) => header.time),
    ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:01.234Z'],
  )
})

onBothStores(
  'times never go back, whatever the clock does, over restarts too',
  async (t, { log, reopened }) => {
    const clocks = [
      testWorld(2, Date.parse('2026-06-01T00:00:00.000Z')),
      testWorld(3, Date.parse('2020-01-01T00:00:00.000Z')),
      testWorld(4, Date.parse('2026-06-01T00:00:00.001Z')),
    ]
    await log.append([to('a', -1, {})])
    let current = await reopened(clocks[0])
    await current.append([to('a', 0, {})])
    await current.close()
    current = await reopened(clocks[1])
    await current.append([to('a', 1, {})])
    await current.append([to('b', -1, {})])
    await current.close()
    current = await reopened(clocks[2])
    await current.append([to('b', 0, {})])
    t.same(
      (await all(current)).map(({ header }) => header.time),
      [
        '2026-01-01T00:00:00.000Z',
        '2026-06-01T00:00:00.000Z',
        '2026-06-01T00:00:00.000Z',
        '2026-06-01T00:00:00.000Z',
        '2026-06-01T00:00:00.001Z',
      ],
    )
  },
)

onBothStores('a clock that jumps back and forth gives times in order', async (t, { log, world }) => {
  const jumps = [0, 500, -3000, 100, 9000, -1, 8999, 9001]
  const start = world.clock.now()
  for (const [n, jump] of jumps.entries()) {
    world.clock.now = () => start + jump
    await log.append([to(`s${n}`, -1, {})])
  }
  const millis = (await all(log)).map(({ header }) => Date.parse(header.time) - start)
  t.same(millis, [0, 500, 500, 500, 9000, 9000, 9000, 9001])
})
