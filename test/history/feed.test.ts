// Following a task: past first, then live, without a gap or a repeat, whoever is slow and whenever they came.
import t from 'tap'
import { nextFrame } from '../../src/bus/feed.ts'
import type { Agent } from '../../src/contract/agent.ts'
import type { Frame } from '../../src/history/frames.ts'
import { yieldToLoop } from '../../src/platform/loop.ts'
import { admin, givenSystem, quiet, type TestSystem } from '../support/system.ts'
import { randomOf, settle } from '../support/world.ts'
import { framesOf } from './told.ts'

const streamOf = (taskId: string) => `task-${taskId}`
/** Everything a feed gives until it ends; `pause` is waited for between two batches. */
const follow = async (
  system: TestSystem,
  taskId: string,
  { after = -1, endsAtWait = false, pause = async () => {} } = {},
): Promise<Frame[]> => {
  const seen: Frame[] = []
  const feed = system.streams.open({ stream: streamOf(taskId), after, endsAtWait })
  for await (const frames of feed.frames()) {
    seen.push(...frames)
    await pause()
  }
  return seen
}
const lines = (frames: Frame[]) => frames.map(frame => JSON.stringify(frame))
const script = [
  { reasoning: 'hm' },
  { message: 'one two three four five six', delta_ms: 60 },
  { sleep_ms: 100 },
  { message: 'done' },
]

t.test('a feed that opens at any moment gives the same bytes', async t => {
  const system = await givenSystem()
  const taskId = await system.play(script)
  const following: Promise<Frame[]>[] = []
  for (let n = 0; n < 60; n++) {
    following.push(follow(system, taskId))
    await system.world.advance(10)
  }
  await system.world.advance(1000)
  const whole = lines(await framesOf(system, taskId))
  for (const [n, seen] of (await Promise.all(following)).entries())
    t.same(lines(seen), whole, `opened at ${n}`)
  t.match(whole.at(-1), /task\.completed/)
})

t.test('readers of any speed, at any moment of a busy log, see every frame once', async t => {
  for (let seed = 1; seed <= 8; seed++) {
    const random = randomOf(seed)
    const chatty: Agent = {
      name: 'chatty',
      async *step({ agentStep }) {
        for (let n = 0; n < 30; n++) {
          yield {
            say: 'delta',
            item: 'message',
            part: 'output_text',
            text: 'x'.repeat(random() < 0.5 ? 2100 : 5),
          }
          if (random() < 0.5) await settle(1)
        }
        return { end: agentStep < 6 ? 'continue' : 'answer' }
      },
    }
    const system = await givenSystem({ agents: [chatty] })
    const taskId = await system.create({ client_id: 'chatty' })
    const others = await system.create({ client_id: 'chatty' })
    const following = Array.from({ length: 6 }, async () => {
      await settle(Math.floor(random() * 60))
      return follow(system, taskId, { pause: () => settle(Math.floor(random() * 12)) })
    })
    await system.world.advance(200)
    await quiet(system)
    const whole = lines(await framesOf(system, taskId))
    for (const seen of await Promise.all(following)) t.same(lines(seen), whole, `SEED=${seed}`)
    t.equal(system.get(others).status, 'completed')
    await system.close()
  }
})

t.test('a reader that was handed too much is sent back to the log and misses nothing', async t => {
  const agent: Agent = {
    name: 'flood',
    async *step({ agentStep }) {
      yield { say: 'item', item: 'message', part: 'output_text', texts: ['x'] }
      return { end: agentStep < 100 ? 'continue' : 'answer' }
    },
  }
  const system = await givenSystem({ agents: [agent] })
  const taskId = await system.create({ client_id: 'flood' })
  let first = true
  const seen = await follow(system, taskId, {
    pause: async () => {
      if (!first) return
      first = false
      await quiet(system) // 200 events go by, 64 are kept
    },
  })
  t.same(lines(seen), lines(await framesOf(system, taskId)))
})

t.test('it resumes after any frame with exactly the rest', async t => {
  const system = await givenSystem()
  const taskId = await system.play(script)
  await system.world.advance(5000)
  const whole = lines(await framesOf(system, taskId))
  for (let after = -1; after < whole.length; after++) {
    t.same(lines(await follow(system, taskId, { after })), whole.slice(after + 1), `after ${after}`)
  }
})

