// A thousand subscribers that never read, beside ten that do. SUBSCRIBERS=n and TASKS=n make it smaller. Those who read
// must have everything in order; the memory of the server stays below a bound for each deaf one; who takes nothing is cut.
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { adminToken, launch } from '../support/server.ts'

const deaf = Number(process.env.SUBSCRIBERS ?? 1000)
const tasks = Number(process.env.TASKS ?? 8000)
const readers = 10
/** The server may hold so much for each of them, beyond what it needs for its work: a piece on its way, and a socket. */
const maxBytesEach = 256 * 1024
const forItsWork = 256 << 20
const title = 'x'.repeat(80)

const dataDir = mkdtempSync(path.join(tmpdir(), 'reprise-deaf-'))
const server = await launch(dataDir)
const { hostname, port } = new URL(server.url)
const resident = (): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]) * 1024

const open = async (): Promise<Socket> => {
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(
    `GET /api/events?starting_after=earliest HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${adminToken}\r\n\r\n`,
  )
  return socket
}
let cut = 0
for (let n = 0; n < deaf; n++) {
  const socket = await open()
  socket.pause()
  socket.once('close', () => cut++)
}
const heard: number[][] = []
for (let n = 0; n < readers; n++) {
  const socket = await open()
  const own: number[] = []
  heard.push(own)
  let rest = ''
  socket.on('data', chunk => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.startsWith('id: ')) own.push(Number(line.slice(4)))
  })
}

const before = resident()
let most = before
const watch = setInterval(() => {
  most = Math.max(most, resident())
}, 100)
for (let n = 0; n < tasks; n += 50) {
  await Promise.all(
    Array.from({ length: Math.min(50, tasks - n) }, () =>
      server
        .api('POST', '/tasks', { user_message_content: title, client_id: 'echo', stream: false })
        .then(answer => answer.arrayBuffer()),
    ),
  )
}
// Longer than the patience with those who take nothing.
const end = Date.now() + 40_000
const expected = 5 * tasks // created, agent spawned, started, an item, agent completed, completed: at least five
while (Date.now() < end && (heard.some(own => own.length < expected) || cut < deaf)) {
  await new Promise(resolve => setTimeout(resolve, 100))
}
clearInterval(watch)
const atRest = resident()

const fresh: number[] = []
for (let after = 0; ; ) {
  const answer = await server.api('GET', `/audit/events?after=${after}&limit=1000`)
  const page = (await answer.json()) as { data?: { position: number }[] }
  const events = page.data ?? []
  if (events.length === 0) break
  after = events.at(-1)?.position ?? after
  fresh.push(...events.map(({ position }) => position))
}
const stored = new Set(fresh)
const problems: string[] = []
const first = JSON.stringify(heard[0])
for (const [n, own] of heard.entries()) {
  if (JSON.stringify(own) !== first) problems.push(`reader ${n} heard something else than reader 0`)
  if (own.some((position, index) => index > 0 && position <= (own[index - 1] ?? 0)))
    problems.push(`reader ${n}: out of order`)
  if (own.length < expected) problems.push(`reader ${n} heard ${own.length} of at least ${expected}`)
  if (own.some(position => !stored.has(position))) problems.push(`reader ${n} heard what is not stored`)
}
// What the system buffers for a socket, some 10 MiB, is not ours to bound.
if (cut < deaf && tasks >= 8000) problems.push(`${deaf - cut} of ${deaf} that take nothing are still there`)
if (most - before > forItsWork + deaf * maxBytesEach) problems.push('too much memory was held')

const mib = (bytes: number) => Math.round(bytes / 1024 / 1024)
console.log(
  `deaf-subscribers: ${deaf} deaf, ${tasks} tasks, ${heard[0]?.length} events heard by each of ${readers}; ` +
    `memory ${mib(before)} MiB before, ${mib(most)} at most, ${mib(atRest)} after; ${cut} cut`,
)
for (const problem of problems) console.log(`deaf-subscribers: ${problem}`)
await server.end('SIGKILL')
rmSync(dataDir, { recursive: true, force: true })
process.exit(problems.length === 0 ? 0 : 1)
