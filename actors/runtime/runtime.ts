// Runs the actors of one kind, each with a mailbox. After each turn, and when it is loaded, an actor compares the work
// that its state wants running with the work that runs, and starts or stops the difference. So recovery and normal
// operation are one code path.
import type { Timers } from '../../src/contract/ports.ts'
import type { Log } from '../../src/contract/stored.ts'
import { type Actor, createActors } from './actor.ts'
import type { Kind, Mailbox, Mailboxes } from './kind.ts'
import type { Inspect } from './logic.ts'
import { createMemory } from './memory.ts'
import { type TurnDeps, work } from './turn.ts'
import { waitFor } from './waiters.ts'

export type Runtime<View, Command> = Mailboxes<View, Command> & {
  /** Loads an actor into memory, which starts everything that its state wants running. */
  activate(stream: string): Promise<void>
  /** Removes an actor from memory at once, whatever it is doing. Only its stored events remain. */
  passivate(stream: string): void
  /** The view of every actor in memory. */
  views(): Iterable<View>
  /** The number of actors that run something. */
  busy(): number
  stop(): void
}

type RuntimeDeps<View, Command, At> = {
  log: Log
  kind: Kind<View, Command, At>
  timers: Timers
  /** Receives errors for which no caller waits: of an effect's report, or of the loading of a new actor. */
  onFault: (error: unknown) => void
  /** Sees every event that a running actor receives. */
  inspect?: Inspect | undefined
  /**
   * Loads the actor of a stream that an actor of this kind has made in its own append. Absent: this kind makes only
   * actors of its own kind.
   */
  begin?: (stream: string) => Promise<void>
}

export const createRuntime = <View, Command, At>(
  deps: RuntimeDeps<View, Command, At>,
): Runtime<View, Command> => {
  const { log, kind, timers, onFault } = deps
  const memory = createMemory<View, Command, At>(timers)
  const actors = createActors(kind, log, deps.inspect)

  const mailboxOf = (stream: string): Mailbox<View, Command> => ({
    tell: command => ask(stream, command).then(ignore, onFault),
    ask: command => ask(stream, command),
    // An actor that has left memory may still have an append under way.
    isAtWork: () => memory.find(stream)?.atWork !== false,
  })

  const find = (stream: string, isNew = false): Actor<View, Command, At> => {
    const known = memory.find(stream)
    if (known !== undefined) return known
    const actor = actors.make(stream, isNew, view =>
      kind.effects(stream, view, mailboxOf(stream), { ask, until }),
    )
    memory.add(actor)
    if (!isNew) {
      actor.loaded = actors.load(actor)
      actor.loaded.catch(error => memory.drop(actor, error))
    }
    return actor
  }

  const ask = (stream: string, command: Command, isNew = false): Promise<View> =>
    new Promise((resolve, reject) => {
      const actor = find(stream, isNew)
      actor.turns.push({ command, resolve, reject })
      void work(turns, actor)
    })

  const activate = async (stream: string): Promise<void> => {
    const actor = find(stream)
    if (actor.loaded !== undefined) await actor.loaded
    if (!actor.atWork) memory.rest(actor)
  }

  const until = async (stream: string, done: (view: View) => boolean): Promise<View> => {
    const actor = find(stream)
    if (actor.loaded !== undefined) await actor.loaded
    if (actor.gone) return until(stream, done)
    const { view } = actor
    if (actor.isAhead || !done(view)) return waitFor(actor, done)
    if (!actor.atWork) memory.rest(actor)
    return view
  }

  const turns: TurnDeps<View, Command, At> = {
    kind,
    log,
    memory,
    begin: stream => void (deps.begin ?? activate)(stream).catch(onFault),
  }

  return {
    ask,
    until,
    activate,
    passivate: memory.passivate,
    *views() {
      for (const actor of memory.all()) yield actor.view
    },
    busy: () => [...memory.all()].filter(({ effects, atWork }) => atWork || effects.rest() === 'busy').length,
    stop: memory.stop,
  }
}

const ignore = () => {}
