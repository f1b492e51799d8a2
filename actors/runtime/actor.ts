// An actor in memory: an XState actor that folds the events of one stream, its mailbox, its effects and its waiters.
import { createActor } from 'xstate'
import type { Log, Recorded } from '../../src/contract/stored.ts'
import type { Effects, Kind } from './kind.ts'
import { type Inspect, type Logic, type LogicRef, logicOf, snapshotOf } from './logic.ts'
import type { Waiter } from './waiters.ts'

/** A command in the mailbox, and the promise of its caller. */
type Turn<View, Command> = {
  command: Command
  resolve: (view: View) => void
  reject: (error: unknown) => void
}

export type Actor<View, Command, At> = {
  stream: string
  /** The context of the actor's snapshot. The fold changes it in place. */
  view: View
  /** The XState actor; undefined while the stored events are read. */
  running: LogicRef<View> | undefined
  effects: Effects<Command, At>
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

/** Makes the actors of one kind. `inspect` sees every event that a running actor receives. */
export const createActors = <View, Command, At>(
  kind: Kind<View, Command, At>,
  log: Log,
  inspect: Inspect | undefined,
) => {
  const logic: Logic<View> = logicOf(kind)
  const inspected = inspect === undefined ? {} : { inspect }

  const run = (actor: Actor<View, Command, At>): void => {
    const running = createActor(logic, {
      id: actor.stream,
      snapshot: snapshotOf(kind, actor.view),
      ...inspected,
    })
    // `evolve` throws the error of a fold. Without this observer, XState would throw it again from a timer, and end the process.
    running.subscribe({ error: ignore })
    actor.running = running.start()
  }

  return {
    /** An actor that is not in memory yet. `justMade`: its stream has no events. */
    make(
      stream: string,
      justMade: boolean,
      effects: (view: View) => Effects<Command, At>,
    ): Actor<View, Command, At> {
      const view = kind.empty()
      const actor: Actor<View, Command, At> = {
        stream,
        view,
        running: undefined,
        effects: effects(view),
        revision: -1,
        loaded: undefined,
        turns: [],
        atWork: false,
        isAhead: false,
        justMade,
        waiters: [],
        restingSince: Number.POSITIVE_INFINITY,
        gone: false,
      }
      if (justMade) run(actor)
      return actor
    },
    /** Reads the stored events of an actor and starts what its state wants running, unless it has left memory. */
    async load(actor: Actor<View, Command, At>): Promise<void> {
      await log.complete()
      const { stream, view } = actor
      actor.revision = (await kind.restore?.(view, stream, log)) ?? -1
      for await (const page of log.readStream(stream, actor.revision)) {
        for (const event of page) {
          kind.evolve(view, event)
          actor.revision = event.header.revision
        }
        passOn(actor, page)
      }
      actor.loaded = undefined
      if (actor.gone && !actor.atWork) return
      run(actor) // also for an actor that is gone: it still takes its turn under way
      if (!actor.gone) actor.effects.reconcile()
    },
  }
}
export type Actors<View, Command, At> = ReturnType<typeof createActors<View, Command, At>>

/** Gives events to the XState actor. Their place in the stream is fixed, but they may not be durable yet. */
export const evolve = <View, Command, At>(
  actor: Actor<View, Command, At>,
  events: readonly Recorded[],
): void => {
  const { running } = actor
  if (running === undefined) throw new Error(`the actor of ${actor.stream} has not read its events yet`)
  for (const event of events) {
    running.send({ type: event.header.type, stored: event })
    const { status, error } = running.getSnapshot()
    if (status === 'error') throw error
    actor.revision = event.header.revision
  }
}

/** Passes durable events on to the effects. */
export const passOn = <View, Command, At>(
  { effects }: Actor<View, Command, At>,
  events: readonly Recorded[],
): void => {
  if (effects.stored !== undefined) for (const event of events) effects.stored(event)
}

/** Folds the stored events that the actor has not seen. */
export const readOn = async <View, Command, At>(log: Log, actor: Actor<View, Command, At>): Promise<void> => {
  for await (const page of log.readStream(actor.stream, actor.revision)) {
    evolve(actor, page)
    passOn(actor, page)
  }
}

/** Stops the XState actor. */
export const halt = <View, Command, At>({ running }: Actor<View, Command, At>): void => {
  running?.stop()
}

/** Takes the oldest turn whose command can be decided now; undefined: there is none. */
export const nextInMailbox = <View, Command, At>({
  effects,
  turns,
}: Actor<View, Command, At>): Turn<View, Command> | undefined => {
  if (effects.isReady === undefined) return turns.shift()
  const at = turns.findIndex(({ command }) => effects.isReady?.(command))
  return at === -1 ? undefined : turns.splice(at, 1)[0]
}

const ignore = () => {}
