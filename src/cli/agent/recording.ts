// What one task of an agent has asked for, and what it got, in the order in which it happened. The recording is made between
// the host and the server, which hear of it only that long sleeps are short: the code sees the times that it has asked for.
import type { EntryResult, JournalEntry, MachineState, Outcome } from '../../contract/code-agent.ts'
import type { Message } from './tested-host.ts'

/** A new entry, as the host has sent it. */
export type Entry = JournalEntry & { n: number; [field: string]: unknown }
/** The code has asked for entries, or it has ended. */
export type Asked = { entries: Entry[]; machine?: MachineState; outcome?: Outcome }
/** The code has got results. */
export type Given = { results: EntryResult[] }
export type Step = Asked | Given
export const isGiven = (step: Step | undefined): step is Given => step !== undefined && 'results' in step

export type Recording = {
  /** The first message `begin`. */
  begin: Message
  steps: Step[]
  /** The answer to the question for the history, if the code has asked. */
  history: unknown
}

/** A sleep lasts at most this many milliseconds: when the code waits for nothing else, and when it does, so that the rest ends first. */
const [longestAloneMs, longestBesideMs] = [500, 10_000]

export const recordTask = () => {
  const steps: Step[] = []
  const entries = new Map<number, Entry>()
  /** The results that have come, with the times that the code sees. */
  const times = new Map<number, number>()
  let begin: Message | undefined
  let history: unknown = []
  /** By how many milliseconds the time that the code sees is ahead. */
  let ahead = 0

  const timed = (result: EntryResult): EntryResult => {
    const entry = entries.get(result.n)
    const slept = entry?.do === 'sleep' ? Number(entry.until) : 0
    const at = times.get(result.n) ?? Math.max(result.at + ahead, slept)
    ahead = Math.max(ahead, at - result.at)
    return { ...result, at }
  }
  const give = (given: EntryResult[]): EntryResult[] => {
    const results = given.map(timed)
    const fresh = results.filter(({ n }) => !times.has(n))
    for (const { n, at } of fresh) times.set(n, at)
    if (fresh.length > 0) steps.push({ results: fresh })
    return results
  }
  const open = (): Entry[] =>
    [...entries.values()].filter(({ n, do: what }) => !times.has(n) && what !== 'say' && what !== 'think')
  const ask = (message: Message): Message => {
    const moves = message.moves as Entry[]
    const fresh = moves.filter(({ n }) => n !== undefined && !entries.has(n))
    for (const entry of fresh) entries.set(entry.n, entry)
    const { machine, outcome } = message as { machine?: MachineState; outcome?: Outcome }
    if (fresh.length > 0 || outcome !== undefined)
      steps.push({ entries: fresh, ...(machine && { machine }), ...(outcome && { outcome }) })
    const isAlone = open().every(({ do: what }) => what === 'sleep' || what === 'message')
    const soonest = Date.now() + (isAlone ? longestAloneMs : longestBesideMs)
    const short = (move: Entry) =>
      move.do === 'sleep' ? { ...move, until: Math.min(Number(move.until) - ahead, soonest) } : move
    return { ...message, moves: moves.map(short) }
  }

  return {
    /** Takes a message of the server. Returns what the host gets. */
    toHost(message: Message): Message {
      if (message.type === 'answer') history = message.value
      if (message.type === 'begin') {
        begin ??= { ...message }
        return { ...message, results: give((message.results as EntryResult[] | undefined) ?? []) }
      }
      if (message.type !== 'results') return message
      return { ...message, results: give(message.results as EntryResult[]) }
    },
    /** Takes a message of the host. Returns what the server gets. */
    toServer: (message: Message): Message => (message.type === 'turn' ? ask(message) : message),
    /** The entries that have no result yet. */
    open,
    /** The events for which a statechart waits now; undefined: it is none. */
    nextEvents: (): string[] | undefined =>
      steps.findLast((step): step is Asked => !isGiven(step) && step.machine !== undefined)?.machine
        ?.next_events,
    /** Undefined: the code has not begun. */
    recording: (): Recording | undefined => begin && { begin, steps, history },
  }
}
export type Recorder = ReturnType<typeof recordTask>
