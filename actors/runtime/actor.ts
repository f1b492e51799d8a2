// One actor in memory: its behaviour, how far it has read its stream, its mailbox, and who waits for it.
import type { Log, Recorded } from '../../src/contract/stored.ts'
import type { Behaviour } from './kind.ts'
import type { Inspect, Live } from './live.ts'
import type { Waiter } from './waiters.ts'

/** A command in the mailbox, and its caller. */
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
  /** Resolves when its stored events are read; undefined: they are. */
  loaded: Promise<void> | undefined
  turns: Turn<View, Command>[]
  atWork: boolean
  /** Its stream is new: nothing is stored of it before its first command. */
  justMade: boolean
  waiters: Waiter<View>[]
  /** The sweep of memory since which it is idle; infinite: it is not idle. */
  restingSince: number
  /** It has left memory. */
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
  justMade,
  waiters: [],
  restingSince: 0,
  gone: false,
})

export const fold = <View, Command>(actor: Actor<View, Command>, events: readonly Recorded[]): void => {
  for (const event of events) {
    actor.behaviour.evolve(event)
    actor.live?.take(event)
    actor.revision = event.header.revision
  }
}

/** Folds the stored events that the actor has not seen. */
export const readOn = async <View, Command>(log: Log, actor: Actor<View, Command>): Promise<void> => {
  for await (const page of log.readStream(actor.stream, actor.revision)) fold(actor, page)
}

/** Starts the XState actor that goes along with it. */
export const run = <View, Command>(actor: Actor<View, Command>, inspect: Inspect | undefined): void => {
  actor.live = actor.behaviour.run(inspect)
}

/** Brings an actor to where its stored events lead. */
export const load = async <View, Command>(
  log: Log,
  actor: Actor<View, Command>,
  inspect: Inspect | undefined,
): Promise<void> => {
  await readOn(log, actor)
  actor.loaded = undefined
  if (!actor.gone) run(actor, inspect)
  actor.behaviour.reconcile()
}

/** Takes the oldest turn whose command can be decided. */
export const nextTurn = <View, Command>({
  behaviour,
  turns,
}: Actor<View, Command>): Turn<View, Command> | undefined => {
  if (behaviour.isReady === undefined) return turns.shift()
  const at = turns.findIndex(({ command }) => behaviour.isReady?.(command))
  return at === -1 ? undefined : turns.splice(at, 1)[0]
}
