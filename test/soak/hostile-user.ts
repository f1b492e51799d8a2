// One user with a token does everything bad at once, for ten minutes (npm run soak -- hostile-user 2: for two); another
// user works beside it, first alone. It passes when nothing of the other user's fails, is seen or is touched, when none
// of its answers is three times as late as alone (p99), and when the server never holds 1.5 GB. ONLY=manyKeys,sleepers
// attacks in these ways alone; ALONE_SECONDS=n is how long the other user is measured alone (20). The attacker's own
// programs run only while a processor is idle, as if they ran on another machine.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import Database from 'better-sqlite3'
import { nodeOptions, startVariables } from '../../bench/support/npm-start.ts'
import { counter, modules } from '../http/env-calls.ts'
import { apiOf, launch } from '../support/server.ts'
import type { Order } from './hostile-user/attacker.ts'
import type { Counts } from './hostile-user/hand.ts'
import { createQuietUser, folder, type Kind, kinds, percentile, session } from './hostile-user/quiet-user.ts'

const minutes = Number(process.argv[2] ?? 10)
const aloneMs = Number(process.env.ALONE_SECONDS ?? 20) * 1000
const roundMs = 20_000
const worst = 3
const maxMemory = 1.5 * 2 ** 30
const only = (process.env.ONLY ?? '').split(',').filter(name => name !== '')
const say = (text: string) => console.log(`hostile-user: ${text}`)

/** Events in what a user owns that another principal caused, by the headers of the log: its payloads are huge. */
const strangersIn = (owner: string, principal: string): string[] => {
  const db = new Database(path.join(dataDir, 'log.db'), { readonly: true })
  const found: string[] = []
  for (const header of db.prepare<[], string>('SELECT header FROM events').pluck().iterate()) {
    const event = JSON.parse(header) as { owner: string; principal: string; type: string; stream: string }
    if (event.owner === owner && event.principal === principal)
      found.push(`the log holds ${event.type} of the attacker in ${event.stream}`)
  }
  db.close()
  return found
}

const dataDir = mkdtempSync(path.join(tmpdir(), 'reprise-hostile-'))
const server = await launch(dataDir, {
  ENV_PATH: modules,
  LOG_LEVEL: 'error',
  QUOTA_DISK_MB: '512',
  ...startVariables,
  NODE_OPTIONS: nodeOptions.join(' '),
})
let isGone = ''
void server.exited.then(([code, signal]) => {
  isGone = `the server ended: ${signal ?? code} ${server.output().slice(-2000)}`
})
const tokenOf = async (user_id: string): Promise<{ id: string; token: string }> => {
  const answer = await server.api('POST', '/auth/tokens', { role: 'user', user_id })
  return (await answer.json()) as { id: string; token: string }
}
const [hostile, quiet] = [await tokenOf('hostile'), await tokenOf('quiet')]
const secret = `victims-secret-${quiet.id}`
const user = createQuietUser(apiOf(server.url, quiet.token), secret)
const task = await user.prepare(counter)

/** Resident memory of the server itself, bytes; the most so far, or now. */
const memory = (field: 'VmHWM' | 'VmRSS'): number =>
  Number(
    new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(
      readFileSync(`/proc/${server.pid}/status`, 'utf8'),
    )?.[1] ?? 0,
  ) * 1024
const MiB = (bytes: number) => Math.round(bytes / 2 ** 20)
const ms = (time: number) => `${time.toFixed(1)} ms`
const both = (times: number[]) => `p50 ${ms(percentile(times, 50))}, p99 ${ms(percentile(times, 99))}`

await user.work(3000)
user.takeTimes()
await user.work(aloneMs)
const alone = user.takeTimes()
for (const kind of kinds) say(`alone: ${kind}: ${both(alone[kind])} of ${alone[kind].length}`)

const order = {
  url: server.url,
  token: hostile.token,
  only,
  victim: { user: 'quiet', task, session, folder, secret },
}
const attackers = (['bodies', 'reads', 'work'] as const).map(group => {
  const child = fork(path.join(import.meta.dirname, 'hostile-user/attacker.ts'), {
    execArgv: [],
  })
  child.send({ ...order, group } satisfies Order)
  return child
})
process.once('exit', () => {
  for (const child of attackers) child.kill('SIGKILL')
})

const attacked: Record<Kind, number[]> = { echo: [], 'streamed echo': [], step: [] }
for (const end = Date.now() + minutes * 60_000; Date.now() < end && isGone === ''; ) {
  await user.work(Math.min(roundMs, end - Date.now()))
  const times = user.takeTimes()
  for (const kind of kinds) attacked[kind].push(...times[kind])
  const figures = kinds.map(kind => `${kind} ${both(times[kind])}`).join('; ')
  if (isGone === '') say(`${figures}; ${MiB(memory('VmRSS'))} MiB; ${user.failures.length} failures`)
}
const most = isGone === '' ? memory('VmHWM') : 0
const counts = await Promise.all(
  attackers.map(async child => {
    child.send('stop')
    const patience = setTimeout(() => child.kill('SIGKILL'), 10_000)
    const [said] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [unknown]
    clearTimeout(patience)
    return typeof said === 'object' && said !== null ? (said as Counts) : undefined
  }),
)

const problems = user.failures.slice(0, 20)
if (user.failures.length > 0) problems.push(`${user.failures.length} calls of the other user failed`)
if (isGone !== '') problems.push(isGone)
else {
  // What is under way may end first: whether it does is measured above.
  await new Promise(resolve => setTimeout(resolve, 2000))
  problems.push(...(await user.touched().catch(error => [`its things cannot be read: ${error}`])))
}
const quotas: Record<string, number> = {}
for (const count of counts) {
  if (count === undefined) problems.push('an attacker did not say what it saw')
  for (const [attack, statuses] of Object.entries(count?.answers ?? {})) {
    const told = Object.entries(statuses).map(
      ([status, n]) => `${status === '0' ? 'no answer' : status} × ${n}`,
    )
    say(`${attack}: ${told.join(', ')}`)
    if (statuses[500] !== undefined) problems.push(`${attack}: answered 500 ${statuses[500]} times`)
  }
  for (const [quota, n] of Object.entries(count?.quotas ?? {})) quotas[quota] = (quotas[quota] ?? 0) + n
  for (const leak of count?.leaks.slice(0, 10) ?? []) problems.push(`seen by the attacker: ${leak}`)
}
say(`429 by quota: ${JSON.stringify(quotas)}`)
for (const kind of kinds) {
  const times = attacked[kind].sort((a, b) => a - b)
  const ratio = percentile(times, 99) / percentile(alone[kind], 99)
  say(
    `${kind}: alone ${both(alone[kind])}; attacked ${both(times)}, worst ${ms(times.at(-1) ?? 0)}, of ${times.length}; p99 × ${ratio.toFixed(2)}`,
  )
  if (!(ratio <= worst)) problems.push(`${kind}: p99 is ${ratio.toFixed(2)} times that of the user alone`)
}
say(`the server held ${MiB(most)} MiB at most`)
if (most >= maxMemory) problems.push(`it held ${MiB(most)} MiB`)

const [code] = isGone === '' ? await server.end('SIGTERM') : [1]
if (code !== 0 && isGone === '') problems.push(`the stop ended with ${code}: ${server.output().slice(-2000)}`)
problems.push(...strangersIn('quiet', hostile.id))
if (problems.some(problem => problem.includes('answered 500'))) say(server.output().slice(-4000))
for (const problem of problems) say(problem)
rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 })
process.exit(problems.length === 0 ? 0 : 1)
