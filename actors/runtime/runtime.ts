// One mailbox per stream. A turn decides, appends at the expected revision, and only then changes memory: what
// an actor remembers is never ahead of the log. After each turn, and when an actor is activated, it compares
// what its state wants running with what runs; so recovery and normal life are one code path.
import type { Snapshot } from 'xstate'
import type { Timers } from '../../src/contract/ports.ts'
import { Refusal } from '../../src/contract/refusals.ts'
import {
  type Log,
  type NewEvent,
  type Recorded,
  RevisionConflict,
  type StreamAppend,
} from '../../src/contract/stored.ts'
import { type Chart, type Inspect, type Live, startLive } from './live.ts'

/** What is particular to one kind of actor. It lives as long as the actor is in memory. */
export type Behaviour<View, Command, S extends Snapshot<undefined> = Snapshot<undefined>> = {
  view: View
  /** What runs as an XState actor beside it, and can be inspected. */
  chart?: Chart<S>
  /** Folds one event of the stream, stored or just appended. */
  evolve(event: Recorded): void
  /** Does outside what the decision needs to know; the turn waits for it. */
  before?(command: Command): Promise<void>
  /** Chooses events or throws a Refusal; none is an answer too. `made`: new streams, begun in the same append. */
  decide(command: Command): { events: NewEvent[]; made: StreamAppend[] }
  /** Whose events these are, asked after `decide`. */
  envelope(
    command: Command,
    events: NewEvent[],
  ): Omit<StreamAppend, 'stream' | 'expectedRevision' | 'justMade' | 'events'>
  /** Starts or stops the difference between what the view wants running and what runs. */
  reconcile(): void
  /** `busy`: something runs; `idle`: it may leave memory; `ended`: it should. */
  rest(): 'busy' | 'idle' | 'ended'
  /** Lets go: stops what runs without a word to the log. */
  stop(): void
}
export type Kind<View, Command, S extends Snapshot<undefined> = Snapshot<undefined>> = (
  stream: string,
  /** A report from an effect to its own actor; never rejects. */
  tell: (command: Command) => Promise<void>,
) => Behaviour<View, Command, S>

export type Runtime<View, Command> = {
  /** One turn: the view after it. Rejects with a Refusal or the log's failure. */
  ask(stream: string, command: Command, isNew?: boolean): Promise<View>
  /** Resolves once the view answers `done` with yes, now or after a later turn. */
  until(stream: string, done: (view: View) => boolean): Promise<View>
  /** Takes an actor into memory, so that what it wants running runs. */
  activate(stream: string): Promise<void>
  /** Puts an actor away now, whatever it does; the log is all that is left. */
  passivate(stream: string): void
  /** The view of every actor in memory. */
  views(): Iterable<View>
  /** How many actors have something running. */
  busy(): number
  stop(): void
}

type Turn<View, Command> = {
  command: Command
  resolve: (view: View) => void
  reject: (error: unknown) => void
}
type Waiter<View> = {
  done: (view: View) => boolean
  resolve: (view: View) => void
  reject: (e: unknown) => void
}
type Actor<View, Command, S extends Snapshot<undefined>> = {
  stream: string
  behaviour: Behaviour<View, Command, S>
  live: Live | undefined
  revision: number
  loaded: Promise<void> | undefined
  turns: Turn<View, Command>[]
  atWork: boolean
  justMade: boolean
  waiters: Waiter<View>[]
  restingSince: number
  gone: boolean
}

const conflictsTried = 5
const looksForOthers = 10_000
const idleSweepMs = 30_000

