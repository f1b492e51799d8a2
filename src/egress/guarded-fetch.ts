// A fetch for URLs that somebody else gives: judged by where a connection really goes, after DNS and on every
// redirect, since a name and a first answer say nothing about that.
import { lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import type { Agent, RequestInit as AgentInit, buildConnector } from 'undici'
import { createFairTurns } from '../fairness/fair-turns.ts'

/** A URL that leads where callers may not go. Tells no address: what a name means inside is nobody's business. */
export class NotPublic extends Error {
  constructor(host: string) {
    super(
      `${host} leads to an address that is not public; the operator can allow these with ALLOW_PRIVATE_URLS=1`,
    )
  }
}

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>
export type OutsideFetch = {
  /**
   * As the platform's, but it sets no time limit, not even for an answer's beginning: give it a signal. Throws
   * NotPublic. Redirects are followed five times at most, and to another origin without the caller's headers.
   */
  fetch: Fetch
  /** Breaks off what is under way. */
  close(): Promise<void>
}

/**
 * Names that are looked up at a time. The system takes one of its four threads for each, on which files wait, too, and a
 * name whose server does not answer holds it for many seconds. Domains take turns, since each may have names without end.
 */
const turn = createFairTurns({ most: 2, mostOfOne: 1 })
const domainOf = (hostname: string): string => hostname.toLowerCase().split('.').slice(-2).join('.')

const mostRedirects = 5
/** What may be said to an origin that the caller did not name. */
const harmless = ['accept', 'content-type', 'user-agent']

type Parts = {
  /** Whether a connection to this IP address may be made. */
  mayReach: (address: string) => boolean
  lookup?: LookupFunction
}

export const createOutsideFetch = ({
  mayReach,
  lookup = systemLookup as LookupFunction,
}: Parts): OutsideFetch => {
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
  /** Of what a name leads to only what may be reached. */
  const guardedLookup: LookupFunction = (hostname, options, callback) =>
    lookUpInTurn(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, '')
      const all = Array.isArray(found) ? found : [{ address: found, family: isIP(found) }]
      const allowed = all.filter(({ address }) => mayReach(address))
      const [first] = allowed
      if (first === undefined) callback(new NotPublic(hostname), '')
      else if (options.all === true) callback(null, allowed)
      else callback(null, first.address, first.family)
    })
  const guarded =
    (connect: buildConnector.connector): buildConnector.connector =>
    (options, callback) => {
      // An address is connected to without a look-up. The URL has brought every notation to one.
      const host = options.hostname.replace(/^\[|\]$/g, '')
      if (isIP(host) !== 0 && !mayReach(host)) callback(new NotPublic(host), null)
      else connect(options, callback)
    }

  let agent: Agent | undefined
  const once = async (url: URL, init: RequestInit): Promise<Response> => {
    if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
      throw new Error('only http and https URLs without a user name are fetched')
    }
    // Not the platform's own fetch, whose connections cannot be told how to be made. Loaded when it is needed.
    const { Agent, buildConnector, fetch } = await import('undici')
    agent ??= new Agent({
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: guarded(
        buildConnector({ lookup: guardedLookup, timeout: 10_000 } as buildConnector.BuildOptions),
      ),
    })
    try {
      const asked = { ...init, dispatcher: agent, redirect: 'manual' } as AgentInit
      return (await fetch(url, asked)) as unknown as Response
    } catch (error) {
      throw error instanceof TypeError && error.cause instanceof NotPublic ? error.cause : error
    }
  }

  return {
    async fetch(given, init = {}) {
      let url = new URL(given)
      let asked = init
      for (let followed = 0; ; followed++) {
        const response = await once(url, asked)
        const location = isRedirect(response.status) ? response.headers.get('location') : null
        if (location === null || init.redirect === 'manual') return response
        await response.body?.cancel()
        if (init.redirect === 'error' || !URL.canParse(location, url.href)) {
          throw new Error(`redirected with ${response.status}`)
        }
        if (followed === mostRedirects) throw new Error(`redirected more than ${mostRedirects} times`)
        const next = new URL(location, url)
        asked = redirected(asked, response.status, next.origin !== url.origin)
        url = next
      }
    },
    async close() {
      await agent?.destroy()
      agent = undefined
    },
  }
}

const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status)

/** What is asked of where a redirect leads. */
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
