// A fault of reading that has passed does not concern feeds that open afterwards.
import t from 'tap'
import { createFeeds } from '../../src/bus/feed.ts'
import { createRenderer } from '../../src/history/frame-renderer.ts'
import { deferred } from '../log/support.ts'
import { givenSystem, quiet } from '../support/system.ts'

t.test(
  'a feed that opens after a fault that has passed reads the task, though a slow feed is still open',
  async t => {
    const system = await givenSystem()
    let fails = false
    const feeds = createFeeds({
      log: {
        ...system.log,
        subscribe: (request, handle) =>
          system.log.subscribe(request, events => {
            if (fails) throw new Error('the disk cannot be read just now')
            return handle(events)
          }),
      },
      rendererAt: async () => createRenderer(system.log.readStream),
    })
    const taskId = await system.play([
      { sleep_ms: 1000 },
      { message: 'a' },
      { sleep_ms: 1000 },
      { message: 'b' },
    ])
    const stream = `task-${taskId}`
    const { promise: held, resolve: release } = deferred()
    let newest = -1
    const slow = (async () => {
      for await (const frames of feeds.open({ stream, after: -1, endsAtWait: false }).frames()) {
        newest = frames.at(-1)?.sequence_number ?? newest
        await held
      }
    })().catch(() => {})
    await quiet(system)
    const quick = (async () => {
      for await (const _ of feeds.open({ stream, after: -1, endsAtWait: false }).frames());
    })().catch(error => error.message)
    await quiet(system)
    fails = true
    await system.world.advance(1000)
    await quiet(system)
    fails = false
    t.match(await quick, /just now/)
    const last: string[] = []
    const next = (async () => {
      for await (const frames of feeds.open({ stream, after: newest, endsAtWait: false }).frames())
        last.push(...frames.map(({ type }) => type))
    })()
    await system.world.advance(3000)
    await quiet(system)
    await t.resolves(next)
    t.equal(last.at(-1), 'task.completed')
    release()
    await slow
    await system.close()
  },
)
