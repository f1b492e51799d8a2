// Outcomes of side effects that the code gets before they are stored. The next append stores them together with what the code
// asks for next, so a side effect costs one commit and not two. Nothing of the task is stored before them: the code has seen them.
import type { EntryResult, Move, Turn } from '../../../src/contract/code-agent.ts'
import type { TaskCommand } from '../../../src/contract/commands/commands.ts'
import type { World } from '../../../src/contract/ports.ts'
import { effectIdOf } from '../../../src/history/task/steps.ts'
import type { DecidedTask } from '../../../src/history/task-view.ts'
import { bySystem, type Self } from '../self.ts'
import { outcomeOf } from './plan-turn.ts'

/** When the code has asked for nothing for this many milliseconds after an outcome, the outcome is stored alone. */
const longestMs = 20

type Ran = Extract<Move, { do: 'ran' }>

/** The outcomes of side effects, if the turn has nothing else. */
const onlyOutcomes = ({ moves, machine, outcome }: Turn): Ran[] => {
  const ran = moves.filter(move => move.do === 'ran')
  return ran.length === moves.length && machine === undefined && outcome === undefined ? ran : []
}

const isOpen = (view: DecidedTask, n: number): boolean =>
  view.calls.get(view.entries[n - 1]?.call_id ?? '')?.ended === false

const resultOf = (move: Ran, at: number): EntryResult => {
  const about = { n: move.of, at }
  return 'error' in move
    ? { ...about, error: { kind: 'run', ...move.error } }
    : { ...about, value: move.value ?? null }
}

export const createEarlyOutcomes = (
  { view, tell }: Pick<Self, 'view' | 'tell'>,
  { clock, timers }: Pick<World, 'clock' | 'timers'>,
) => {
  /** When the code got each of them, in milliseconds since 1970, in this order. */
  const given = new Map<Ran, number>()
  let cancelTimer: (() => void) | undefined

  const forget = (): void => {
    given.clear()
    cancelTimer?.()
    cancelTimer = undefined
  }
  const command = (): TaskCommand => ({
    type: 'RecordTurn',
    ...{ agentStep: view.completedSteps + 1, effectId: effectIdOf(view), seen: view.results.length },
    ...{ moves: [...given].map(([move, at]) => outcomeOf(move, at)), itemIds: [], ...bySystem(view) },
  })
  /** Stores them alone. */
  const store = async (): Promise<void> => {
    if (given.size > 0) await tell(command())
  }

  return {
    /** How many results the code has got that are not stored. */
    count: (): number => given.size,
    /** Keeps the outcomes of a turn, and returns their results, which the code gets now; undefined: the turn has something else. */
    take(turn: Turn): EntryResult[] | undefined {
      const moves = onlyOutcomes(turn)
      if (moves.length === 0 || !moves.every(({ of }) => isOpen(view, of))) return undefined
      const at = clock.now()
      for (const move of moves) given.set(move, at)
      cancelTimer ??= timers.after(longestMs, () => void store())
      return moves.map(move => resultOf(move, at))
    },
    /** The turn with these outcomes before all else. */
    with: (turn: Turn): Turn =>
      given.size === 0 ? turn : { ...turn, moves: [...given.keys(), ...turn.moves] },
    /** When the code got an outcome of such a turn; undefined: it gets it when it is stored. */
    givenAt: (move: Move): number | undefined => given.get(move as Ran),
    /** The command that must be decided before another one of the task. The next turn of the code has the outcomes itself. */
    first(next: TaskCommand): TaskCommand | undefined {
      if (given.size === 0) return undefined
      const before = next.type === 'RecordTurn' ? undefined : command()
      if (before === undefined) forget()
      return before
    },
    store,
    forget,
  }
}
export type EarlyOutcomes = ReturnType<typeof createEarlyOutcomes>
