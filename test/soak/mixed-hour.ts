// Mixed use of a server with a long log, while retention erases most of that log and backups are made one after the other:
// for five minutes, or for as many as the argument says (npm run soak -- mixed-hour 60). It passes when the calls of
// another user are at most twice as late as without retention and backups (p99), when none of them fails, and when the
// files of the server stay bounded.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createUser, senderOf } from '../../bench/support/day-of-use.ts'
import { nodeOptions, startVariables } from '../../bench/support/npm-start.ts'
import { residentOf } from '../../bench/support/process-use.ts'
import { copyRealData } from '../../bench/support/real-data.ts'
import { percentile } from '../../bench/support/stats.ts'
import { adminToken, launch, type ServerProcess } from '../support/server.ts'

const minutes = Number(process.argv[2] ?? 5)
const seed = Number(process.env.SEED ?? 1)
const events = Number(process.env.EVENTS ?? 100_000)
/** The part of the time in which nothing is erased and nothing is backed up. */
const aloneShare = 0.3
const perSecond = 20
const busyUsers = 4
/** Between two pieces of work of a busy user. */
const restMs = 50
/** The pause after a backup, as a multiple of the time that it took. */
const restOfBackups = 2
const worst = 2
const mib = 2 ** 20
/** A WAL is copied into its file again and again; a backup may hold that up for a while. */
const largestWal = 256 * mib
/** Bytes that one request may add to all files of the server: its events, its rows, and their indexes. */
const bytesPerRequest = 60_000
const say = (text: string) => console.log(`mixed-hour: ${text}`)
const pause = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms))

const root = mkdtempSync(path.join(tmpdir(), 'reprise-mixed-'))
const dataDir = await copyRealData(events, path.join(root, 'data'))
const retention = path.join(root, 'retention.json')
writeFileSync(retention, JSON.stringify([{ older_than_days: 1 }]))

const start = (env: Record<string, string> = {}): Promise<ServerProcess> =>
  launch(dataDir, {
    ...{ LOG_LEVEL: 'error', DRAIN_SECONDS: '2', QUOTA_TASKS: '0', ...startVariables },
    NODE_OPTIONS: nodeOptions.join(' '),
    ...env,
  })

/** The sizes of the files in the data folder, by their names. */
const files = (): Map<string, number> =>
  new Map(
    readdirSync(dataDir, { withFileTypes: true })
      .filter(entry => entry.isFile())
      .flatMap(({ name }) => {
        const file = path.join(dataDir, name)
        return existsSync(file) ? [[name, statSync(file).size] as const] : []
      }),
  )
const sizeOfAll = (): number => [...files().values()].reduce((sum, size) => sum + size, 0)

const problems: string[] = []
let requests = 0

/** What many users do all the time: turns of conversations, tools, streams, failures, cancels, deletes, lists. */
const mixedUse = async (url: string, isOver: () => boolean): Promise<void> => {
  const send = senderOf(url, adminToken)
  await Promise.all(
    Array.from({ length: busyUsers }, async (_, n) => {
      const user = createUser(send, `mixed-${n}`, seed + n)
      const works = [
        () => user.talk(`mixed-session-${n}-${Math.floor(requests / 500)}`, 2),
        user.echo,
        user.withTools,
        user.streamed,
        user.fail,
        user.cancel,
        user.remove,
        user.reward,
        user.subagent,
        user.chat,
        user.long,
        () => send('GET', `/tasks?user_id=mixed-${n}&limit=100`),
        () => send('GET', '/tasks?status=failed&fields=summary'),
        () => send('GET', '/audit/events?limit=100'),
      ]
      for (let turn = n; !isOver(); turn++) {
        requests++
        await works[turn % works.length]?.().catch(error => problems.push(`mixed use: ${error}`))
        await pause(restMs)
      }
    }),
  )
}

/** The calls of another user, each at its time. Resolves to their delays in milliseconds. */
const otherUser = async (url: string, ms: number): Promise<number[]> => {
  const user = createUser(senderOf(url, adminToken), 'other', seed)
  const delays: number[] = []
  const calls: Promise<void>[] = []
  const began = performance.now()
  for (let n = 0; performance.now() - began < ms; n++) {
    const at = began + (n * 1000) / perSecond
    await pause(Math.max(0, at - performance.now()))
    requests++
    const answered = user.echo().then(
      () => void delays.push(performance.now() - at),
      error => void problems.push(`the other user: ${error}`),
    )
    calls.push(answered)
  }
  await Promise.all(calls)
  return delays
}

