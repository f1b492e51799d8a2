// What is wrong with a node or with its cluster at the moment. Each part of a node notes here what it sees, and when it is
// over. The readiness of the node, `reprise cluster status`, the metrics and the log lines all come from this one list.
//
// A condition counts when it has lasted for a while, so that a short pause, such as a change of the leader at the NATS
// servers, raises no alarm. The log gets one line when a condition begins to count, and one when it is over.
import type { Clock, Report, Timers } from '../contract/ports.ts'

/**
 * What a condition does to a standby. `barred`: it could not take over, and does not try. `unready`: it is not ready, but
 * takes over if the owner is lost. `noted`: it stays ready.
 */
type Effect = 'barred' | 'unready' | 'noted'
/**
 * `afterMs`: for how many milliseconds a condition must last before it counts. `level`: that of its lines; absent: `warn`.
 * `explains`: conditions that are not shown while this one counts, since it is their cause and says what to do.
 */
type Kind = { effect: Effect; afterMs: number; level?: 'info'; explains?: readonly string[] }
const kinds = {
  /** The node has not read everything that the shared log had when the node began to follow. */
  'catching-up': { effect: 'barred', afterMs: 0, level: 'info' },
  /** Records of the shared log are missing or damaged at each NATS server that was asked: no other one could mend a server. */
  'log-damaged': { effect: 'barred', afterMs: 0, explains: ['server-damaged'] },
  /**
   * A NATS server lacks records that other servers have, or has damaged ones. Another server has helped. A copy that is
   * only late catches up sooner.
   */
  'server-damaged': { effect: 'noted', afterMs: 20_000 },
  /** The stream of the log is gone or empty, or begins another log. */
  'log-lost': { effect: 'barred', afterMs: 0 },
  /** This node and the shared log have different events at the same position. */
  'log-differs': { effect: 'barred', afterMs: 0 },
  /** This node has events that the shared log lacks, since its servers have lost them and another node owns it. */
  'events-unshared': { effect: 'unready', afterMs: 0 },
  /** This node lacks keys that open records, and nobody has given them so far. */
  'records-sealed': { effect: 'barred', afterMs: 2000 },
  /** The disk of this node takes no writes. */
  'storage-fails': { effect: 'barred', afterMs: 0 },
  /** The disk of this node has hardly any room left. */
  'disk-full': { effect: 'barred', afterMs: 2000 },
  /** The owner does not give this node the stream keys. */
  'keys-missing': { effect: 'unready', afterMs: 5000 },
  /** The NATS servers do not answer, or most of them are away. */
  'servers-away': { effect: 'unready', afterMs: 5000 },
  /**
   * All NATS servers run and reach each other, but a stream has no leader. To choose one takes some seconds; after a start,
   * servers need half a minute until they know of which streams they have copies.
   */
  'no-leader': {
    effect: 'unready',
    afterMs: 45_000,
    explains: ['servers-away', 'lease-lost', 'log-lost', 'log-unwritten', 'server-damaged', 'server-behind'],
  },
  /** The NATS servers have stored no record of this node, although it holds the lease. */
  'log-unwritten': { effect: 'unready', afterMs: 5000 },
  /** The stream of the lease is gone. */
  'lease-lost': { effect: 'unready', afterMs: 5000 },
  /** This standby has not read on for a while, although the shared log has more records. */
  'not-following': { effect: 'unready', afterMs: 5000 },
  /**
   * Settings or versions that should be the same on all nodes differ. A standby stays ready: while nodes are upgraded or
   * get new settings one after the other, they differ, and one must be able to take over from the other.
   */
  'settings-differ': { effect: 'noted', afterMs: 0 },
  /** Nodes that differ in this cannot take over from each other. */
  'settings-clash': { effect: 'unready', afterMs: 0 },
  /** Two processes have the same name of a node. */
  'name-taken': { effect: 'unready', afterMs: 0 },
  /** The clocks of two nodes differ by more than the signatures of requests allow. */
  'clock-differs': { effect: 'unready', afterMs: 0 },
  /** An operator wants another node to own the log. */
  drained: { effect: 'barred', afterMs: 0, level: 'info' },
  /** The read models of this standby do not follow the log. */
  'read-models-fail': { effect: 'unready', afterMs: 0 },
  /** This node owns the log, and no other node could take over. */
  'no-standby': { effect: 'noted', afterMs: 10_000 },
  /** The standby lacks many records. */
  'standby-behind': { effect: 'noted', afterMs: 10_000 },
  /** A NATS server is away, or lacks records of a stream. */
  'server-behind': { effect: 'noted', afterMs: 10_000 },
  /** The NATS servers may lose records at a power cut. */
  unsynced: { effect: 'noted', afterMs: 0 },
} satisfies Record<string, Kind>
export type ConditionCode = keyof typeof kinds
export const conditionCodes = Object.keys(kinds) as ConditionCode[]

