// However far the journal of a task has come: the code that runs again asks for the same. Random programs are run to their
// end, and then again from each point of their journal.
import t from 'tap'
import fc from '../support/fast-check.ts'
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

type Program = readonly unknown[]
const names = fc.constantFrom('a', 'b', 'c')
const { program } = fc.letrec<{ program: Program }>(tie => ({
  program: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.tuple(fc.constant('tool'), names),
    fc.tuple(fc.constant('tool'), names, fc.constant({}), fc.record({ retries: fc.nat(2) })),
    fc.tuple(fc.constant('run'), names, fc.nat(9)),
    fc.tuple(fc.constant('model'), names, fc.constant({ tools: ['a'] })),
    fc.tuple(fc.constant('sleep'), fc.integer({ min: 1, max: 50 })),
    fc.tuple(fc.constant('nap'), fc.integer({ min: 1, max: 50 })),
    fc.tuple(fc.constant('say'), names),
    fc.constant(['now']),
    fc.constant(['random']),
    fc.constant(['history']),
    fc.tuple(fc.constant('try'), tie('program')),
    fc.tuple(
      fc.constant('try'),
      fc.tuple(fc.constant('limit'), tie('program'), fc.integer({ min: 1, max: 50 })),
    ),
    fc
      .tuple(
        fc.constantFrom('seq', 'all', 'race', 'first', 'ends', 'queue'),
        fc.array(tie('program'), { minLength: 1, maxLength: 4 }),
      )
      .map(([kind, inner]) => [kind, ...inner]),
  ),
}))

const about = ({ seen, moves, outcome }: Message): Message => ({
  seen,
  moves,
  ...(outcome && {
    outcome: { ...outcome, ...(outcome.error && { error: { ...outcome.error, stack: '' } }) },
  }),
})

/** The next turn. A question for the history is answered. */
const turnOf = async (peer: Peer, lease: string): Promise<Message> => {
  for (;;) {
    const message = await nextFor(peer, lease)
    if (message.type === 'turn') return about(message)
    peer.send({ type: 'answer', lease, id: message.id, value: [] })
  }
}

const givenFor = (entry: Message, choice: number): Message => {
  if (entry.do === 'model' && choice % 3 === 0)
    return {
      value: {
        text: '',
        calls: [
          { call_id: `c${entry.n}`, name: 'a' },
          { call_id: `d${entry.n}`, name: 'b' },
        ],
      },
    }
  if (entry.do === 'model') return { value: { text: `answer ${entry.n}`, calls: [] } }
  if (entry.do === 'sleep') return { value: null }
  return choice % 4 === 0
    ? { error: { kind: 'tool', message: `failed ${entry.n}` } }
    : { value: { text: `${entry.name} ${entry.n}` } }
}

/** One results message, and the turn that it led to. */
type Step = { results: Message[]; turn: Message }

/** Plays a task to its end. The choices say which open entry gets a result next. */
const play = async (peer: Peer, agent: string, config: Message, choices: number[]): Promise<Step[]> => {
  const begin = beginOf(agent, { config })
  const { lease } = begin
  peer.send(begin)
  const steps: Step[] = [{ results: [], turn: await turnOf(peer, lease) }]
  const open = new Map<number, Message>()
  const ready: Message[] = []
  let at = 1000
  const take = (turn: Message): void => {
    for (const move of turn.moves as Message[]) {
      if (move.do === 'drop' && open.delete(move.of))
        ready.push({ n: move.of, error: { kind: 'dropped', message: 'dropped' } })
      else if (move.n !== undefined && move.do !== 'say') open.set(move.n, move)
    }
  }
  take(steps[0]?.turn as Message)
  for (let step = 0; !steps.at(-1)?.turn.outcome; step++) {
    if (step > 400) throw new Error('the program does not end')
    const choice = choices[step % choices.length] ?? 0
    // Now and then two results come in one message.
    const wanted = choice % 5 === 0 ? 2 : 1
    while (ready.length < wanted && open.size > 0) {
      const entry = [...open.values()][choice % open.size] as Message
      open.delete(entry.n)
      if (entry.do !== 'run') {
        ready.push({ n: entry.n, ...givenFor(entry, choice) })
        continue
      }
      peer.send({ type: 'run', lease, n: entry.n })
      const { moves } = await turnOf(peer, lease)
      const [{ of, value }] = moves
      ready.push({ n: of, value })
    }
    if (ready.length === 0) throw new Error('nothing is open, and the program has not ended')
    const results = ready.splice(0).map(result => {
      at += 10
      return { at, ...result }
    })
    peer.send({ type: 'results', lease, results })
    const turn = await turnOf(peer, lease)
    steps.push({ results, turn })
    take(turn)
  }
  return steps
}

const entriesOf = (steps: Step[]): Message[] =>
  steps.flatMap(({ turn }) => turn.moves.filter((move: Message) => move.n !== undefined)).map(storedOf)
const resultsOf = (steps: Step[]): Message[] => steps.flatMap(({ results }) => results)

/** Begins again at a point of the journal, and compares all turns that follow. */
const playAgain = async (t: Tap, peer: Peer, agent: string, config: Message, steps: Step[], from: number) => {
  const begin = beginOf(agent, {
    config,
    entries: entriesOf(steps.slice(0, from)),
    results: resultsOf(steps.slice(0, from + 1)),
  })
  peer.send(begin)
  const { lease } = begin
  const [now, ...later] = steps.slice(from)
  // What was stopped before may be stopped again, if its end is not in the journal yet.
  const isNew = (move: Message) => move.do !== 'drop' || entriesOf(steps.slice(0, from)).length < move.of
  const first = await turnOf(peer, lease)
  t.same(
    { ...first, moves: first.moves.filter(isNew) },
    { ...now?.turn, moves: now?.turn.moves.filter(isNew) },
  )
  for (const { results, turn } of later) {
    peer.send({ type: 'results', lease, results })
    t.same(await turnOf(peer, lease), turn)
  }
}
type Tap = { same(found: unknown, wanted: unknown): boolean }

t.test(
  'every beginning of a journal leads to the same turns',
  { skip: noPython, timeout: 600_000 },
  async t => {
    const host = await hostOf(t, programsFile)
    const numRuns = Number(process.env.RUNS ?? 150)
    await fc.assert(
      fc.asyncProperty(
        program,
        fc.array(fc.nat(1000), { minLength: 20, maxLength: 20 }),
        async (one, choices) => {
          const config = { program: ['try', one] }
          const steps = await play(host, host.agent, config, choices)
          const misfits: string[] = []
          const same = (found: unknown, wanted: unknown): boolean => {
            if (JSON.stringify(found) !== JSON.stringify(wanted))
              misfits.push(`${JSON.stringify(found)}\nis not\n${JSON.stringify(wanted)}`)
            return true
          }
          for (let from = 0; from < steps.length; from++)
            await playAgain({ same }, host, host.agent, config, steps, from)
          if (misfits.length > 0) throw new Error(misfits[0])
        },
      ),
      { numRuns },
    )
    t.equal(host.errors(), '')
  },
)
