// Workers that are connected and have nothing to do: the memory that each of them needs in the server.
import { once } from 'node:events'
import WebSocket from 'ws'
import { freePort } from '../src/platform/free-port.ts'
import { newFolder } from './support/folder.ts'
import { openHeap } from './support/heap.ts'
import { cpuSecondsOf, residentOf } from './support/process-use.ts'
import { adminToken, startOurs } from './support/server.ts'
import { short } from './support/stats.ts'

export const about =
  '1,000 idle workers: heap and resident memory of the server for each (target <= 30 KiB), and its CPU'

const workers = Number(process.env.WORKERS ?? 1000)
/** Workers that come first, for whose sake the process compiles its code. */
const first = 100
const atOnce = 16
const watchMs = 15_000
const wait = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

export const run = async (): Promise<void> => {
  const port = await freePort()
  const server = await startOurs(newFolder('workers'), [
    `--inspect=127.0.0.1:${port}`,
    '--max-semi-space-size=1', // so that the memory grows by what is kept, and not by garbage
  ])
  const heap = await openHeap(port)
  const made = await fetch(`${server.url}/v1/auth/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ role: 'worker' }),
  })
  const { token } = (await made.json()) as { token: string }
  const opened: WebSocket[] = []
  const connect = async () => {
    const name = `worker-${opened.length}`
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/v1/workers`, {
      headers: { authorization: `Bearer ${token}` },
      perMessageDeflate: false,
    })
    opened.push(socket)
    await once(socket, 'open')
    const agents = [{ name: 'idle', kind: 'function', description: 'Waits.', version: '1' }]
    socket.send(JSON.stringify({ type: 'hello', protocol: 1, name, slots: 16, agents }))
    const [answer] = await once(socket, 'message')
    if (JSON.parse(String(answer)).agents?.length !== 1) throw new Error(`not accepted: ${answer}`)
  }
  const connectAll = async (count: number) => {
    let left = count
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        while (left-- > 0) await connect()
      }),
    )
  }
  const memory = async () => ({ heap: await heap.kept(), resident: residentOf(server.pid) ?? Number.NaN })
  await connectAll(first)
  await wait(1500)
  const before = await memory()
  await connectAll(workers)
  await wait(1500)
  const after = await memory()
  const cpu = cpuSecondsOf(server.pid) ?? Number.NaN
  await wait(watchMs)
  const used = (cpuSecondsOf(server.pid) ?? Number.NaN) - cpu
  const each = (key: 'heap' | 'resident') => `${short(((after[key] - before[key]) * 1024) / workers)} KiB`
  console.log(`\n${workers} idle workers`)
  console.log(`  for each: ${each('heap')} of heap, ${each('resident')} resident (target <= 30 KiB)`)
  console.log(`  CPU of the server: ${short((used * 1e6) / watchMs)} ms a second`)
  for (const socket of opened) socket.terminate()
  heap.close()
  await server.stop()
}
