// The turns of an actor. Each decides a command, appends its events at the expected revision, and only then changes
// memory: what an actor remembers is never ahead of the log.
import { type Log, RevisionConflict } from '../../src/contract/stored.ts'
import { type Actor, fold, nextTurn, readOn } from './actor.ts'
import type { Memory } from './memory.ts'
import { answerWaiters } from './waiters.ts'

const conflictsTried = 5
const looksForOthers = 10_000

export type TurnDeps<View, Command> = {
  log: Log
  memory: Memory<View, Command>
  /** Takes an actor into memory whose stream was begun in the same append. */
  begin: (stream: string) => void
}

/** Reads what somebody else has written. It may still be on its way to the disk. */
const catchUp = async <View, Command>(log: Log, actor: Actor<View, Command>): Promise<boolean> => {
  for (let looks = 0; looks < looksForOthers; looks++) {
    await readOn(log, actor)
    if (actor.revision >= log.revisionOf(actor.stream)) return true
    await new Promise(resolve => setImmediate(resolve))
  }
  return false
}

/** Takes one turn; a command that must be decided first has a turn before it. */
const takeTurn = async <View, Command>(
  deps: TurnDeps<View, Command>,
  actor: Actor<View, Command>,
  command: Command,
): Promise<void> => {
  const { log, memory, begin } = deps
  const { behaviour, stream, justMade } = actor
  const first = behaviour.first?.(command)
  if (first !== undefined) await takeTurn(deps, actor, first)
  const before = actor.revision
  // Where somebody else has written to the stream meanwhile, it decides again.
  for (let tries = 1; ; tries++) {
    const { events, made } = behaviour.decide(command)
    if (events.length === 0) break
    try {
      const envelope = behaviour.envelope(command, events)
      const append = { ...envelope, stream, expectedRevision: actor.revision, justMade, events }
      const stored = await log.append([append, ...made])
      fold(actor, made.length === 0 ? stored : stored.slice(0, events.length))
      for (const { stream: other } of made) begin(other)
      break
    } catch (error) {
      const mayTryAgain = error instanceof RevisionConflict && tries < conflictsTried
      if (mayTryAgain && (await catchUp(log, actor))) continue
      // What is stored is not known any more: the next command starts from the log.
      memory.drop(actor, error)
      throw error
    }
  }
  behaviour.remember?.(command)
  // Events came: its own, or those of somebody else which it has just read.
  const hasMoved = actor.revision !== before || behaviour.remember !== undefined
  if (actor.gone || !hasMoved) return
  behaviour.reconcile()
  answerWaiters(actor, behaviour.view)
}

/** Takes the turns of an actor one after the other, until no command can be decided. */
export const work = async <View, Command>(
  deps: TurnDeps<View, Command>,
  actor: Actor<View, Command>,
): Promise<void> => {
  if (actor.atWork) return
  actor.atWork = true
  for (let turn = nextTurn(actor); turn !== undefined; turn = nextTurn(actor)) {
    try {
      if (actor.loaded !== undefined) await actor.loaded
      await takeTurn(deps, actor, turn.command)
      turn.resolve(actor.behaviour.view)
    } catch (error) {
      turn.reject(error)
    }
  }
  actor.atWork = false
  deps.memory.rest(actor)
}
