// Takes the turns of an actor. A turn decides one command, appends its events at the expected revision, and applies the
// events to the view in memory. Its caller gets the view only when the log has stored the events.
import { type Log, type Recorded, RevisionConflict } from '../../src/contract/stored.ts'
import { type Actor, evolve, halt, nextInMailbox, passOn, readOn } from './actor.ts'
import type { Decision, Kind } from './kind.ts'
import type { Memory } from './memory.ts'
import { answerWaiters } from './waiters.ts'

/** One command is decided at most this often. It is decided again when another writer has changed the stream. */
const conflictsTried = 5
/** The log is read at most this often while another writer's events are missing. Other work runs between two reads. */
const looksForOthers = 10_000

export type TurnDeps<View, Command, At> = {
  kind: Kind<View, Command, At>
  log: Log
  memory: Memory<View, Command, At>
  /** Loads the actor of another stream whose first events were stored in the same append. */
  begin: (stream: string) => void
}

/**
 * Reads and folds the events of another writer once they are on the disk. False: they did not come in time. Rejects when
 * they cannot be read or folded.
 */
const catchUp = async <View, Command, At>(log: Log, actor: Actor<View, Command, At>): Promise<boolean> => {
  for (let looks = 0; looks < looksForOthers; looks++) {
    await readOn(log, actor)
    if (actor.revision >= log.revisionOf(actor.stream)) return true
    await new Promise(resolve => setImmediate(resolve))
  }
  return false
}

/**
 * Appends the events of a command. In the first turn of an actor, the state after these events may require another
 * command at once. The events of that command are appended before the first events are written, so that usually one
 * commit stores them all.
 */
const store = async <View, Command, At>(
  deps: TurnDeps<View, Command, At>,
  actor: Actor<View, Command, At>,
  command: Command,
  { events, made, beside = [] }: Decision,
): Promise<void> => {
  if (events.length === 0) return
  const { view, effects, stream, justMade } = actor
  const expectedRevision = actor.revision
  const envelope = deps.kind.envelope(view, command, stream)
  effects.decided?.(events)
  const append = { stream, expectedRevision, justMade, events, ...envelope }
  const isAlone = made.length === 0 && beside.length === 0
  const own = (all: Recorded[]) => (isAlone ? all : all.slice(0, events.length))
  // Nobody holds the view of an actor before its first turn has ended. Later, callers may read it at any time.
  const isUnseen = actor.isAhead || actor.revision === -1
  const ordered = (all: Recorded[]) => {
    actor.isAhead = true
    evolve(actor, own(all))
  }
  const appending = deps.log.append([append, ...made, ...beside], isUnseen ? ordered : undefined)
  const stored = appending.then(durable => {
    if (!isUnseen) evolve(actor, own(durable))
    passOn(actor, own(durable))
    for (const { stream: other } of made) deps.begin(other)
  })
  const next = actor.isAhead ? effects.next?.() : undefined
  if (next === undefined) return stored
  await Promise.all([stored, decideNext(deps, actor, next)])
}

const decideNext = async <View, Command, At>(
  deps: TurnDeps<View, Command, At>,
  actor: Actor<View, Command, At>,
  command: Command,
): Promise<void> => store(deps, actor, command, decide(deps, actor, command))

const decide = <View, Command, At>(
  { kind }: TurnDeps<View, Command, At>,
  { view, effects }: Actor<View, Command, At>,
  command: Command,
): Decision => kind.decide(view, command, effects.at(command))

/** Takes one turn for a command. If another command must be decided first, takes a turn for that command before. */
const takeTurn = async <View, Command, At>(
  deps: TurnDeps<View, Command, At>,
  actor: Actor<View, Command, At>,
  command: Command,
): Promise<void> => {
  const { log, memory } = deps
  const { effects } = actor
  const first = effects.first?.(command)
  if (first !== undefined) await takeTurn(deps, actor, first)
  const before = actor.revision
  // If another writer has appended to the stream meanwhile, the command is decided again.
  for (let tries = 1; ; tries++) {
    const decision = decide(deps, actor, command)
    try {
      await store(deps, actor, command, decision)
      break
    } catch (error) {
      const mayTryAgain = error instanceof RevisionConflict && tries < conflictsTried
      // An actor that may no longer match the log leaves memory. The next command loads it from the log.
      const leave = (why: unknown): never => {
        memory.drop(actor, why)
        throw why
      }
      if (mayTryAgain && (await catchUp(log, actor).catch(leave))) continue
      leave(error)
    } finally {
      actor.isAhead = false
    }
  }
  effects.remember?.(command)
  // New events were folded (the actor's own or another writer's), or `remember` may have changed memory.
  const hasMoved = actor.revision !== before || effects.remember !== undefined
  if (actor.gone || !hasMoved) return
  effects.reconcile()
  answerWaiters(actor, actor.view)
}

/** Takes turns for the commands in the mailbox, one after the other, until none of them can be decided. */
export const work = async <View, Command, At>(
  deps: TurnDeps<View, Command, At>,
  actor: Actor<View, Command, At>,
): Promise<void> => {
  if (actor.atWork) return
  actor.atWork = true
  for (let turn = nextInMailbox(actor); turn !== undefined; turn = nextInMailbox(actor)) {
    try {
      if (actor.loaded !== undefined) await actor.loaded
      await takeTurn(deps, actor, turn.command)
      turn.resolve(actor.view)
    } catch (error) {
      turn.reject(error)
    }
  }
  actor.atWork = false
  if (actor.gone) halt(actor)
  deps.memory.rest(actor)
}
