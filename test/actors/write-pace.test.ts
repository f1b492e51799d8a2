import t from 'tap'
import { createRecorder } from '../../actors/task/step/recorder.ts'
import { createStop } from '../../actors/task/step/step-stop.ts'
import { createStepWriter } from '../../actors/task/step/step-writer.ts'
import { createWritePace } from '../../actors/task/step/write-pace.ts'
import { settle, testWorld } from '../support/world.ts'

t.test('the moments of all steps are the same, and further apart when more steps stream', async t => {
  const world = testWorld()
  const pace = createWritePace(world.clock)
  const start = world.clock.now()
  t.equal(pace.wait(Number.NEGATIVE_INFINITY), 0, 'the first text never waits')
  await world.advance(3)
  t.equal(pace.wait(start), 7, 'a step that wrote 3 ms ago')
  t.equal(pace.wait(start + 2), 7, 'and one that wrote 1 ms ago')
  await world.advance(7)
  t.equal(pace.wait(start), 0, 'a step that has been quiet for so long does not wait')
  for (const [steps, between] of [
    [33, 10],
    [60, 18],
    [166, 50],
    [1000, 50],
  ] as const) {
    const crowd = testWorld()
    const busy = createWritePace(crowd.clock)
    for (let n = 0; n < steps; n++) busy.join()
    const now = crowd.clock.now()
    t.equal(busy.wait(now), between - (now % between), `${steps} steps`)
    for (let n = 0; n < steps; n++) busy.leave()
    t.equal(busy.wait(now), 10, 'all have ended')
  }
})

/** A step that hears a token every 20 ms. `reports` is what it stored, and when. */
const streaming = (world = testWorld(), pace = createWritePace(world.clock)) => {
  const recorder = createRecorder(1, world.ids, { stream: undefined, odd: [] })
  const reports: { at: number; text: string }[] = []
  const stored: (() => void)[] = []
  let isSlow = false
  const start = world.clock.now()
  const writer = createStepWriter(
    recorder,
    createStop(),
    async ({ events }) => {
      const text = events.map(event => (event.type === 'ItemDelta' ? event.data.delta : '')).join('')
      reports.push({ at: world.clock.now() - start, text })
      if (isSlow) await new Promise<void>(resolve => stored.push(resolve))
    },
    { ...world, pace },
  )
  const hear = (text: string) => {
    recorder.hear({ say: 'delta', item: 'message', part: 'output_text', text })
    writer.schedule(recorder.characters(), true)
  }
  const slow = () => {
    isSlow = true
  }
  return { world, reports, stored, writer, hear, slow }
}

t.test('a step that streams alone stores each of its tokens at once', async t => {
  const { world, hear, reports } = streaming()
  for (const text of ['a', 'b', 'c', 'd']) {
    hear(text)
    await world.advance(20)
  }
  t.same(
    reports.map(({ at, text }) => `${at} ${text}`),
    ['0 a', '20 b', '40 c', '60 d'],
  )
})

t.test('while a write is under way, text is collected, and nothing of it is lost', async t => {
  const { world, hear, reports, stored, writer, slow } = streaming()
  slow()
  hear('a')
  await world.advance(1)
  hear('b')
  await world.advance(30)
  hear('c')
  await world.advance(30)
  t.same(
    reports.map(({ text }) => text),
    ['a'],
    'the write before is not done',
  )
  stored.shift()?.()
  await settle()
  t.same(
    reports.map(({ text }) => text),
    ['a', 'bc'],
  )
  writer.end()
})

t.test('a step that has ended is no longer counted, however often it ends', async t => {
  const world = testWorld()
  const pace = createWritePace(world.clock)
  const steps = Array.from({ length: 200 }, () => streaming(world, pace))
  for (const { hear } of steps) hear('a')
  await world.advance(1)
  t.equal(pace.wait(world.clock.now()), 50 - (world.clock.now() % 50))
  for (const { writer } of steps) {
    writer.end()
    writer.end()
  }
  t.equal(pace.wait(world.clock.now()), 10 - (world.clock.now() % 10))
})
