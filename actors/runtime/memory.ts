// Keeps the actors of one kind in memory, and decides when an actor leaves memory.

import type { Timers } from '../../src/contract/ports.ts'
import { Refusal } from '../../src/contract/refusals.ts'
import { TransientMap } from '../../src/platform/transient.ts'
import { type Actor, halt } from './actor.ts'

/** Milliseconds between two searches for idle actors. */
const idleSweepMs = 30_000
/** The largest number of actors that stay in memory although they have ended. */
const maxEnded = 4

export const createMemory = <View, Command, At>(timers: Timers) => {
  const actors = new TransientMap<string, Actor<View, Command, At>>()
  /** Actors that have ended and were read from the log for a command, the newest last. */
  let ended: Actor<View, Command, At>[] = []
  const leaveEnded = (actor: Actor<View, Command, At>): void => {
    if (ended.length > 0) ended = ended.filter(one => one !== actor)
  }
  let isStopped = false
  let sweeps = 0

  /** Removes an actor from memory. `error`: what its callers and waiters receive. */
  const drop = (actor: Actor<View, Command, At>, error?: unknown): void => {
    actor.gone = true
    leaveEnded(actor)
    if (actors.get(actor.stream) === actor) actors.delete(actor.stream)
    actor.effects.stop()
    if (!actor.atWork) halt(actor) // else when its turn has ended: an append under way is still folded for its caller
    if (actor.waiters.length === 0 && actor.turns.length === 0) return // usually; making the error takes 3 µs
    const why = error ?? (isStopped ? new Refusal('ShuttingDown') : new Error('the actor left memory'))
    for (const waiter of actor.waiters) waiter.reject(why)
    for (const turn of actor.turns) turn.reject(why)
    actor.waiters = []
    actor.turns = []
  }

  /**
   * Drops an actor that has ended. An actor that was read from the log stays for a while, because otherwise the next
   * command, such as another reward, would have to read all of its events again.
   */
  const dropSoon = (actor: Actor<View, Command, At>): void => {
    if (actor.justMade) {
      drop(actor)
      return
    }
    actor.restingSince = sweeps
    ended.push(actor)
    const oldest = ended.length > maxEnded ? ended.shift() : undefined
    if (oldest?.atWork === false) drop(oldest)
  }

  const stopSweeping = timers.every(idleSweepMs, () => {
    sweeps++
    for (const actor of actors.values()) {
      if (!actor.atWork && actor.waiters.length === 0 && actor.restingSince < sweeps - 1) drop(actor)
    }
  })

  return {
    /** The actor of a stream, if it is in memory. Throws once the server has stopped, so late reports are refused. */
    find(stream: string): Actor<View, Command, At> | undefined {
      if (isStopped) throw new Refusal('ShuttingDown')
      return actors.get(stream)
    },
    add: (actor: Actor<View, Command, At>): void => void actors.set(actor.stream, actor),
    drop,
    /** Lets an actor with nothing to do leave memory: soon when it has ended, else after it was idle for a while. */
    rest(actor: Actor<View, Command, At>): void {
      if (actor.gone) return
      leaveEnded(actor) // an ended environment session may begin again
      actor.restingSince = Number.POSITIVE_INFINITY
      if (actor.waiters.length > 0 || actor.turns.length > 0) return
      const state = actor.effects.rest()
      if (state === 'ended') dropSoon(actor)
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
export type Memory<View, Command, At> = ReturnType<typeof createMemory<View, Command, At>>
