// While this node owns the log, it looks every ten seconds whether each NATS server has everything.
import type { NatsSettings } from '../bus/nats-settings.ts'
import type { Conditions } from '../cluster/conditions.ts'
import { lookAtServers, wordsOfServers } from '../cluster/nats/look.ts'
import type { Timers } from '../contract/ports.ts'

type Deps = {
  settings: NatsSettings
  isOwner(): boolean
  conditions: Pick<Conditions, 'begin' | 'end'>
  timers: Timers
  everyMs?: number
}

/** Returns a function that ends the watch. */
export const watchServers = ({ settings, isOwner, conditions, timers, everyMs = 10_000 }: Deps) => {
  let isLooking = false
  const look = async (): Promise<void> => {
    const words = isOwner() ? wordsOfServers(await lookAtServers(settings, 0)) : []
    if (words.length > 0) conditions.begin('server-behind', words.join('; '))
    else conditions.end('server-behind')
  }
  return timers.every(everyMs, () => {
    if (isLooking) return
    isLooking = true
    void look().finally(() => {
      isLooking = false
    })
  })
}