t.test('it resumes after any frame while the task goes on', async t => {
  const system = await givenSystem()
  const taskId = await system.play(script)
  await system.world.advance(200)
  const sofar = (await framesOf(system, taskId)).length
  const following = Array.from({ length: sofar }, (_, after) => follow(system, taskId, { after }))
  await system.world.advance(5000)
  const whole = lines(await framesOf(system, taskId))
  for (const [after, seen] of (await Promise.all(following)).entries()) {
    t.same(lines(seen), whole.slice(after + 1), `after ${after}`)
  }
})

t.test(
  'a stream that ends at a wait ends there; one that does not goes on to the end of the task',
  async t => {
    const system = await givenSystem()
    const taskId = await system.play([
      { message: 'a' },
      { pause: 'tea' },
      { message: 'b' },
      { pause: 'more' },
    ])
    const ending = follow(system, taskId, { endsAtWait: true })
    const staying = follow(system, taskId)
    await quiet(system)
    const first = await ending
    t.equal(first.at(-1)?.type, 'task.paused')
    const cursor = first.at(-1)?.sequence_number ?? -1
    t.same(await follow(system, taskId, { after: cursor, endsAtWait: true }), [], 'it still waits')
    await system.commands.resume(admin, taskId, 'req')
    const resumedReading = follow(system, taskId, { after: cursor, endsAtWait: true })
    await quiet(system)
    const second = await resumedReading
    t.equal(second[0]?.type, 'task.working', 'a wait that was over before the cursor ends nothing')
    t.equal(second.at(-1)?.type, 'task.paused', 'the next wait does')
    await system.commands.cancel(admin, taskId, 'req')
    const whole = await staying
    t.same(lines(whole), lines(await framesOf(system, taskId)))
    t.equal(whole.at(-1)?.type, 'task.canceled')
    t.same(lines([...first, ...second]), lines(whole).slice(0, first.length + second.length))
  },
)

t.test('nothing is given after the end, even when the task is deleted later', async t => {
  const system = await givenSystem()
  const taskId = await system.create({})
  await quiet(system)
  await system.commands.remove(admin, taskId, 'req')
  t.equal((await follow(system, taskId)).at(-1)?.type, 'task.completed')
  t.same(await follow(system, taskId, { after: 8 }), [])
})

t.test('a feed that is closed ends, and nobody is left listening', async t => {
  const system = await givenSystem()
  const taskId = await system.play([{ sleep_ms: 10_000 }])
  const feed = system.streams.open({ stream: streamOf(taskId), after: -1, endsAtWait: false })
  const seen: Frame[] = []
  const over = (async () => {
    for await (const frames of feed.frames()) seen.push(...frames)
  })()
  await quiet(system)
  feed.close()
  await over
  t.equal(seen.at(-1)?.type, 'task.working')
})

t.test('a feed opened before its task exists misses nothing of it', async t => {
  const system = await givenSystem()
  const feed = system.streams.open({ stream: streamOf('mine'), after: -1, endsAtWait: true }, true)
  const seen: Frame[] = []
  const over = (async () => {
    for await (const frames of feed.frames()) seen.push(...frames)
  })()
  await system.create({ task_id: 'mine' })
  await over
  t.same(lines(seen), lines(await framesOf(system, 'mine')))
})

t.test('the stored frames after any of them are the same frames', async t => {
  const system = await givenSystem()
  const taskId = await system.play(script)
  await system.world.advance(5000)
  const whole = lines(await framesOf(system, taskId))
  for (let after = -1; after < whole.length; after++) {
    const read: Frame[] = []
    for await (const frame of system.streams.stored(streamOf(taskId), after, yieldToLoop)) read.push(frame)
    t.same(lines(read), whole.slice(after + 1), `after ${after}`)
  }
  t.equal(
    await nextFrame(system.log, streamOf(taskId)),
    whole.length,
    'the next frame would have this number',
  )
  t.equal(await nextFrame(system.log, streamOf('unknown')), 0)
})
