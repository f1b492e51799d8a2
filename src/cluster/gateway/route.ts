// Finds who answers a request: this node or the owner of the event log. While there is no owner, the request waits.
import type { Timers, World } from '../../contract/ports.ts'
import { isStopping, noOwner, notOwner, ownerLost, unreadable } from './answers.ts'
import type { Asked } from './asked.ts'
import type { Exchange, Handler } from './exchange.ts'
import { createHeldRequests } from './held.ts'
import type { Said } from './send-answer.ts'

/** Milliseconds until a request is sent again to an owner that could not be reached. */
const againMs = 250
/**
 * How many times a request is sent again after a node that had taken it was lost. Without this limit, a request that
 * crashes an owner would crash each owner in turn.
 */
const mostRepeats = 2

/** The node that owns the event log: this one, another one, or undefined while no node owns it. */
export type Owner = { url: string } | 'me' | undefined

type Deps = {
  owner(): Owner
  local(): Handler | undefined
  /** The name of this node. */
  node: string
  holdMs: number
  clock: World['clock']
  timers: Timers
  stopping: AbortSignal
}

export const createRoute = ({ owner, local, node, holdMs, clock, timers, stopping }: Deps) => {
  const held = createHeldRequests({ timers, stopping })

  const route = async (exchange: Exchange, { mayNotPass }: Asked): Promise<void> => {
    let until = clock.now() + holdMs
    /** The URL of the node that could not be reached a moment ago, or that has refused the request. */
    let tried: string | undefined
    let repeats = 0

    const refuse = (said: Said): void => {
      const mayHaveHappened = repeats > 0 && !exchange.isSafe
      if (mayHaveHappened) exchange.refuse(ownerLost)
      else exchange.refuse(mayNotPass === undefined ? said : notOwner(node, mayNotPass))
    }
    /** Waits for another owner, or, if a URL was tried, to try it again. False: refused, or the client is gone. */
    const isWorthWaiting = async (): Promise<boolean> => {
      const left = until - clock.now()
      const ms = tried === undefined ? left : Math.min(left, againMs)
      const end = left > 0 ? await held.wait(ms, exchange.client) : 'full'
      if (end === 'stopping') refuse(isStopping)
      if (end === 'full') refuse(noOwner)
      return end === 'changed' || end === 'late'
    }
    /** Notes that a node that had taken the request was lost. False: the request is refused. */
    const isWorthRepeating = (): boolean => {
      repeats++
      until = clock.now() + holdMs
      const isWorth = exchange.mayRepeat() && repeats <= mostRepeats
      if (!isWorth) exchange.refuse(ownerLost)
      return isWorth
    }
    while (!exchange.client.closed) {
      const now = owner()
      const handler = now === 'me' ? local() : undefined
      if (handler !== undefined) return void exchange.serve(handler)
      if (typeof now === 'object' && mayNotPass !== undefined)
        return void exchange.refuse(notOwner(node, mayNotPass))
      if (typeof now === 'object' && now.url !== tried) {
        const outcome = await exchange.forward(now.url).catch(() => 'unreadable' as const)
        if (outcome === 'answered') return
        if (outcome === 'unreadable') return void exchange.refuse(unreadable)
        if (outcome === 'lost' && !isWorthRepeating()) return
        tried = now.url
      } else if (await isWorthWaiting()) tried = undefined
      else return
    }
  }
  return {
    changed: held.changed,
    held: held.count,
    /** Resolves when the answer has begun, or the client is gone. */
    route,
  }
}
