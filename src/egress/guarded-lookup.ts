// Names of hosts looked up for callers: few at a time, and what comes back only as far as callers may go there.
import { isIP, type LookupFunction } from 'node:net'
import { createFairTurns } from '../fairness/fair-turns.ts'
import { NotPublic } from './not-public.ts'

/**
 * How many names are looked up at a time. The system takes one of its four threads for each, on which files wait, too,
 * and a name whose server does not answer holds it for many seconds. Domains take turns, since each may have names
 * without end.
 */
const turn = createFairTurns({ most: 2, mostOfOne: 1 })
const domainOf = (hostname: string): string => hostname.toLowerCase().split('.').slice(-2).join('.')

/** Looks up in turn, and answers with those addresses that may be reached; NotPublic if there are none. */
export const guardedLookup = (
  lookup: LookupFunction,
  mayReach: (address: string) => boolean,
): LookupFunction => {
  const lookUpInTurn: LookupFunction = (hostname, options, callback) =>
    void turn(
      domainOf(hostname),
      () =>
        new Promise<void>(resolve => {
          lookup(hostname, options, (...found) => {
            resolve()
            callback(...found)
          })
        }),
    ).catch(error => callback(error, ''))
  return (hostname, options, callback) =>
    lookUpInTurn(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, '')
      const all = Array.isArray(found) ? found : [{ address: found, family: isIP(found) }]
      const allowed = all.filter(({ address }) => mayReach(address))
      const [first] = allowed
      if (first === undefined) callback(new NotPublic(hostname), '')
      else if (options.all === true) callback(null, allowed)
      else callback(null, first.address, first.family)
    })
}
