// A fetch for URLs that a user gives. Each connection is judged by its real address, after DNS and on every redirect,
// because the name in the first URL does not tell which address will be used.
import { lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import type { Agent, RequestInit as AgentInit, buildConnector } from 'undici'
import { guardedLookup } from './guarded-lookup.ts'
import { NotPublic } from './not-public.ts'
import { followRedirects } from './redirects.ts'

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
