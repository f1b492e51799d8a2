// Checks values against JSON Schemas (2020-12): the answer of a task against `structured_output`, the arguments of a
// call against the `parameters` of the tool. Callers' schemas run in threads that can be ended. Small schemas whose
// time is bounded (plain.ts) and our own schemas run on this thread.
import type { Timers } from '../contract/ports.ts'
import { createPlaces } from '../fairness/places.ts'
import { processorMs } from '../platform/threads/thread-time.ts'
import { type Check, compile } from './compile.ts'
import { schemaText, valueText } from './limits.ts'
import { createPlainChecks } from './plain.ts'
import type { Request } from './schema-thread.ts'
import { type RunTime, type SchemaThread, schemaThread } from './thread.ts'

// The result of every check: the value fits, or a list of problems such as "/path/to/field must be string".

type Verdict = { ok: true } | { ok: false; problems: string[] }

const verdictOf = (problems: string[]): Verdict =>
  problems.length === 0 ? { ok: true } : { ok: false, problems }

export type SchemaChecker = {
  /**
   * Says why this is not a usable schema. The list is empty if it is usable. `user`: the user for whom the check is
   * made, since users take turns; absent: the check is for no user.
   */
  problemsOf(schema: unknown, user?: string): Promise<string[]>
  /** A check that exceeds its deadline or its memory is not ok, with a problem that says so. */
  check(schema: unknown, value: unknown, user?: string): Promise<Verdict>
  /** Ends the threads. Open calls and later calls reject. */
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
  /** A check may run this many milliseconds. The time that it waits for other checks or its thread does not count. */
  deadlineMs?: number
  timers?: Pick<Timers, 'after'>
  /**
   * Measures how long a thread has run, if the system counts this. When other work has kept a check from running, the
   * check gets more time.
   */
  runTime?: RunTime
}

/**
 * The largest number of threads. A user uses one thread at a time, so that a slow check delays only its own user. The
 * second thread starts when it is needed.
 */
const maxThreads = 2

export const createSchemaChecker = ({
  deadlineMs = 1000,
  timers = realTimers,
  runTime = processorMs,
}: Options = {}): SchemaChecker => {
  const threads = Array.from({ length: maxThreads }, () => schemaThread(deadlineMs, timers, runTime))
  /** Idle threads. The last used thread comes first, because it has the most schemas in its cache. */
  const free = [...threads]
  const plainProblems = createPlainChecks()
  let isClosed = false
  const { hold } = createPlaces({ places: maxThreads, perUser: 1 })
  const ask = (user: string, request: Request): Promise<string[]> =>
    hold(user, async () => {
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
      const problemsHere = isClosed ? undefined : plainProblems(schemaIs.text, valueIs.text)
      if (problemsHere !== undefined) return verdictOf(problemsHere)
      return verdictOf(await ask(user, { schema: schemaIs.text, value: valueIs.text }))
    },
    async close() {
      isClosed = true
      await Promise.all(threads.map(({ close }) => close()))
    },
  }
}

/**
 * Returns the check for one of our own schemas. The schema is compiled once, at the first check, and runs on this
 * thread. The check throws when the schema is invalid.
 */
export const trusted = (schema: object): ((value: unknown) => Verdict) => {
  let check: Check | undefined
  return value => {
    check ??= compiledCheck(schema)
    return verdictOf(check(value))
  }
}

const compiledCheck = (schema: object): Check => {
  // Converted to JSON, without the additional properties that TypeBox puts on a schema.
  const compiled = compile(JSON.parse(JSON.stringify(schema)))
  if ('problems' in compiled) throw new Error(compiled.problems.join('; '))
  return compiled.check
}
