// Runs the code of one agent against the journal of its task. The code asks for entries, which get numbers in the order in
// which it asks. It gets one result at a time, in the order in which the server has stored them, and the next one only when
// it has done all that followed from the one before. So the code does the same each time that it runs.
import { AsyncLocalStorage } from 'node:async_hooks'
import type {
  Begin,
  EntryKind,
  EntryResult,
  JournalEntry,
  MachineState,
  Outcome,
} from '../../src/contract/code-agent.ts'
import { randomFrom } from '../../src/platform/seeded-random.ts'
import { callErrorOf } from './errors.ts'
import type { Asked, Journal } from './journal-port.ts'
import { deepestValue, failMs, warnMs } from './limits.ts'
import { digestOf, plainJson, valuesIn } from './plain-json.ts'
import { moveValues, ranOf, textOf, thrownOf } from './ran.ts'
import { createTurnQueue } from './turns.ts'

/** Milliseconds for which code may wait for something that is not in the journal: until a warning, and until its end. */
export type Patience = { warnMs: number; endMs: number }
const usualPatience: Patience = { warnMs, endMs: failMs }

type Settle = { resolve(value: unknown): void; reject(error: Error): void }
type Run = { name: string; controller: AbortController; start(): void }

export type JournalDeps = {
  lease: string
  begin: Begin
  send(text: string): void
  /** Whether the connection can take more now. */
  hasRoom(): boolean
  /** Tells the author something, in one line. */
  warn(line: string): void
  /** Called when the last turn has been sent. */
  ended(): void
  patience?: Patience | undefined
}

type Place = { journal: Journal; run?: string }
const places = new AsyncLocalStorage<Place>()
/** The journal of the code that runs now. */
export const journalHere = (): Journal | undefined => places.getStore()?.journal

const hasResult = (kind: EntryKind): boolean => kind !== 'say' && kind !== 'think'

const help = 'put such work into ctx.run(name, fn), so that its result is stored'

