// Tasks of users' agents that sleep: the memory that each of them needs, and the CPU that all of them need while they sleep.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { freePort } from '../src/platform/free-port.ts'
import { newFolder } from './support/folder.ts'
import { openHeap } from './support/heap.ts'
import { cpuSecondsOf, residentOf } from './support/process-use.ts'
import { adminToken, startOurs } from './support/server.ts'
import { short } from './support/stats.ts'

export const about =
  '10,000 tasks of an agent that sleeps for a week: memory of each (target <= 2 KiB) and CPU while they sleep, against none (target: none)'

const tasks = Number(process.env.SLEEPING_TASKS ?? 10_000)
/** Tasks that come first, for whose sake the process compiles its code. */
const first = 200
const atOnce = 32
/** An idle actor leaves memory within this many milliseconds, and the process of an agent without work ends. */
const untilIdleMs = Number(process.env.SLEEPING_IDLE_MS ?? 90_000)
const watchMs = 20_000

const agent = `export default async ctx => { await ctx.sleep(7 * 86_400_000) }\n`
const wait = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

export const run = async (): Promise<void> => {
  const folder = newFolder('sleeping')
  const agents = path.join(folder, 'agents')
  mkdirSync(agents)
  writeFileSync(path.join(agents, 'sleeper.mjs'), agent)
  const port = await freePort()
  const server = await startOurs(path.join(folder, 'data'), [`--inspect=127.0.0.1:${port}`], {
    AGENT_PATH: agents,
    ENV_UID_BASE: '0',
    QUOTA_TASKS: '0',
  })
  const heap = await openHeap(port)
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
  const body = JSON.stringify({
    ...{ user_message_content: 'sleep', stream: false, background: true },
    agent_config: { agent_id: 'sleeper' },
  })
  const make = async (count: number) => {
    let left = count
    const makers = Array.from({ length: atOnce }, async () => {
      while (left-- > 0) {
        const answer = await fetch(`${server.url}/v1/tasks`, { method: 'POST', headers, body })
        if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
        await answer.arrayBuffer()
      }
    })
    await Promise.all(makers)
  }
  /** Milliseconds of CPU in a second of all threads of the server. */
  const cpu = async () => {
    const before = cpuSecondsOf(server.pid) ?? Number.NaN
    await wait(watchMs)
    return (((cpuSecondsOf(server.pid) ?? Number.NaN) - before) * 1000) / (watchMs / 1000)
  }
  await make(first)
  await wait(untilIdleMs)
  const before = { heap: await heap.kept(), resident: residentOf(server.pid) ?? Number.NaN, cpu: await cpu() }
  const began = performance.now()
  await make(tasks)
  const seconds = (performance.now() - began) / 1000
  const awake = await heap.kept()
  await wait(untilIdleMs)
  const after = { heap: await heap.kept(), resident: residentOf(server.pid) ?? Number.NaN, cpu: await cpu() }
  const each = (mib: number, from: number) => `${short(((mib - from) * 1024) / tasks)} KiB`
  console.log(`\n${tasks} sleeping tasks`)
  console.log(`  ${short(tasks / seconds)} creates a second`)
  console.log(
    `  heap for each: ${each(awake, before.heap)} at once, and ${each(after.heap, before.heap)} when its actor has left memory (target <= 2 KiB)`,
  )
  console.log(`  resident for each: ${each(after.resident, before.resident)}`)
  console.log(
    `  CPU of the server: ${short(after.cpu)} ms a second while they sleep, ${short(before.cpu)} ms with ${first} tasks`,
  )
  heap.close()
  await server.stop()
}
