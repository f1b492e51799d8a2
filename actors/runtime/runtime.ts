// One mailbox per stream. A turn decides, appends at the expected revision, and only then changes memory: what
// an actor remembers is never ahead of the log. After each turn, and when an actor is activated, it compares
// what its state wants running with what runs; so recovery and normal life are one code path.
import type { Timers } from '../../src/contract/ports.ts'
import { Refusal } from '../../src/contract/refusals.ts'
import { type Log, type Recorded, RevisionConflict } from '../../src/contract/stored.ts'
import type { Behaviour, Kind, Mailbox, Mailboxes } from './kind.ts'
import type { Inspect, Live } from './live.ts'

export type Runtime<View, Command> = Mailboxes<View, Command> & {
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
type Actor<View, Command> = {
  stream: string
  behaviour: Behaviour<View, Command>
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

export const createRuntime = <View, Command>(
  log: Log,
  kind: Kind<View, Command>,
  timers: Timers,
  /** An effect's report that went wrong: there is no caller to tell. */
  onFault: (error: unknown) => void,
  /** Sees every event that a running actor receives. */
  inspect?: Inspect | undefined,
): Runtime<View, Command> => {
  const actors = new Map<string, Actor<View, Command>>()

  let stopped = false

  const mailboxOf = (stream: string): Mailbox<View, Command> => ({
    tell: command => ask(stream, command).then(ignore, onFault),
    ask: command => ask(stream, command),
  })

  const find = (stream: string, isNew = false): Actor<View, Command> => {
    if (stopped) throw new Refusal('ShuttingDown') // an effect that still has something to say is not heard
    const known = actors.get(stream)
    if (known !== undefined) return known
    const actor: Actor<View, Command> = {
      stream,
      behaviour: kind(stream, mailboxOf(stream), { ask, until }),
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

  const load = async (actor: Actor<View, Command>): Promise<void> => {
    for await (const page of log.readStream(actor.stream, actor.revision)) fold(actor, page)
    actor.loaded = undefined
    if (!actor.gone) run(actor)
    actor.behaviour.reconcile()
  }

  const run = (actor: Actor<View, Command>) => {
    actor.live = actor.behaviour.run(inspect)
  }

  const fold = (actor: Actor<View, Command>, events: Recorded[]) => {
    for (const event of events) {
      actor.behaviour.evolve(event)
      actor.live?.take(event)
      actor.revision = event.header.revision
    }
  }

  /** The oldest turn whose command can be decided. */
  const nextTurn = ({ behaviour, turns }: Actor<View, Command>): Turn<View, Command> | undefined => {
    if (behaviour.isReady === undefined) return turns.shift()
    const at = turns.findIndex(({ command }) => behaviour.isReady?.(command))
    return at === -1 ? undefined : turns.splice(at, 1)[0]
  }

  const work = async (actor: Actor<View, Command>): Promise<void> => {
    if (actor.atWork) return
    actor.atWork = true
    for (let turn = nextTurn(actor); turn !== undefined; turn = nextTurn(actor)) {
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

  const take = async (actor: Actor<View, Command>, command: Command): Promise<void> => {
    const { behaviour, stream } = actor
    const first = behaviour.first?.(command)
    if (first !== undefined) await take(actor, first)
    const before = actor.revision
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
    behaviour.remember?.(command)
    // Whoever wrote: the actor itself, or somebody else whose events it has just read.
    if (actor.gone || (actor.revision === before && behaviour.remember === undefined)) return
    behaviour.reconcile()
    answerWaiters(actor)
  }

  /** Reads what somebody else has written. It may be on its way to the disk still. */
  const catchUp = async (actor: Actor<View, Command>): Promise<boolean> => {
    for (let looks = 0; looks < looksForOthers; looks++) {
      for await (const page of log.readStream(actor.stream, actor.revision)) fold(actor, page)
      if (actor.revision >= log.revisionOf(actor.stream)) return true
      await new Promise(resolve => setImmediate(resolve))
    }
    return false
  }

  const answerWaiters = (actor: Actor<View, Command>) => {
    if (actor.waiters.length === 0) return
    const { view } = actor.behaviour
    const answered = actor.waiters.filter(waiter => waiter.done(view))
    actor.waiters = actor.waiters.filter(waiter => !answered.includes(waiter))
    for (const waiter of answered) waiter.resolve(view)
  }

  const drop = (actor: Actor<View, Command>, error?: unknown) => {
    actor.gone = true
    if (actors.get(actor.stream) === actor) actors.delete(actor.stream)
    actor.behaviour.stop()
    actor.live?.stop()
    actor.live = undefined // an append under way is still folded, for the caller that waits for it
    const left = new Error('the actor was put away')
    for (const waiter of actor.waiters) waiter.reject(error ?? left)
    for (const turn of actor.turns) turn.reject(error ?? (stopped ? new Refusal('ShuttingDown') : left))
    actor.waiters = []
    actor.turns = []
  }

  /** An actor with nothing to do leaves memory: at once when it has ended, else when it was idle for a while. */
  const rest = (actor: Actor<View, Command>) => {
    if (actor.gone) return
    actor.restingSince = Number.POSITIVE_INFINITY
    if (actor.waiters.length > 0 || actor.turns.length > 0) return
    const state = actor.behaviour.rest()
    if (state === 'ended') drop(actor)
    if (state === 'idle') actor.restingSince = sweeps
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

  const until = async (stream: string, done: (view: View) => boolean): Promise<View> => {
    const actor = find(stream)
    if (actor.loaded !== undefined) await actor.loaded
    const { view } = actor.behaviour
    if (done(view)) {
      if (!actor.atWork) rest(actor)
      return view
    }
    return new Promise((resolve, reject) => actor.waiters.push({ done, resolve, reject }))
  }

  const activate = async (stream: string): Promise<void> => {
    const actor = find(stream)
    if (actor.loaded !== undefined) await actor.loaded
    if (!actor.atWork) rest(actor)
  }

  return {
    ask,
    until,
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