/** `text`: what is wrong, and what to do. `since`: Unix milliseconds. */
export type Condition = { code: ConditionCode; text: string; since: number; effect: Effect }

export type Conditions = {
  /** Notes that something is wrong. A later call with another text replaces the text, and writes no further line. */
  begin(code: ConditionCode, text: string): void
  /** Notes that it is over. Does nothing when it had not begun. */
  end(code: ConditionCode): void
  /** Whether this condition counts. */
  has(code: ConditionCode): boolean
  /** Those that count, the oldest first. */
  all(): Condition[]
  /** Those of them that an operator sees: not those that another one explains. */
  shown(): Condition[]
  /** Whether a standby is ready: only conditions count that are `noted`. */
  areReady(): boolean
  /** Whether a standby could not take over. */
  areBarred(): boolean
  /** Adds a listener, which is called when a condition begins to count, and when it is over. */
  onChange(listener: () => void): void
}

type Noted = Condition & { counts: boolean; cancel: () => void }
type Deps = { clock: Clock; timers: Timers; report: Report }

export const createConditions = ({ clock, timers, report }: Deps): Conditions => {
  const noted = new Map<ConditionCode, Noted>()
  const listeners: (() => void)[] = []
  const changed = (): void => {
    for (const listener of listeners) listener()
  }
  const tell = (code: ConditionCode, text: string): void => {
    const kind: Kind = kinds[code]
    report(kind.level ?? 'warn', text, { condition: code })
  }
  const count = (one: Noted): void => {
    one.counts = true
    tell(one.code, one.text)
    changed()
  }
  const all = (): Condition[] =>
    [...noted.values()]
      .filter(({ counts }) => counts)
      .sort((a, b) => a.since - b.since)
      .map(({ code, text, since, effect }) => ({ code, text, since, effect }))
  const shown = (): Condition[] => {
    const now = all()
    const explained = now.flatMap(({ code }) => (kinds[code] as Kind).explains ?? [])
    return now.filter(({ code }) => !explained.includes(code))
  }

  return {
    begin(code, text) {
      const before = noted.get(code)
      if (before !== undefined) {
        before.text = text
        return
      }
      const { effect, afterMs } = kinds[code]
      const one: Noted = { code, text, since: clock.now(), effect, counts: false, cancel: () => {} }
      noted.set(code, one)
      if (afterMs === 0) count(one)
      else one.cancel = timers.after(afterMs, () => count(one))
    },
    end(code) {
      const one = noted.get(code)
      if (one === undefined) return
      one.cancel()
      noted.delete(code)
      if (!one.counts) return
      const seconds = Math.max(0, Math.round((clock.now() - one.since) / 1000)) // the clock may have been set
      tell(code, `over after ${seconds} s: ${one.text}`)
      changed()
    },
    has: code => noted.get(code)?.counts === true,
    all,
    shown,
    areReady: () => all().every(({ effect }) => effect === 'noted'),
    areBarred: () => all().some(({ effect }) => effect === 'barred'),
    onChange: listener => void listeners.push(listener),
  }
}
