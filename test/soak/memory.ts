// Half the load that the server can take, for so many minutes (2, or the number that is given): the heap that stays after
// a collection must be flat. It grows only until the heads of the last 100,000 streams are known, which is the largest of
// the caches with a bound. npm run soak -- memory 60 runs an hour.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import autocannon from 'autocannon'
import { openHeap } from '../../bench/support/heap.ts'
import { residentOf } from '../../bench/support/process-use.ts'
import { freePort } from '../../src/platform/free-port.ts'
import { adminToken, launch } from '../support/server.ts'

const minutes = Number(process.argv[2] ?? 2)
const clients = 32
const measurements = 12
/** Streams after which every cache is full. */
const fullAfter = 110_000
/** MiB that the heap may grow until then, and after it. */
const maxGrowthAtFirst = 40
const maxGrowthLater = 6

const port = await freePort()
const dataDir = mkdtempSync(path.join(tmpdir(), 'reprise-memory-'))
const inspect = `${process.env.NODE_OPTIONS ?? ''} --inspect=127.0.0.1:${port}`
const server = await launch(dataDir, { NODE_OPTIONS: inspect, DRAIN_SECONDS: '0' })
const heap = await openHeap(port)

const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
const script = [
  { message: 'Let me see.' },
  { tool: 'calculator', arguments: { expression: '1+1' } },
  { message: '2' },
]
/** One body of ten runs a script with a tool, and one is a stream. */
const requests = Array.from({ length: 100 }, (_, n) => ({
  method: 'POST' as const,
  path: '/v1/tasks',
  headers,
  body: JSON.stringify({
    user_message_content: `Message ${n}`,
    user_id: `user-${n}`,
    stream: n % 10 === 1,
    agent_config: n % 10 === 0 ? { agent_id: 'script', script } : { agent_id: 'echo' },
  }),
}))

/** Creates tasks for so many seconds, at most so many each second; returns how many were answered. */
const load = async (duration: number, overallRate?: number): Promise<number> => {
  const rate = overallRate === undefined ? {} : { overallRate }
  const result = await autocannon({ url: server.url, connections: clients, duration, requests, ...rate })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} answers were no 2xx, ${result.errors} requests failed`)
  return result['2xx']
}

const warmUp = 4
let made = await load(warmUp)
const half = Math.max(1, Math.floor(made / warmUp / 2))
console.log(`half load: ${half} tasks/s for ${minutes} minutes`)

const seen: { made: number; kept: number }[] = []
for (let n = 0; n <= measurements; n++) {
  if (n > 0) made += await load(Math.max(1, Math.round((minutes * 60) / measurements)), half)
  const kept = await heap.kept()
  seen.push({ made, kept })
  console.log(
    `${made} tasks: ${kept.toFixed(1)} MiB of heap after a collection, ${residentOf(server.pid)?.toFixed(0)} MiB resident`,
  )
}

const last = seen.at(-1)?.kept ?? Number.NaN
const growthFrom = (first: number | undefined) => last - (first ?? last)
const atFirst = growthFrom(seen[0]?.kept)
const later = growthFrom(seen.find(one => one.made >= fullAfter)?.kept)
console.log(`grown by ${atFirst.toFixed(1)} MiB, and by ${later.toFixed(1)} MiB since all caches were full`)
heap.close()
await server.end('SIGKILL')
rmSync(dataDir, { recursive: true, force: true })
if (!(atFirst <= maxGrowthAtFirst && later <= maxGrowthLater)) throw new Error('the memory grows')
process.exit(0)
