// The actors of one kind that are in memory, and when they leave it.
import type { Timers } from '../../src/contract/ports.ts'
import { Refusal } from '../../src/contract/refusals.ts'
import type { Actor } from './actor.ts'

/** Milliseconds between two searches for idle actors. */
const idleSweepMs = 30_000

export const createMemory = <View, Command>(timers: Timers) => {
  const actors = new Map<string, Actor<View, Command>>()
  let isStopped = false
  let sweeps = 0

  /** Removes an actor from memory. `error`: what its callers and waiters receive. */
  const drop = (actor: Actor<View, Command>, error?: unknown): void => {
    actor.gone = true
    if (actors.get(actor.stream) === actor) actors.delete(actor.stream)
    actor.behaviour.stop()
    actor.live?.stop()
    actor.live = undefined // an append under way is still folded, because its caller waits for it
    const left = new Error('the actor left memory')
    for (const waiter of actor.waiters) waiter.reject(error ?? left)
    for (const turn of actor.turns) turn.reject(error ?? (isStopped ? new Refusal('ShuttingDown') : left))
    actor.waiters = []
    actor.turns = []
  }

  const stopSweeping = timers.every(idleSweepMs, () => {
    sweeps++
    for (const actor of actors.values()) {
      if (!actor.atWork && actor.waiters.length === 0 && actor.restingSince < sweeps - 1) drop(actor)
    }
  })

  return {
    /** Throws once the server has stopped: late reports of effects are refused. */
    find(stream: string): Actor<View, Command> | undefined {
      if (isStopped) throw new Refusal('ShuttingDown')
      return actors.get(stream)
    },
    add: (actor: Actor<View, Command>): void => void actors.set(actor.stream, actor),
    drop,
    /** Lets an actor with nothing to do leave memory: at once when it has ended, else after it was idle for a while. */
    rest(actor: Actor<View, Command>): void {
      if (actor.gone) return
      actor.restingSince = Number.POSITIVE_INFINITY
      if (actor.waiters.length > 0 || actor.turns.length > 0) return
      const state = actor.behaviour.rest()
      if (state === 'ended') drop(actor)
      if (state === 'idle') actor.restingSince = sweeps
    },
    all: () => actors.values(),
    stop(): void {
      isStopped = true
      stopSweeping()
      for (const actor of actors.values()) drop(actor)
    },
    passivate(stream: string): void {
      const actor = actors.get(stream)
      if (actor !== undefined) drop(actor)
    },
  }
}
export type Memory<View, Command> = ReturnType<typeof createMemory<View, Command>>
