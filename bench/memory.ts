import { freePort } from '../src/platform/free-port.ts'
import { newFolder } from './support/folder.ts'
import { openHeap } from './support/heap.ts'
import { load } from './support/load.ts'
import { residentOf } from './support/process-use.ts'
import { type Server, startOneInsert, startOurs } from './support/server.ts'
import { short } from './support/stats.ts'

export const about =
  'memory while the server runs 50,000 echo tasks: resident, and the heap of the main thread after a collection (no target)'

const steps = 5
const tasksAStep = 10_000

const print = (name: string, seen: number[]) =>
  console.log(`  ${name.padEnd(30)}${seen.map(short).join(' -> ')} MiB, after each ${tasksAStep} requests`)

const measure = async (name: string, server: Server, afterStep: () => Promise<void>): Promise<number> => {
  const seen = [residentOf(server.pid) ?? Number.NaN]
  for (let step = 0; step < steps; step++) {
    await load(server, { clients: 32, amount: tasksAStep })
    seen.push(residentOf(server.pid) ?? Number.NaN)
    await afterStep()
  }
  print(name, seen)
  return (seen.at(-1) ?? Number.NaN) / (seen[0] ?? Number.NaN)
}

export const run = async (): Promise<void> => {
  console.log('\nmemory')
  const one = await startOneInsert(newFolder('baseline'))
  const baseline = await measure('baseline, resident', one, async () => {})
  await one.stop()
  const server = await startOurs(newFolder('ours'))
  const ours = await measure('ours, resident', server, async () => {})
  await server.stop()
  console.log(`  grown: ours ${short(ours)} times, baseline ${short(baseline)} times (informative)`)
  // A collection changes what is resident, so this is another server.
  const port = await freePort()
  const collected = await startOurs(newFolder('collected'), [`--inspect=127.0.0.1:${port}`])
  const heap = await openHeap(port)
  const kept = [await heap.kept()]
  await measure('ours, resident, collected', collected, async () => void kept.push(await heap.kept()))
  print('ours, heap after collections', kept)
  heap.close()
  await collected.stop()
}
