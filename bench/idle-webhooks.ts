import { freePort } from '../src/platform/free-port.ts'
import { newFolder } from './support/folder.ts'
import { openHeap } from './support/heap.ts'
import { adminToken, startOurs } from './support/server.ts'
import { short } from './support/stats.ts'

export const about =
  'memory of 10,000 idle webhooks: the heap of the main thread after a collection, for each webhook (no target)'

const webhooks = Number(process.env.WEBHOOKS ?? 10_000)
const atOnce = 32
/** An idle actor leaves memory within this many milliseconds. */
const untilIdleMs = 65_000

export const run = async (): Promise<void> => {
  const port = await freePort()
  const server = await startOurs(newFolder('webhooks'), [`--inspect=127.0.0.1:${port}`])
  const heap = await openHeap(port)
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
  const make = async () => {
    const body = JSON.stringify({ url: 'https://example.com/', types: ['CronJobFailed'], session_id: 'none' })
    const answer = await fetch(`${server.url}/v1/webhooks`, { method: 'POST', headers, body })
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
    await answer.text()
  }
  for (let n = 0; n < atOnce; n++) await make()
  const before = await heap.kept()
  const began = performance.now()
  let left = webhooks
  const makers = Array.from({ length: atOnce }, async () => {
    while (left-- > 0) await make()
  })
  await Promise.all(makers)
  const seconds = (performance.now() - began) / 1000
  const after = await heap.kept()
  await new Promise(resolve => setTimeout(resolve, untilIdleMs))
  const idle = await heap.kept()
  const each = (mib: number) => `${short(((mib - before) * 1024) / webhooks)} KiB`
  console.log(`\n${webhooks} idle webhooks`)
  console.log(`  ${short(webhooks / seconds)} creates a second`)
  console.log(`  at once ${each(after)} for each webhook, and ${each(idle)} when its actor has left memory`)
  heap.close()
  await server.stop()
}
