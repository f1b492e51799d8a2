// A fetch for URLs that a user gives. Each connection is judged by its real address, after DNS and on every redirect,
// because the name in the first URL does not tell which address will be used.
import { lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import type { Agent, RequestInit as AgentInit, buildConnector } from 'undici'
import { createPlaces } from '../fairness/places.ts'
import { NotPublic } from './not-public.ts'

// Follows redirects here, not in the HTTP client, because the address of each new connection must be judged.

/** A request follows at most this many redirects. */
const maxRedirects = 5
/** Headers that may be sent to an origin that the caller did not name. */
const harmless = ['accept', 'content-type', 'user-agent']

const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status)

/** The request that follows a redirect. */
const redirected = (init: RequestInit, status: number, isElsewhere: boolean): RequestInit => {
  const headers = new Headers(init.headers)
  if (isElsewhere) for (const name of [...headers.keys()]) if (!harmless.includes(name)) headers.delete(name)
  const method = (init.method ?? 'GET').toUpperCase()
  const keepsMethod = status >= 307 || method === 'GET' || method === 'HEAD'
  if (keepsMethod) return { ...init, headers }
  headers.delete('content-type')
  const { body: _, ...rest } = init
  return { ...rest, method: 'GET', headers }
}

/**
 * Sends a request with `once`, and again for each redirect. `init.redirect` means the same as in the platform's fetch.
 */
const followRedirects = async (
  once: (url: URL, init: RequestInit) => Promise<Response>,
  first: URL,
  init: RequestInit,
): Promise<Response> => {
  let url = first
  let request = init
  for (let followed = 0; ; followed++) {
    const response = await once(url, request)
    const location = isRedirect(response.status) ? response.headers.get('location') : null
    if (location === null || init.redirect === 'manual') return response
    await response.body?.cancel()
    if (init.redirect === 'error' || !URL.canParse(location, url.href)) {
      throw new Error(`redirected with ${response.status}`)
    }
    if (followed === maxRedirects) throw new Error(`redirected more than ${maxRedirects} times`)
    const next = new URL(location, url)
    request = redirected(request, response.status, next.origin !== url.origin)
    url = next
  }
}

// Looks up host names for callers: a few at a time, with only the addresses that callers may reach.

/**
 * The most names that are looked up at a time, in all and for one domain. Node uses one of its four threads for each
 * name, and file operations need these threads too. A name whose server does not answer occupies its thread for many
 * seconds. Domains take turns, since each may have any number of names.
 */
const { hold } = createPlaces({ places: 2, perUser: 1 })
const domainOf = (hostname: string): string => hostname.toLowerCase().split('.').slice(-2).join('.')

/**
 * Looks up a name in its turn and calls back with the addresses that may be reached, or with NotPublic if there are
 * none.
 */
const guardedLookup = (lookup: LookupFunction, mayReach: (address: string) => boolean): LookupFunction => {
  const lookUpInTurn: LookupFunction = (hostname, options, callback) =>
    void hold(
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

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>
export type OutsideFetch = {
  /**
   * Like the platform's fetch, but without any time limit, not even for the beginning of an answer: pass a signal.
   * Throws NotPublic. Follows at most five redirects, and sends only harmless headers of the caller to another origin.
   */
  fetch: Fetch
  /** Whether the letters of a URL already name an address that may not be reached. What a name leads to may change. */
  isRefused(url: string): boolean
  /** Aborts open requests. */
  close(): Promise<void>
}

type Deps = {
  /** Whether a connection to this IP address is allowed. */
  mayReach: (address: string) => boolean
  lookup?: LookupFunction
}

/** The address that the letters of a host name, without a look-up; undefined: a name that DNS must resolve. */
const writtenIn = (host: string): string | undefined => {
  if (isIP(host) !== 0) return host
  return /(^|\.)localhost\.?$/i.test(host) ? '127.0.0.1' : undefined // RFC 6761
}
/** A host name without the brackets of IPv6. The URL parser has already normalized every notation of an address. */
const bare = (host: string): string => host.replace(/^\[|\]$/g, '')

const guarded =
  (connect: buildConnector.connector, mayReach: Deps['mayReach']): buildConnector.connector =>
  (options, callback) => {
    const host = bare(options.hostname)
    const address = writtenIn(host)
    if (address !== undefined && !mayReach(address)) callback(new NotPublic(host), null)
    else connect(options, callback)
  }

export const createOutsideFetch = ({
  mayReach,
  lookup: lookUp = systemLookup as LookupFunction,
}: Deps): OutsideFetch => {
  const lookup = guardedLookup(lookUp, mayReach)
  let agent: Agent | undefined
  const once = async (url: URL, init: RequestInit): Promise<Response> => {
    if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
      throw new Error('only http and https URLs without a user name are fetched')
    }
    // The platform's own fetch cannot be told how to connect. This module is loaded when it is first needed.
    const { Agent, buildConnector, fetch } = await import('./undici.ts')
    agent ??= new Agent({
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: guarded(buildConnector({ lookup, timeout: 10_000 } as buildConnector.BuildOptions), mayReach),
    })
    try {
      const asked = { ...init, dispatcher: agent, redirect: 'manual' } as AgentInit
      return (await fetch(url, asked)) as unknown as Response
    } catch (error) {
      throw error instanceof TypeError && error.cause instanceof NotPublic ? error.cause : error
    }
  }

  return {
    fetch: async (url, init = {}) => followRedirects(once, new URL(url), init),
    isRefused(url) {
      const address = URL.canParse(url) ? writtenIn(bare(new URL(url).hostname)) : undefined
      return address !== undefined && !mayReach(address)
    },
    async close() {
      await agent?.destroy()
      agent = undefined
    },
  }
}
