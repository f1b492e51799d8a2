// Readers of a task while the log cannot be written and its file has rows that are not durable.
import t from 'tap'
import { createFeeds } from '../../src/bus/feed.ts'
import type { Agent } from '../../src/contract/agent.ts'
import { createRenderer } from '../../src/history/frame-renderer.ts'
import { memoryStore } from '../../src/log/memory-store.ts'
import { admin, failingStore, givenSystem, quiet } from '../support/system.ts'
import { settle } from '../support/world.ts'

t.test(
  'a reader that comes while the log cannot be written waits, and does not read again and again',
  async t => {
    let isBroken = false
    const inner = memoryStore()
    const { store, failNext } = failingStore({
      ...inner,
      reopen: () => (isBroken ? Promise.reject(new Error('full')) : inner.reopen()),
    })
    const talker: Agent = {
      name: 'talker',
      async *step({ signal }) {
        for (let n = 0; n < 60; n++) {
          yield { say: 'delta', item: 'message', part: 'output_text', text: `${n}`.padEnd(2100, '.') }
          await settle(1)
        }
        await new Promise(resolve => signal().addEventListener('abort', resolve))
        return { end: 'answer' }
      },
    }
    const system = await givenSystem({ agents: [talker], store })
    let reads = 0
    const feeds = createFeeds({
      log: system.log,
      rendererAt: async () => {
        if (++reads > 1000) throw new Error('read a thousand times')
        return createRenderer(system.log.readStream)
      },
    })
    const taskId = await system.create({ client_id: 'talker' })
    const request = { stream: `task-${taskId}`, after: -1, endsAtWait: false }
    const first = feeds.open(request)
    let taken = 0
    void (async () => {
      for await (const frames of first.frames()) taken += frames.length
    })().catch(() => {})
    for (let n = 0; n < 200; n++) await settle(1)
    await system.world.advance(2000)
    await quiet(system)
    t.ok(taken > 60)
    isBroken = true
    failNext('kept')
    await system.commands.pause(admin, taskId, 'req').catch(() => {})
    reads = 0
    const second = feeds.open(request)
    let got = 0
    void (async () => {
      for await (const frames of second.frames()) got += frames.length
    })().catch(error => t.comment(error.message))
    await new Promise(resolve => setTimeout(resolve, 500))
    t.comment(`reads ${reads}, got ${got}, taken ${taken}, failing ${system.log.isFailing()}`)
    t.ok(reads <= 2, `${reads} times`)
    t.ok(got > 0, 'what is durable is handed over')
    first.close()
    second.close()
    isBroken = false
    await system.close().catch(() => {})
  },
)
