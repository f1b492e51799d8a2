// Plays a recorded task again, and kills the process of the agent at each of its steps. The outside is the recording: the same
// results come in the same order, at the same times. So whatever is different now comes from the code itself.
import type { EntryResult, Outcome } from '../../contract/code-agent.ts'
import { canonical } from '../../contract/json/canonical.ts'
import { type Asked, type Entry, isGiven, type Recording } from './recording.ts'
import { HostFailed, type HostProcess, type Message, patienceMs } from './tested-host.ts'

/** Where the code went another way. `n`: the number of the entry; undefined: at the end. */
export type Difference = { n?: number; found: string }
export type KillResult = {
  /** How many processes were killed. */
  kills: number
  difference?: Difference
  /** Lines in which the library warns about the code. */
  warnings: string[]
}

const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? `“${value}”` : (JSON.stringify(value) ?? 'nothing')
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}
/** An entry for people: what it does, and with what. */
export const entryText = (entry: Partial<Entry>): string => {
  const { do: what, name, text, arguments: args, input, messages } = entry
  const [last] = ((messages ?? []) as { content?: unknown }[]).slice(-1)
  const given = text ?? args ?? input ?? last?.content
  return [what, name, given === undefined ? undefined : shown(given)].filter(Boolean).join(' ')
}
export const outcomeText = (outcome: Outcome): string => {
  if ('answer' in outcome) return `the answer ${shown(outcome.answer)}`
  if ('error' in outcome) return `the error ${shown(outcome.error.message)}`
  return 'other entries than before'
}

const sameOutcome = (one: Outcome, other: Outcome): boolean => {
  if ('answer' in one && 'answer' in other) return canonical(one.answer) === canonical(other.answer)
  if ('error' in one && 'error' in other) return one.error.message === other.error.message
  return false
}

const changedText = (
  { was, is }: Extract<Outcome, { changed: unknown }>['changed'],
  recorded: Entry | undefined,
): string => {
  const before = entryText({ ...recorded, ...was })
  if (is === undefined) return `it was ${before}, and the code does not ask for it any more`
  return `it was ${before}, and is ${entryText(is as Partial<Entry>)} when the code runs again`
}

type Deps = {
  start(): HostProcess
  recording: Recording
  /** Called after each kill. */
  killed(done: number, total: number): void
}

export const killEverywhere = async ({ start, recording, killed }: Deps): Promise<KillResult> => {
  const { steps, begin, history } = recording
  const all = new Map(
    steps.flatMap(step => (isGiven(step) ? [] : step.entries)).map(entry => [entry.n, entry]),
  )
  /** How the code ended. It may end while results come that it has no use for. */
  const end = steps.findLast((step): step is Asked => !isGiven(step))?.outcome
  const warnings = new Set<string>()
  const hasEnded = new WeakSet<HostProcess>()

  /** The first entry of a turn that is not as it was. */
  const differenceIn = (moves: Entry[]): Difference | undefined => {
    for (const move of moves.filter(({ n }) => n !== undefined)) {
      const { n } = move
      const was = all.get(n)
      if (was === undefined)
        return { n, found: `the code asks for ${entryText(move)}, which it has not asked for before` }
      if (was.do !== move.do || was.name !== move.name || was.digest !== move.digest)
        return { n, found: `it was ${entryText(was)}, and is ${entryText(move)} when the code runs again` }
    }
    return undefined
  }
  const judgeEnd = (outcome: Outcome, expected: Outcome | undefined): Difference | undefined => {
    if ('changed' in outcome) {
      const { n } = outcome.changed
      return { n, found: changedText(outcome.changed, all.get(n)) }
    }
    if (expected === undefined) return { found: `the code ends too early, with ${outcomeText(outcome)}` }
    if (sameOutcome(outcome, expected)) return undefined
    return {
      found: `it was ${outcomeText(expected)}, and is ${outcomeText(outcome)} when the code runs again`,
    }
  }

  /** Waits until the code has done what it did in the recording. Undefined: it only has to answer. */
  const hear = async (
    host: HostProcess,
    heard: Set<number>,
    expected: Asked | undefined,
  ): Promise<Difference | undefined> => {
    const left = new Set(expected?.entries.map(({ n }) => n).filter(n => !heard.has(n)))
    for (let isAnswered = false; ; ) {
      if (isAnswered && left.size === 0 && expected?.outcome === undefined) return undefined
      let message: Message
      try {
        message = await host.next()
      } catch (error) {
        if (!(error instanceof HostFailed)) throw error
        const [n] = left
        const what = n === undefined ? outcomeWaited(expected) : entryText(all.get(n) ?? {})
        return { ...(n === undefined ? {} : { n }), found: `${what} does not come again: ${error.message}` }
      }
      if (message.type === 'ask')
        host.send({ type: 'answer', lease: message.lease, id: message.id, value: history })
      if (message.type !== 'turn') continue
      const moves = message.moves as Entry[]
      const difference = differenceIn(moves)
      if (difference !== undefined) return difference
      for (const { n } of moves) {
        heard.add(n)
        left.delete(n)
      }
      isAnswered = true
      if (message.outcome !== undefined) hasEnded.add(host)
      if (message.outcome !== undefined)
        return judgeEnd(
          message.outcome as Outcome,
          [...all.keys()].every(n => heard.has(n)) ? end : undefined,
        )
    }
  }

  /** Begins with the journal as it was before the step, and goes on for this step. */
  const playFrom = async (at: number): Promise<Difference | undefined> => {
    const before = steps.slice(0, at)
    /** What is stored, and what this process has asked for: before a result comes, or after. */
    const heard = new Set(before.flatMap(step => (isGiven(step) ? [] : step.entries.map(({ n }) => n))))
    const host = start()
    try {
      const hello = await host.next()
      if (hello.type !== 'hello') return { found: `it cannot be loaded again: ${hello.message}` }
      host.send({
        ...begin,
        lease: `check_${at}`,
        entries: before.flatMap(step =>
          isGiven(step)
            ? []
            : step.entries.map(({ do: what, name, digest }) => ({
                ...{ do: what, digest },
                ...(name === undefined ? {} : { name }),
              })),
        ),
        results: before.flatMap((step): EntryResult[] => (isGiven(step) ? step.results : [])),
      })
      const now = steps[at]
      if (!isGiven(now)) return await hear(host, heard, now)
      const early = await hear(host, heard, undefined)
      if (early !== undefined || hasEnded.has(host)) return early
      host.send({ type: 'results', lease: `check_${at}`, results: now.results })
      const next = steps[at + 1]
      return await hear(host, heard, isGiven(next) ? undefined : next)
    } finally {
      await host.kill()
      for (const line of host.errors()) if (/is not a call of ctx/.test(line)) warnings.add(line)
    }
  }

  for (let at = 0; at < steps.length; at++) {
    const difference = await playFrom(at)
    const kills = Math.min(at + 1, steps.length - 1) // the last process comes to the end
    if (difference !== undefined) return { kills: at, difference, warnings: [...warnings] }
    killed(kills, steps.length - 1)
  }
  return { kills: Math.max(0, steps.length - 1), warnings: [...warnings] }
}

const outcomeWaited = (expected: Asked | undefined): string =>
  expected?.outcome === undefined ? `an answer within ${patienceMs / 1000} s` : outcomeText(expected.outcome)
