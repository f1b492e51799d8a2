// Plays the side of a task: keeps the journal, and asks for a lease again when one is over.
import type {
  Begin,
  CodeAgents,
  EntryResult,
  JournalEntry,
  Lease,
  LeaseEnd,
  LeaseListener,
  Outcome,
  Turn,
} from '../../../src/contract/code-agent.ts'
import type { OutputItem } from '../../../src/contract/wire.ts'

type Given = {
  text?: string
  agent?: string
  user?: string
  version?: string
  vars?: Record<string, unknown>
  /** Whether it began in a worker of its user. */
  isOwn?: boolean
  /** Whether it asks for a lease again. */
  again?: boolean
  /** It asks no more after so many leases. */
  most?: number
  /** Resolves when a turn is stored. */
  store?: () => Promise<void>
}
let made = 0

export const fakeTask = (
  agents: Pick<CodeAgents, 'lease'> | undefined,
  {
    text = 'hello',
    agent = 'good',
    user = 'anna',
    version = '1',
    vars = {},
    isOwn = false,
    again = true,
    most = 4,
    store,
  }: Given = {},
) => {
  const task = `task_${++made}`
  const entries: JournalEntry[] = []
  const results: EntryResult[] = []
  const turns: Turn[] = []
  const ends: LeaseEnd[] = []
  const versions: string[] = []
  let lease: Lease | undefined
  let outcome: Outcome | undefined
  let began = version

  const begin = (): Begin => ({
    ...{ task, session: 's1', user, agent, version: began, config: {}, vars, seed: 'seed', at: 1000 },
    input: { text, content: text, items: [] },
    entries: [...entries],
    results: [...results],
  })
  const give = (n: number, value: unknown = { text: `found ${n}` }) => {
    const result = { n, at: 2000, value }
    results.push(result)
    lease?.results([result])
  }
  const listener: LeaseListener = {
    begin,
    began(given) {
      began = given
      versions.push(given)
    },
    turn(turn) {
      turns.push(turn)
      for (const move of turn.moves) {
        if ('n' in move) {
          const name = 'name' in move ? { name: move.name } : {}
          entries.push({ do: move.do, digest: move.digest, ...name })
          if (move.do === 'run') lease?.run(move.n)
        }
        if (move.do === 'ran') give(move.of, 'value' in move ? move.value : null)
      }
      if (turn.outcome !== undefined) {
        outcome = turn.outcome
        lease?.stop('ended')
      }
      return store?.()
    },
    over(end) {
      ends.push(end)
      lease = undefined
      if (again && ends.length < most) ask()
    },
    history: async () =>
      [{ type: 'message', id: 'm1', role: 'user', message_content: 'before' }] as OutputItem[],
  }
  const ask = () => {
    const isSuspect = ends.at(-1)?.unheard !== undefined
    lease = agents?.lease({ agent, version: began, isOwn, user, task, isSuspect }, listener)
  }
  ask()
  return {
    listener,
    turns,
    ends,
    /** The versions on which it has begun. */
    versions,
    entries,
    give,
    outcome: () => outcome,
    rests: (isResting: boolean) => lease?.rests(isResting),
    stop: (reason: 'ended' | 'rest' | 'canceled' | 'paused') => lease?.stop(reason),
  }
}
