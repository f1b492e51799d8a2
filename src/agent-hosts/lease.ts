// One lease from the side of the server: which entries the journal has, which are open, and what the code has seen.
import { hash } from 'node:crypto'
import { mostOpen, mostUnsaid, mostUnstored } from '../contract/agent-protocol.ts'
import type { EntryResult, JournalEntry, LeaseListener, Turn } from '../contract/code-agent.ts'
import { asTexts } from '../contract/variables.ts'
import { Unfit } from '../platform/programs/lines.ts'

/** Thrown when a host sends more than the server can take. */
export class Flooded extends Error {}

/** What is known of an open entry. `run`: the host has to report its outcome. `reported`: it has done so. */
type Open = 'run' | 'reported' | 'other'

export type Held = {
  id: string
  listener: LeaseListener
  /** The values of the variables of the task, which are secrets. */
  secrets: string[]
  /** Checks a turn of so many bytes against the journal. Returns what is new in it. Throws Unfit or Flooded. */
  take(turn: Turn, bytes: number): Turn | undefined
  /** Does a question of the host when those before are answered. Throws Flooded. */
  asked(answer: () => Promise<void>): void
  /** Counts results that are sent to the host. */
  gave(results: readonly EntryResult[]): void
  /** Bytes that the host has sent and that are not stored yet. */
  unstored(): number
  /** A turn of so many bytes is stored, or will never be. */
  stored(turn: Turn, bytes: number): void
  /** Whether the host waits for results, and does nothing else for the lease. */
  isIdle(): boolean
}

let made = 0
/** An id that no other lease of this server has, also not one before a restart. */
const start = hash('sha256', `${process.pid} ${Date.now()}`, 'hex').slice(0, 6)
const newLeaseId = (): string => `l_${start}_${++made}`

/** The bytes of text that a turn adds to the output. */
const textOf = ({ moves }: Turn): number =>
  moves.reduce(
    (sum, move) => sum + (move.do === 'say' || move.do === 'think' ? Buffer.byteLength(move.text) : 0),
    0,
  )

const hasResult = (kind: string): boolean => kind !== 'say' && kind !== 'think'

export const createLeaseState = (
  listener: LeaseListener,
  entries: readonly JournalEntry[],
  results: readonly EntryResult[],
  vars: Record<string, unknown>,
): Held => {
  const answered = new Set(results.map(({ n }) => n))
  const open = new Map<number, Open>()
  entries.forEach((entry, at) => {
    if (hasResult(entry.do) && !answered.has(at + 1)) open.set(at + 1, entry.do === 'run' ? 'run' : 'other')
  })
  let last = entries.length
  let given = results.length
  let seen = -1
  let unstored = 0
  let unsaid = 0
  let questions = 0
  let answering = Promise.resolve()
  let hasOutcome = false

  const known = (kind: string, of: number): Open | undefined => {
    if (of > last) throw new Unfit(`a move ${kind} of the entry ${of}, which there is not`)
    return open.get(of)
  }

  return {
    id: newLeaseId(),
    listener,
    secrets: Object.values(asTexts(vars)),
    take(turn, bytes) {
      if (hasOutcome) return undefined
      if (turn.seen < seen || turn.seen > given)
        throw new Unfit(`a turn that has seen ${turn.seen} results, of ${given}`)
      const moves = turn.moves.filter(move => {
        if (move.do === 'ran') {
          const entry = known('ran', move.of)
          if (entry === 'other') throw new Unfit(`a move ran of the entry ${move.of}, which is no run`)
          if (entry === 'run') open.set(move.of, 'reported')
          return entry === 'run'
        }
        if (move.do === 'drop') return known('drop', move.of) !== undefined
        if (move.n !== last + 1) throw new Unfit(`the entry ${move.n}, where ${last + 1} is the next`)
        last = move.n
        if (hasResult(move.do)) open.set(move.n, move.do === 'run' ? 'run' : 'other')
        return true
      })
      seen = turn.seen
      unstored += bytes
      unsaid += textOf(turn)
      hasOutcome = turn.outcome !== undefined
      if (open.size > mostOpen) throw new Flooded(`a task asked for more than ${mostOpen} things at a time`)
      if (unsaid > mostUnsaid)
        throw new Flooded(`a task sent more than ${mostUnsaid >> 20} MiB of text that are not stored`)
      if (unstored > mostUnstored)
        throw new Flooded(`a task sent more than ${mostUnstored >> 20} MiB that are not stored`)
      return { ...turn, moves }
    },
    asked(answer) {
      if (++questions > mostOpen) throw new Flooded(`a task asked more than ${mostOpen} questions at a time`)
      answering = answering.then(answer).finally(() => void questions--)
    },
    gave(more) {
      given += more.length
      for (const { n } of more) open.delete(n)
    },
    unstored: () => unstored,
    stored(turn, bytes) {
      unstored -= bytes
      unsaid -= textOf(turn)
    },
    isIdle: () => seen === given && !hasOutcome && ![...open.values()].includes('run'),
  }
}
