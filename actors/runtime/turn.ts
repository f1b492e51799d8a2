// The turns of an actor. A turn decides one command, appends its events at the expected revision, and then applies
// these events to the view in memory. So the view never contains an event that the log does not hold.
import { type Log, RevisionConflict } from '../../src/contract/stored.ts'
import { type Actor, fold, nextTurn, readOn } from './actor.ts'
import type { Memory } from './memory.ts'
import { answerWaiters } from './waiters.ts'

/** The most times that one command is decided. It is decided again when another writer has changed its stream. */
const conflictsTried = 5
/** The most reads of the log while another writer's events are missing. The event loop runs between two reads. */
const looksForOthers = 10_000

export type TurnDeps<View, Command> = {
  log: Log
  memory: Memory<View, Command>
  /** Loads the actor of another stream whose first events were stored in the same append. */
  begin: (stream: string) => void
}

/** Reads and folds the events of another writer once they are on the disk. False: they did not get there in time. */
const catchUp = async <View, Command>(log: Log, actor: Actor<View, Command>): Promise<boolean> => {
  for (let looks = 0; looks < looksForOthers; looks++) {
    await readOn(log, actor)
    if (actor.revision >= log.revisionOf(actor.stream)) return true
    await new Promise(resolve => setImmediate(resolve))
  }
  return false
}

/** Takes one turn for a command. If another command must be decided first, takes a turn for that command before. */
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
  // If another writer has appended to the stream meanwhile, the command is decided again.
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
      // The actor may no longer match the log, so it leaves memory. The next command loads it from the log.
      memory.drop(actor, error)
      throw error
    }
  }
  behaviour.remember?.(command)
  // New events were folded (the actor's own or another writer's), or `remember` may have changed memory.
  const hasMoved = actor.revision !== before || behaviour.remember !== undefined
  if (actor.gone || !hasMoved) return
  behaviour.reconcile()
  answerWaiters(actor, behaviour.view)
}

/** Takes turns for the commands in the mailbox, one after the other, until none of them can be decided. */
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
