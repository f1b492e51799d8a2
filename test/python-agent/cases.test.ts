// What every library does with the journal of an agent, case by case, with the one in Python.
import { readFileSync } from 'node:fs'
import t from 'tap'
import {
  beginOf,
  hostOf,
  type Message,
  nextFor,
  noPython,
  type Peer,
  programsFile,
  storedOf,
} from './peer.ts'

type Case = {
  name: string
  /** A program of programs.py. */
  program: unknown[]
  /** What the journal has: what these programs ask for. */
  entries?: unknown[][]
  results?: Message[]
  /** What the server sends, and the turns that it gets. */
  talk: Message[]
}
const cases: Case[] = JSON.parse(readFileSync('src/cli/agent/cases.json', 'utf8'))

const withoutDigest = ({ digest: _digest, stack: _stack, ...rest }: Message): Message => rest
/** A turn without what depends on the language. */
const seenOf = ({ seen, moves, outcome }: Message): Message => ({
  seen,
  moves: moves.map((move: Message) =>
    move.error ? { ...withoutDigest(move), error: { message: move.error.message } } : withoutDigest(move),
  ),
  ...(outcome?.error && { outcome: { error: { message: outcome.error.message } } }),
  ...(outcome?.changed && {
    outcome: {
      changed: {
        ...outcome.changed,
        was: withoutDigest(outcome.changed.was),
        is: withoutDigest(outcome.changed.is),
      },
    },
  }),
  ...(outcome && 'answer' in outcome && { outcome }),
})

/** The entries that programs ask for. */
const entriesOf = async (peer: Peer, agent: string, programs: unknown[][]): Promise<Message[]> => {
  const begin = beginOf(agent, { config: { program: ['begin-all', ...programs] } })
  peer.send(begin)
  const { moves } = await nextFor(peer, begin.lease)
  peer.send({ type: 'stop', lease: begin.lease, reason: 'ended' })
  return moves.map(storedOf)
}

t.test('each case', { skip: noPython }, async t => {
  const host = await hostOf(t, programsFile)
  for (const { name, program, entries, results = [], talk } of cases) {
    await t.test(name, async t => {
      let at = 1000
      const timed = (given: Message[]): Message[] =>
        given.map(result => {
          at = result.at ?? at + 1
          return { at, ...result }
        })
      const begin = beginOf(host.agent, {
        config: { program },
        ...(entries && { entries: await entriesOf(host, host.agent, entries) }),
        results: timed(results),
      })
      const { lease } = begin
      host.send(begin)
      for (const said of talk) {
        if (said.results) host.send({ type: 'results', lease, results: timed(said.results) })
        else if (said.run) host.send({ type: 'run', lease, n: said.run })
        else if (said.quiet) {
          await new Promise(resolve => setTimeout(resolve, 100))
          t.equal(host.waiting(), 0)
        } else if (said.history) {
          const asked = await nextFor(host, lease)
          t.match(asked, { type: 'ask', lease, what: 'history' })
          host.send({ type: 'answer', lease, id: asked.id, value: said.history })
        } else if (said.turn) {
          const turn = await nextFor(host, lease)
          t.same(seenOf(turn), said.turn)
        } else if (said.turns) {
          const all: Message = { ...said.turns, moves: [] }
          while (all.moves.length < said.turns.moves.length)
            all.moves.push(...seenOf(await nextFor(host, lease)).moves)
          t.same(all, said.turns)
        }
      }
      host.send({ type: 'stop', lease, reason: 'ended' })
    })
  }
})
