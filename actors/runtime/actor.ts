// Loads an actor from its stream, and keeps it in memory: its behaviour, its revision, its mailbox and its waiters.
import type { Log, Recorded } from '../../src/contract/stored.ts'
import type { Behaviour } from './kind.ts'
import type { Inspect, Live } from './live.ts'
import type { Waiter } from './waiters.ts'

/** A command in the mailbox, and the promise of its caller. */
type Turn<View, Command> = {
  command: Command
  resolve: (view: View) => void
  reject: (error: unknown) => void
}

export type Actor<View, Command> = {
  stream: string
  behaviour: Behaviour<View, Command>
  live: Live | undefined
  revision: number
  /** Resolves when the stored events are read; undefined: they have been read. */
  loaded: Promise<void> | undefined
  turns: Turn<View, Command>[]
  atWork: boolean
  /** Whether the view contains events that may not be durable yet. Then no caller may see the view. */
  isAhead: boolean
  /** Whether the stream is new: it had no events before the first command. */
  justMade: boolean
  waiters: Waiter<View>[]
  /** How many searches for idle actors had run when this actor became idle; infinity: it is not idle. */
  restingSince: number
  /** Whether the actor has left memory. */
  gone: boolean
}

export const newActor = <View, Command>(
  stream: string,
  behaviour: Behaviour<View, Command>,
  justMade: boolean,
): Actor<View, Command> => ({
  stream,
  behaviour,
  live: undefined,
  revision: -1,
  loaded: undefined,
  turns: [],
  atWork: false,
  isAhead: false,
  justMade,
  waiters: [],
  restingSince: Number.POSITIVE_INFINITY,
  gone: false,
})

/** Folds events into the view. Their place in the stream is fixed, but they may not be durable yet. */
export const evolve = <View, Command>(actor: Actor<View, Command>, events: readonly Recorded[]): void => {
  for (const event of events) {
    actor.behaviour.evolve(event)
    actor.revision = event.header.revision
  }
}

/** Passes durable events on to the behaviour and to the XState actor. */
export const passOn = <View, Command>(actor: Actor<View, Command>, events: readonly Recorded[]): void => {
  for (const event of events) {
    actor.behaviour.stored?.(event)
    actor.live?.take(event)
  }
}

/** Folds the stored events that the actor has not seen. */
export const readOn = async <View, Command>(log: Log, actor: Actor<View, Command>): Promise<void> => {
  for await (const page of log.readStream(actor.stream, actor.revision)) {
    evolve(actor, page)
    passOn(actor, page)
  }
}

/** Starts the XState actor that follows the events of this actor. */
export const run = <View, Command>(actor: Actor<View, Command>, inspect: Inspect | undefined): void => {
  actor.live = actor.behaviour.run(inspect)
}

/** Reads the stored events of an actor and starts what its state wants running, unless it has left memory meanwhile. */
export const load = async <View, Command>(
  log: Log,
  actor: Actor<View, Command>,
  inspect: Inspect | undefined,
): Promise<void> => {
  await log.complete()
  actor.revision = (await actor.behaviour.restore?.(log)) ?? -1
  await readOn(log, actor)
  actor.loaded = undefined
  if (actor.gone) return
  run(actor, inspect)
  actor.behaviour.reconcile()
}

/** Takes the oldest turn whose command can be decided now; undefined: there is none. */
export const nextTurn = <View, Command>({
  behaviour,
  turns,
}: Actor<View, Command>): Turn<View, Command> | undefined => {
  if (behaviour.isReady === undefined) return turns.shift()
  const at = turns.findIndex(({ command }) => behaviour.isReady?.(command))
  return at === -1 ? undefined : turns.splice(at, 1)[0]
}