export const createJournal = (deps: JournalDeps): Journal => {
  const { lease, begin, warn, patience = usualPatience } = deps
  const stored: JournalEntry[] = begin.entries ?? []
  /** Results that the code has not got yet, in the order in which they were stored. */
  const queue: EntryResult[] = [...(begin.results ?? [])]
  const replayed = queue.length
  /** The entries whose results have come. */
  const known = new Set(queue.map(({ n }) => n))
  /** The entries whose results the code has not got yet. */
  const waiting = new Map<number, Settle & { asked: Asked }>()
  const histories: Settle[] = []
  const runs = new Map<number, Run>()
  /** The runs that the server has told this host to start. */
  const told = new Set<number>()
  const running = new Set<Promise<void>>()
  /** The runs that have ended. */
  const ended = new Set<number>()
  const controller = new AbortController()
  const random = randomFrom(begin.seed)
  const turns = createTurnQueue({
    ...deps,
    stored: stored.length,
    open: stored.filter((entry, index) => hasResult(entry.do) && !known.has(index + 1)).length,
  })
  const title = `agent ${begin.agent}, task ${begin.task}`

  let count = 0
  let seen = 0
  let at = begin.at
  let isReturned = false
  let isEnding = false
  let isOver = false
  /** Called when nothing is left to do for the lease; undefined: the host goes on with it. */
  let left: (() => void) | undefined
  /** The code does what follows from its last result. */
  let isSettling = true
  let isWoken = false
  let hasWarned = false
  let impatient: NodeJS.Timeout | undefined

  const wake = () => {
    if (isWoken || isOver) return
    isWoken = true
    setImmediate(() => {
      isWoken = false
      if (!isOver) proceed()
    })
  }
  const settle = () => {
    isSettling = true
    wake()
  }
  const over = (reason: unknown) => {
    isOver = true
    clearTimeout(impatient)
    controller.abort(reason)
    for (const run of runs.values()) run.controller.abort(reason)
    left?.()
  }
  const flush = () => {
    if (!turns.flush(seen)) return
    over(new Error('the task has ended'))
    deps.ended()
  }
  const end = (outcome: Outcome) => {
    if (isEnding || isOver) return
    isEnding = true
    // Code that ends before it has asked for all that the journal has is not the code that has asked for it.
    const was = 'changed' in outcome ? undefined : stored[count]
    turns.end(was === undefined ? outcome : { changed: { n: count + 1, was } })
    wake()
  }

  /** Whether the code may get the next result. While the host stops, it gets only those that were stored before its lease. */
  const mayGoOn = () =>
    histories.length === 0 && !isEnding && !isOver && (left === undefined || seen < replayed)

  /** The code has done all that followed from its last result. */
  const proceed = () => {
    isSettling = false
    clearTimeout(impatient)
    if (turns.hasMoved() && seen > replayed) flush()
    // The history comes before all results, so that it comes at the same point each time.
    if (histories.length > 0 && !isEnding && left === undefined) return
    const [next] = queue
    if (next !== undefined && mayGoOn() && waiting.has(next.n)) return deliver(next)
    flush()
    if (left !== undefined) leaveIfDone(left)
    else if (!isOver && !isEnding) beImpatient()
  }

  /** The server may tell this host at any moment to start a run that is stored, and waits for the outcome of each. */
  const leaveIfDone = (leave: () => void) => {
    const before = stored.flatMap((entry, index) => (entry.do === 'run' ? [index + 1] : []))
    const open = [...before, ...runs.keys()].filter(n => !known.has(n) && !ended.has(n) && turns.isSent(n))
    if (open.length === 0 && !isEnding && !turns.owesOutcome()) leave()
  }

  const deliver = (result: EntryResult) => {
    const { asked, resolve, reject } = waiting.get(result.n) as Settle & { asked: Asked }
    waiting.delete(result.n)
    queue.shift()
    seen++
    at = result.at
    const run = runs.get(result.n)
    runs.delete(result.n)
    if ('error' in result) {
      const error = callErrorOf(result.error, asked.do, asked.what)
      run?.controller.abort(error)
      reject(error)
    } else resolve(result.value)
    settle()
  }

  /** Ends code that waits for something that is not in the journal. */
  const beImpatient = () => {
    if (queue.length === 0 && waiting.size > 0) return
    const wait = (ms: number, then: () => void) => {
      impatient = setTimeout(then, ms)
    }
    wait(patience.warnMs, () => {
      warn(`${title}: the code waits for something that is not a call of ctx: ${help}`)
      wait(patience.endMs - patience.warnMs, () => {
        const message = `the code has waited ${patience.endMs / 1000} s for something that is not a call of ctx: ${help}`
        end({ error: { name: 'ForeignPromise', message } })
      })
    })
  }

  /** Throws if `ctx` may not be used now. */
  const check = (what: string) => {
    const run = places.getStore()?.run
    if (run !== undefined)
      throw new Error(
        `${what} was used inside of ctx.run('${run}'): use it before or after, since only the run is stored`,
      )
    if (isReturned)
      throw new Error(
        `${what} was used after the agent had returned: await every call of ctx before you return`,
      )
    if (!isSettling && !hasWarned && !isOver) {
      hasWarned = true
      warn(
        `${title}: ${what} follows something that is not a call of ctx, and may come at another time when the code runs again: ${help}`,
      )
    }
  }

  /** Whether the code asks for what the journal has. If not, the task ends. */
  const fits = (n: number, is: JournalEntry, fields: object): boolean => {
    const was = stored[n - 1]
    if (was === undefined) return true
    if (was.do === is.do && was.name === is.name && was.digest === is.digest) return true
    end({
      changed: { n, was, is: { ...is, ...('arguments' in fields ? { arguments: fields.arguments } : {}) } },
    })
    return false
  }

  /** Makes an entry, and returns its number; undefined: the task ends, since the journal has another entry. */
  const enter = ({ do: kind, name, fields = {}, compared, timeout, what }: Asked): number | undefined => {
    check(what)
    // The fields are one level above what the code has given.
    const plain = plainJson(fields, `what is given to ${what}`, deepestValue + 1) as Record<string, unknown>
    const named = name === undefined ? {} : { name }
    const digest = digestOf([kind, name ?? null, compared === undefined ? plain : plainJson(compared, what)])
    const limit = timeout === undefined ? {} : { timeout_ms: timeout }
    const text = textOf(
      { n: count + 1, do: kind, ...named, digest, ...plain, ...limit },
      `what is given to ${what}`,
    )
    if (isOver || isEnding) return undefined
    const n = ++count
    if (!fits(n, { do: kind, ...named, digest }, plain)) return undefined
    if (n > stored.length) turns.ask(n, hasResult(kind), { text, values: valuesIn(plain) + moveValues })
    wake()
    return n
  }

  const drop = (n: number) => {
    if (known.has(n) || isOver || isEnding) return
    turns.about(n, { text: `{"do":"drop","of":${n}}`, values: moveValues })
    wake()
  }

  const ask = (asked: Asked): { n: number | undefined; result: Promise<unknown> } => {
    const { signal } = asked
    signal?.throwIfAborted()
    const n = enter(asked)
    if (n === undefined) return { n, result: new Promise(() => {}) }
    const onAbort = () => drop(n)
    signal?.addEventListener('abort', onAbort, { once: true })
    const result = new Promise<unknown>((resolve, reject) => {
      waiting.set(n, { asked, resolve, reject })
    })
    return {
      n,
      result:
        signal === undefined ? result : result.finally(() => signal.removeEventListener('abort', onAbort)),
    }
  }

  const startRun = (n: number, name: string, fn: () => unknown) => {
    ended.delete(n)
    const done = ranOf(n, name, () => places.run({ journal, run: name }, fn)).then(move => {
      running.delete(done)
      if (isOver || isEnding || known.has(n)) return
      ended.add(n)
      turns.about(n, move)
      wake()
    })
    running.add(done)
  }

  const journal: Journal = {
    signal: controller.signal,
    async ask(asked: Asked): Promise<unknown> {
      return ask(asked).result
    },
    begin(asked: Asked): { n: number; result: Promise<unknown> } {
      const { n = 0, result } = ask(asked)
      return { n, result }
    },
    tell(asked: Asked): void {
      enter(asked)
    },
    async run(
      name: string,
      fn: (tools: { signal: AbortSignal }) => unknown,
      asked: Asked & { safe: boolean },
    ): Promise<unknown> {
      const { n, result } = ask(asked)
      if (n === undefined || known.has(n)) return result
      const abort = new AbortController()
      const start = () => startRun(n, name, () => fn({ signal: abort.signal }))
      runs.set(n, { name, controller: abort, start })
      if (asked.safe || told.has(n)) start()
      return result
    },
    history(what: string): Promise<unknown> {
      check(what)
      return new Promise((resolve, reject) => {
        if (isOver || isEnding) return
        histories.push({ resolve, reject })
        deps.send(JSON.stringify({ type: 'ask', lease, id: 'history', what: 'history' }))
      })
    },
    now(): number {
      return at
    },
    random(): number {
      check('ctx.random()')
      return random()
    },
    moved(state: MachineState): void {
      turns.moved(state)
      wake()
    },
    start(main: () => unknown): void {
      const code = places.run({ journal }, async () => main())
      const returned = code.finally(() => {
        isReturned = true
      })
      returned
        .then(value => {
          const what = 'the answer of the agent'
          const answer = plainJson(value ?? '', what)
          textOf(answer, what)
          end({ answer })
        })
        .catch(error => end({ error: thrownOf(error) }))
      settle()
    },
    fail(error: unknown): void {
      end({ error: thrownOf(error) })
    },
    take(results: EntryResult[]): void {
      if (isOver) return
      for (const result of results) {
        if (known.has(result.n)) continue
        known.add(result.n)
        turns.close()
        queue.push(result)
      }
      turns.owe()
      wake()
    },
    takeRun(n: number): void {
      told.add(n)
      if (!isOver && !known.has(n)) runs.get(n)?.start()
    },
    takeHistory(answer: { value?: unknown; error?: { message?: string } | string }): void {
      const asked = histories.splice(0)
      const { error } = answer
      const message = typeof error === 'string' ? error : error?.message
      for (const { resolve, reject } of asked)
        if (error === undefined) resolve(answer.value)
        else reject(new Error(`the history could not be read: ${message}`))
      settle()
    },
    resume: wake,
    stop(reason) {
      over(reason)
      return Promise.all(running)
    },
    drain: () =>
      new Promise(resolve => {
        left = resolve
        if (isOver) resolve()
        else wake()
      }),
  }
  return journal
}