/** Backs up again and again, with pauses, since an erasure ends only when no backup reads the log. */
const backUp = async (isOver: () => boolean): Promise<number> => {
  const bin = path.resolve(import.meta.dirname, '../../bin/reprise.mjs')
  let made = 0
  for (; !isOver(); made++) {
    const began = performance.now()
    const child = spawn(process.execPath, [bin, 'backup', path.join(root, 'backup.db'), '--force'], {
      env: { PATH: process.env.PATH, DATA_DIR: dataDir },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let said = ''
    child.stderr.on('data', chunk => (said += chunk))
    const [code] = (await once(child, 'close')) as [number | null]
    if (code !== 0) problems.push(`a backup ended with ${code}: ${said.slice(0, 500)}`)
    const rest = performance.now() + restOfBackups * (performance.now() - began)
    while (!isOver() && performance.now() < rest) await pause(100)
  }
  return made
}

/** Looks at the files until the end. */
const watchFiles = async (isOver: () => boolean): Promise<void> => {
  let largest = 0
  while (!isOver()) {
    for (const [name, size] of files()) if (name.endsWith('-wal')) largest = Math.max(largest, size)
    await pause(200)
  }
  say(`the largest WAL: ${Math.round(largest / mib)} MiB`)
  if (largest > largestWal) problems.push(`a WAL had ${Math.round(largest / mib)} MiB`)
}

const figures = (delays: number[]): string =>
  `p50 ${percentile(delays, 0.5).toFixed(1)} ms, p99 ${percentile(delays, 0.99).toFixed(1)} ms, longest ${Math.max(...delays).toFixed(0)} ms, of ${delays.length}`

/** Uses a server for a while. `meanwhile` runs beside it until the end. */
const phase = async (
  name: string,
  server: ServerProcess,
  ms: number,
  meanwhile: ((isOver: () => boolean) => Promise<unknown>)[],
): Promise<number[]> => {
  const end = performance.now() + ms
  const isOver = () => performance.now() > end
  const others = Promise.all([mixedUse(server.url, isOver), ...meanwhile.map(work => work(isOver))])
  const delays = await otherUser(server.url, ms)
  await others
  say(`${name}: ${figures(delays)}; ${residentOf(server.pid)?.toFixed(0)} MiB resident`)
  return delays
}

const [before, all] = [sizeOfAll(), minutes * 60_000]
const first = await start()
await pause(2000)
const alone = await phase('without retention and backups', first, aloneShare * all, [watchFiles])
await first.end('SIGTERM')
const second = await start({ RETENTION: retention })
let backups = 0
const busy = await phase('with retention and backups', second, (1 - aloneShare) * all, [
  watchFiles,
  async isOver => {
    backups = await backUp(isOver)
  },
])
const metrics = await (await fetch(`${second.url}/metrics`)).text()
const erased = Number(/^reprise_retention_erased_total (\d+)/m.exec(metrics)?.[1] ?? 0)
await second.end('SIGTERM')
const after = sizeOfAll()
const failures = Number(/^reprise_retention_failures_total (\d+)/m.exec(metrics)?.[1] ?? 0)
say(`${erased} tasks erased by retention (${failures} failures), ${backups} backups, ${requests} requests`)
say(`all files: ${Math.round(before / mib)} MiB before, ${Math.round(after / mib)} MiB after`)

if (erased === 0) problems.push('retention has erased nothing')
if (backups === 0) problems.push('no backup was made')
if (after > before + requests * bytesPerRequest) problems.push('the files have grown without bound')
for (const name of files().keys())
  if (/\.(new|tmp|part)$/.test(name)) problems.push(`${name} was left behind`)
const ratio = percentile(busy, 0.99) / percentile(alone, 0.99)
say(`p99 of the other user: ${ratio.toFixed(2)} times that without retention and backups`)
if (ratio > worst) problems.push(`the other user waited ${ratio.toFixed(2)} times as long (p99)`)
rmSync(root, { recursive: true, force: true })
for (const problem of problems.slice(0, 20)) console.error(`mixed-hour: ${problem}`)
process.exit(problems.length > 0 ? 1 : 0)
