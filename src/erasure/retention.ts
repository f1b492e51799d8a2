// Erases old tasks once a day, as the rules of RETENTION say. The log stores the time of the last round, so that a
// server that was stopped for longer makes up for the round after its start.
import type { ErasableTask } from '../../projections/tasks/ended-rows.ts'
import type { Clock, Ids, Report, Timers } from '../contract/ports.ts'
import type { Log } from '../contract/stored.ts'
import { record } from '../log/record.ts'
import { yieldToLoop } from '../platform/loop.ts'
import type { Erasable } from '../tasks/erasable.ts'
import type { ErasureCommands } from './commands.ts'
import { type RetentionRule, wordsOf } from './retention-rules.ts'

const dayMs = 24 * 3600 * 1000
/** Milliseconds between two checks whether a day has passed. */
const lookMs = 60_000

export const retentionStream = 'retention'
/** The rules were applied. `kept`: how many of the named tasks stay, because of holds or of tasks that need them. */
export type RetentionApplied = { rules: readonly RetentionRule[]; erased: number; kept: number }

type Deps = {
  log: Pick<Log, 'append' | 'revisionOf' | 'lastOf'>
  rows: Pick<Erasable, 'oldAfter'>
  retire: ErasureCommands['retire']
  rules: readonly RetentionRule[]
  clock: Clock
  timers: Timers
  ids: Ids
  report: Report
}

const bySystem = { principal: 'system', causation: retentionStream }
const system = { id: 'system', role: 'admin', userId: undefined, expiresAt: undefined } as const

/** The ended tasks that a rule names. */
const matching = async (
  { oldAfter }: Deps['rows'],
  { status, agent, user_id: userId, older_than_days }: RetentionRule,
  now: number,
): Promise<ErasableTask[]> => {
  const before = now - older_than_days * dayMs
  const found: ErasableTask[] = []
  for (let after: number | undefined = 0; after !== undefined; ) {
    const slice = oldAfter({ before, status, agent, userId }, after)
    found.push(...slice.found)
    after = slice.next
    await yieldToLoop()
  }
  return found
}

export const createRetention = (deps: Deps) => {
  const { log, rows, rules, clock, timers, report } = deps
  const counts = { erased: 0, kept: 0, failures: 0 }
  /** The tasks that were erased and that no event RetentionApplied counts yet, also by attempts that failed. */
  let uncounted = 0
  let isRunning = false
  let stopped = false

  /** Erases the tasks that a rule names. Resolves to the number of tasks that stay. */
  const applyRule = async (rule: RetentionRule): Promise<number> => {
    const found = await matching(rows, rule, clock.now())
    let erased = 0
    const asked = { principal: system, requestId: deps.ids.next('retention_') }
    if (found.length > 0)
      for await (const gone of deps.retire(asked, found, wordsOf(rule))) {
        erased += gone
        uncounted += gone
        counts.erased += gone
        if (stopped) break
      }
    return Math.max(0, found.length - erased)
  }
  const apply = async (): Promise<void> => {
    let kept = 0
    for (const rule of rules) kept += await applyRule(rule)
    if (stopped) return
    const total = { erased: uncounted, kept }
    const data: RetentionApplied = { rules, ...total }
    await record(log, retentionStream, [{ type: 'RetentionApplied', data }], bySystem)
    uncounted = 0
    counts.kept = kept
    report('info', `retention has erased ${total.erased} tasks, and kept ${total.kept} that it names`, total)
  }
  const isDue = async (): Promise<boolean> => {
    const last = await log.lastOf(retentionStream)
    return last === undefined || clock.now() - Date.parse(last.header.time) >= dayMs
  }
  /** Applies the rules when a day has passed. An error is reported, and the next check tries again. */
  const look = async (): Promise<void> => {
    if (isRunning || rules.length === 0) return
    isRunning = true
    try {
      if (await isDue()) await apply()
    } catch (error) {
      counts.failures++
      report('error', 'the rules of RETENTION could not be applied: the server tries again', {
        error: String(error),
      })
    }
    isRunning = false
  }
  let stopLooking = () => {}
  return {
    look,
    start(): void {
      if (rules.length === 0) return
      void look()
      stopLooking = timers.every(lookMs, () => void look())
    },
    stop(): void {
      stopped = true
      stopLooking()
    },
    counts: () => counts,
  }
}
export type Retention = ReturnType<typeof createRetention>