export const createRuntime = <View, Command, S extends Snapshot<undefined>>(
  log: Log,
  kind: Kind<View, Command, S>,
  timers: Timers,
  /** An effect's report that went wrong: there is no caller to tell. */
  onFault: (error: unknown) => void,
  /** Sees every event that a running actor receives. */
  inspect?: Inspect,
): Runtime<View, Command> => {
  const actors = new Map<string, Actor<View, Command, S>>()

  let stopped = false

  const find = (stream: string, isNew = false): Actor<View, Command, S> => {
    if (stopped) throw new Refusal('ShuttingDown') // an effect that still has something to say is not heard
    const known = actors.get(stream)
    if (known !== undefined) return known
    const actor: Actor<View, Command, S> = {
      stream,
      behaviour: kind(stream, command => ask(stream, command).then(ignore, onFault)),
      live: undefined,
      revision: -1,
      loaded: undefined,
      turns: [],
      atWork: false,
      justMade: isNew,
      waiters: [],
      restingSince: 0,
      gone: false,
    }
    actors.set(stream, actor)
    if (isNew) run(actor)
    else {
      actor.loaded = load(actor)
      actor.loaded.catch(error => drop(actor, error))
    }
    return actor
  }

  const load = async (actor: Actor<View, Command, S>): Promise<void> => {
    for await (const page of log.readStream(actor.stream, actor.revision)) fold(actor, page)
    actor.loaded = undefined
    if (!actor.gone) run(actor)
    actor.behaviour.reconcile()
  }

  const run = (actor: Actor<View, Command, S>) => {
    const { stream, behaviour } = actor
    if (behaviour.chart !== undefined) actor.live = startLive(stream, behaviour.chart, inspect)
  }

  const fold = (actor: Actor<View, Command, S>, events: Recorded[]) => {
    for (const event of events) {
      actor.behaviour.evolve(event)
      actor.live?.take(event)
      actor.revision = event.header.revision
    }
  }

  const work = async (actor: Actor<View, Command, S>): Promise<void> => {
    if (actor.atWork) return
    actor.atWork = true
    for (let turn = actor.turns.shift(); turn !== undefined; turn = actor.turns.shift()) {
      try {
        if (actor.loaded !== undefined) await actor.loaded
        await take(actor, turn.command)
        turn.resolve(actor.behaviour.view)
      } catch (error) {
        turn.reject(error)
      }
    }
    actor.atWork = false
    rest(actor)
  }

  const take = async (actor: Actor<View, Command, S>, command: Command): Promise<void> => {
    const { behaviour, stream } = actor
    const before = actor.revision
    if (behaviour.before !== undefined) await behaviour.before(command)
    for (let tries = 1; ; tries++) {
      const { events, made } = behaviour.decide(command)
      if (events.length === 0) break
      try {
        const append = {
          ...behaviour.envelope(command, events),
          stream,
          expectedRevision: actor.revision,
          justMade: actor.justMade,
          events,
        }
        const stored = await log.append([append, ...made])
        fold(actor, made.length === 0 ? stored : stored.slice(0, events.length))
        for (const { stream: other } of made) activate(other).catch(onFault)
        break
      } catch (error) {
        if (!(error instanceof RevisionConflict)) {
          // What is stored is not known any more: the next command starts from the log.
          drop(actor, error)
          throw error
        }
        if (tries === conflictsTried || !(await catchUp(actor))) {
          drop(actor, error)
          throw error
        }
      }
    }
    // Whoever wrote: the actor itself, or somebody else whose events it has just read.
    if (actor.gone || actor.revision === before) return
    behaviour.reconcile()
    answerWaiters(actor)
  }

  /** Reads what somebody else has written. It may be on its way to the disk still. */
  const catchUp = async (actor: Actor<View, Command, S>): Promise<boolean> => {
    for (let looks = 0; looks < looksForOthers; looks++) {
      for await (const page of log.readStream(actor.stream, actor.revision)) fold(actor, page)
      if (actor.revision >= log.revisionOf(actor.stream)) return true
      await new Promise(resolve => setImmediate(resolve))
    }
    return false
  }

  const answerWaiters = (actor: Actor<View, Command, S>) => {
    if (actor.waiters.length === 0) return
    const { view } = actor.behaviour
    const answered = actor.waiters.filter(waiter => waiter.done(view))
    actor.waiters = actor.waiters.filter(waiter => !answered.includes(waiter))
    for (const waiter of answered) waiter.resolve(view)
  }

  const drop = (actor: Actor<View, Command, S>, error?: unknown) => {
    actor.gone = true
    if (actors.get(actor.stream) === actor) actors.delete(actor.stream)
    actor.behaviour.stop()
    actor.live?.stop()
    actor.live = undefined // an append under way is still folded, for the caller that waits for it
    const left = new Error('the actor was put away')
    for (const waiter of actor.waiters) waiter.reject(error ?? left)
    for (const turn of actor.turns) turn.reject(error ?? left)
    actor.waiters = []
    actor.turns = []
  }

  /** An actor with nothing to do leaves memory: at once when it has ended, else when it was idle for a while. */
  const rest = (actor: Actor<View, Command, S>) => {
    if (actor.gone || actor.waiters.length > 0 || actor.turns.length > 0) return
    const state = actor.behaviour.rest()
    if (state === 'ended') drop(actor)
    actor.restingSince = state === 'idle' ? sweeps : Number.POSITIVE_INFINITY
  }
  let sweeps = 0
  const stopSweeping = timers.every(idleSweepMs, () => {
    sweeps++
    for (const actor of actors.values()) {
      if (!actor.atWork && actor.waiters.length === 0 && actor.restingSince < sweeps - 1) drop(actor)
    }
  })

  const ask = (stream: string, command: Command, isNew = false): Promise<View> =>
    new Promise((resolve, reject) => {
      const actor = find(stream, isNew)
      actor.turns.push({ command, resolve, reject })
      void work(actor)
    })

  const activate = async (stream: string): Promise<void> => {
    const actor = find(stream)
    if (actor.loaded !== undefined) await actor.loaded
    if (!actor.atWork) rest(actor)
  }

  return {
    ask,
    async until(stream, done) {
      const actor = find(stream)
      if (actor.loaded !== undefined) await actor.loaded
      const { view } = actor.behaviour
      if (done(view)) {
        if (!actor.atWork) rest(actor)
        return view
      }
      return new Promise((resolve, reject) => actor.waiters.push({ done, resolve, reject }))
    },
    activate,
    passivate(stream) {
      const actor = actors.get(stream)
      if (actor !== undefined) drop(actor)
    },
    *views() {
      for (const actor of actors.values()) yield actor.behaviour.view
    },
    busy: () =>
      [...actors.values()].filter(({ behaviour, atWork }) => atWork || behaviour.rest() === 'busy').length,
    stop() {
      stopped = true
      stopSweeping()
      for (const actor of actors.values()) drop(actor)
    },
  }
}

const ignore = () => {}
