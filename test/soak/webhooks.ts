// A thousand webhooks of one receiver, one of which answers after 14 s and one with 500. WEBHOOKS=n and TASKS=n change
// the numbers. Each must get every event, in order; the two must delay nobody else; the memory must stay bounded.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { launch } from '../support/server.ts'
import { manyWebhooks } from '../webhooks/many.ts'

const webhooks = Number(process.env.WEBHOOKS ?? 1000)
const tasks = Number(process.env.TASKS ?? 150)
const slowMs = 14_000
/** The most that the two may slow down the others, as a ratio of durations. */
const maxRatio = 1.5
/** The server may hold so much for each webhook, beyond what it needs for its work. */
const maxPerWebhook = 256 * 1024
const forItsWork = 256 << 20

const dataDir = mkdtempSync(path.join(tmpdir(), 'reprise-webhooks-'))
const server = await launch(dataDir, { ALLOW_PRIVATE_URLS: '1' })
const resident = (): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]) * 1024

const before = resident()
let peak = before
const watch = setInterval(() => {
  peak = Math.max(peak, resident())
}, 100)
const many = await manyWebhooks(server.api, { webhooks, tasks, slowMs, patienceMs: 1_200_000 })
const well = await many.allWell()
const peakWell = peak
const bad = await many.twoBad()
const [slow = [], refusing = []] = many.accepted.map(({ length }) => length - tasks)
await many.recover()
clearInterval(watch)

const problems = await many.problems()
if (bad / well > maxRatio) problems.push(`the others took ${(bad / well).toFixed(2)} times as long`)
if (peak - before > forItsWork + webhooks * maxPerWebhook) problems.push('too much memory was held')
const mib = (bytes: number) => Math.round(bytes / 1024 / 1024)
const seconds = (ms: number) => (ms / 1000).toFixed(1)
const perSecond = (ms: number, count: number) => Math.round((count * tasks * 1000) / ms)
console.log(
  `webhooks: ${webhooks} webhooks, ${2 * tasks} events; all well: ${seconds(well)} s, ` +
    `${perSecond(well, webhooks)} deliveries/s; two bad: ${seconds(bad)} s, ` +
    `${perSecond(bad, webhooks - 2)} deliveries/s, ratio ${(bad / well).toFixed(2)}; ` +
    `meanwhile the slow one got ${slow} of ${tasks} events and the refusing one ${refusing}; ` +
    `memory ${mib(before)} MiB before, ${mib(peakWell)} at most while all were well, ${mib(peak)} at the end`,
)
for (const problem of problems) console.log(`webhooks: ${problem}`)
many.close()
await server.end('SIGKILL')
rmSync(dataDir, { recursive: true, force: true })
process.exit(problems.length === 0 ? 0 : 1)
