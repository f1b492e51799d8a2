// Whether a value fits a JSON Schema (2020-12): the answer of a task its `structured_output`, arguments the
// `parameters` of their tool. A caller's schema and value never run on this thread, our own schemas do.
import type { Timers } from '../contract/ports.ts'
import { createFairTurns } from '../fairness/fair-turns.ts'
import { processorMs } from '../platform/thread-time.ts'
import { compile } from './compile.ts'
import { schemaText, valueText } from './limits.ts'
import type { Request } from './schema-thread.ts'
import { type RunTime, type SchemaThread, schemaThread } from './thread.ts'
import { type Verdict, verdictOf } from './verdict.ts'

export type { Verdict } from './verdict.ts'
export type SchemaChecker = {
  /** Why this cannot be used as a schema; empty if it can. Users take turns; absent: nobody's in particular. */
  problemsOf(schema: unknown, user?: string): Promise<string[]>
  /** A check that runs over its deadline, or takes too much memory, is not ok, with a problem that says so. */
  check(schema: unknown, value: unknown, user?: string): Promise<Verdict>
  /** Nothing is left running; calls that are under way reject, and so do later ones. */
  close(): Promise<void>
}

const realTimers: Pick<Timers, 'after'> = {
  after(ms, job) {
    const timer = setTimeout(job, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
}

export type Options = {
  /** For a call's own run, not for its waiting for others or for the thread to start. */
  deadlineMs?: number
  timers?: Pick<Timers, 'after'>
  /** Where the system counts it: a check that was kept from running gets more time. */
  runTime?: RunTime
}

/** A user has one, so that whoever sends what takes long keeps only itself waiting. The second starts when it is needed. */
const mostThreads = 2

export const createSchemaChecker = ({
  deadlineMs = 1000,
  timers = realTimers,
  runTime = processorMs,
}: Options = {}): SchemaChecker => {
  const threads = Array.from({ length: mostThreads }, () => schemaThread(deadlineMs, timers, runTime))
  /** Those that have nothing to do; the first was used last, and remembers most. */
  const free = [...threads]
  const turn = createFairTurns({ most: mostThreads, mostOfOne: 1 })
  const ask = (user: string, request: Request): Promise<string[]> =>
    turn(user, async () => {
      const thread = free.shift() as SchemaThread
      try {
        return await thread.ask(request)
      } finally {
        free.unshift(thread)
      }
    })
  return {
    async problemsOf(schema, user = '') {
      const text = schemaText(schema)
      return 'problem' in text ? [text.problem] : ask(user, { schema: text.text })
    },
    async check(schema, value, user = '') {
      const texts = [schemaText(schema), valueText(value)] as const
      const problems = texts.flatMap(text => ('problem' in text ? [text.problem] : []))
      const [schemaIs, valueIs] = texts
      if ('problem' in schemaIs || 'problem' in valueIs) return verdictOf(problems)
      return verdictOf(await ask(user, { schema: schemaIs.text, value: valueIs.text }))
    },
    async close() {
      await Promise.all(threads.map(({ close }) => close()))
    },
  }
}

/** For our own schemas: compiled once, here, and run on this thread. Throws for a schema that is none. */
export const trusted = (schema: object): ((value: unknown) => Verdict) => {
  // As JSON, without what else TypeBox hangs on a schema.
  const compiled = compile(JSON.parse(JSON.stringify(schema)))
  if ('problems' in compiled) throw new Error(compiled.problems.join('; '))
  const { check } = compiled
  return value => verdictOf(check(value))
}
