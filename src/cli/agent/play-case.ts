// Plays the cases that hold for the hosts of all languages (cases.json): what the server sends, and the turns that it gets. The
// agent of the host runs the program in its configuration (docs/agent-protocol.md).
import { setTimeout as sleep } from 'node:timers/promises'
import cases from './cases.json' with { type: 'json' }

// biome-ignore lint/suspicious/noExplicitAny: messages of any form are compared
export type Told = any
/** A host, as the cases need it: its messages come one after the other. */
export type Peer = { send(message: object): void; next(): Promise<Told>; waiting(): number }

export type Case = {
  name: string
  program: unknown[]
  /** What the journal has: what these programs ask for. */
  entries?: unknown[][]
  results?: Told[]
  /** What the server sends, and the turns that it gets. */
  talk: Told[]
}
export const allCases = cases as Case[]

/** What a host has sent, and what it should have sent. */
export type Mismatch = { given: unknown; expected: unknown }

/** Milliseconds for which a host must say nothing. */
const quietMs = 100
let leases = 0
export const newLease = (): string => `case_${++leases}`

/** A message `begin` with what `given` adds. */
export const beginOf = (agent: string, given: object = {}): object => ({
  ...{ type: 'begin', lease: 'l_1', task: 'task_1', session: 's1', agent, version: '1' },
  ...{ input: { text: 'hi', content: 'hi', items: [] }, config: {}, vars: {}, seed: '5eed', at: 1000 },
  ...given,
})

const bare = ({ digest: _, ...move }: Told): Told => move
/** A turn without what depends on the language. */
const seenOf = ({ seen, moves, outcome }: Told): Told => ({
  seen,
  moves: moves.map((move: Told) =>
    move.error === undefined ? bare(move) : { ...bare(move), error: { message: move.error.message } },
  ),
  ...(outcome === undefined ? {} : { outcome: outcomeOf(outcome) }),
})
const outcomeOf = (outcome: Told): Told => {
  if (outcome.error !== undefined) return { error: { message: outcome.error.message } }
  if (outcome.changed === undefined) return outcome
  const { n, was, is } = outcome.changed
  return { changed: { n, was: bare(was), ...(is === undefined ? {} : { is: bare(is) }) } }
}

/** The entries that programs ask for, as the server stores them. */
const entriesOf = async (peer: Peer, agent: string, programs: unknown[][]): Promise<Told[]> => {
  const lease = newLease()
  peer.send(beginOf(agent, { lease, config: { program: ['begin-all', ...programs] } }))
  const { moves } = await peer.next()
  peer.send({ type: 'stop', lease, reason: 'ended' })
  await sleep(quietMs)
  while (peer.waiting() > 0) await peer.next() // a safe run has reported
  return moves
    .filter((move: Told) => move.n !== undefined)
    .map(({ do: kind, name, digest }: Told) => ({
      do: kind,
      ...(name === undefined ? {} : { name }),
      digest,
    }))
}

/** Resolves with the first mismatch; undefined: there is none. `same` compares what was sent with what was expected. */
export const playCase = async (
  peer: Peer,
  agent: string,
  { program, entries = [], results = [], talk }: Case,
  same: (given: unknown, expected: unknown) => boolean,
): Promise<Mismatch | undefined> => {
  let at = 1000
  const timed = (given: Told[]) =>
    given.map(result => {
      at = result.at ?? at + 1
      return { ...result, at }
    })
  const stored = entries.length === 0 ? [] : await entriesOf(peer, agent, entries)
  const lease = newLease()
  const given = { config: { program }, entries: stored, results: timed(results) }
  peer.send(
    beginOf(agent, { lease, seed: '7/3', input: { text: 'hello', content: 'hello', items: [] }, ...given }),
  )
  /** What comes next, and what should. */
  const hear = async (said: Told): Promise<Mismatch> => {
    if (said.quiet !== undefined) {
      await sleep(quietMs)
      return { given: peer.waiting(), expected: 0 }
    }
    if (said.history !== undefined) {
      const { type, lease: of, id, what } = await peer.next()
      peer.send({ type: 'answer', lease, id, value: said.history })
      return { given: { type, lease: of, what }, expected: { type: 'ask', lease, what: 'history' } }
    }
    if (said.turns === undefined) return { given: seenOf(await peer.next()), expected: said.turn }
    const moves: Told[] = []
    while (moves.length < said.turns.moves.length) moves.push(...seenOf(await peer.next()).moves)
    return { given: { ...said.turns, moves }, expected: said.turns }
  }
  try {
    for (const said of talk) {
      if (said.results !== undefined) peer.send({ type: 'results', lease, results: timed(said.results) })
      else if (said.run !== undefined) peer.send({ type: 'run', lease, n: said.run })
      else {
        const heard = await hear(said)
        if (!same(heard.given, heard.expected)) return heard
      }
    }
    return undefined
  } finally {
    peer.send({ type: 'stop', lease, reason: 'ended' })
  }
}
