// Looks up host names for callers: a few at a time, with only the addresses that callers may reach.
import { isIP, type LookupFunction } from 'node:net'
import { createFairTurns } from '../fairness/fair-turns.ts'
import { NotPublic } from './not-public.ts'

/**
 * The most names that are looked up at a time, in all and for one domain. Node uses one of its four threads for each
 * name, and file operations need these threads too. A name whose server does not answer occupies its thread for many
 * seconds. Domains take turns, since each may have any number of names.
 */
const turn = createFairTurns({ places: 2, perUser: 1 })
const domainOf = (hostname: string): string => hostname.toLowerCase().split('.').slice(-2).join('.')

/**
 * Looks up a name in its turn and calls back with the addresses that may be reached, or with NotPublic if there are
 * none.
 */
export const guardedLookup = (
  lookup: LookupFunction,
  mayReach: (address: string) => boolean,
): LookupFunction => {
  const lookUpInTurn: LookupFunction = (hostname, options, callback) =>
    void turn(
      domainOf(hostname),
      () =>
        new Promise<void>(resolve => {
          lookup(hostname, options, (...results) => {
            resolve()
            callback(...results)
          })
        }),
    ).catch(error => callback(error, ''))
  return (hostname, options, callback) =>
    lookUpInTurn(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, '')
      const all = Array.isArray(addresses) ? addresses : [{ address: addresses, family: isIP(addresses) }]
      const allowed = all.filter(({ address }) => mayReach(address))
      const [first] = allowed
      if (first === undefined) callback(new NotPublic(hostname), '')
      else if (options.all === true) callback(null, allowed)
      else callback(null, first.address, first.family)
    })
}
