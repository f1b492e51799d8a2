// A fetch for URLs that somebody else gives: judged by where a connection really goes, after DNS and on every
// redirect, since a name and a first answer say nothing about that.
import { lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import type { Agent, RequestInit as AgentInit, buildConnector } from 'undici'
import { guardedLookup } from './guarded-lookup.ts'
import { NotPublic } from './not-public.ts'
import { followRedirects } from './redirects.ts'

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

type Deps = {
  /** Whether a connection to this IP address may be made. */
  mayReach: (address: string) => boolean
  lookup?: LookupFunction
}

const guarded =
  (connect: buildConnector.connector, mayReach: Deps['mayReach']): buildConnector.connector =>
  (options, callback) => {
    // An address is connected to without a look-up. The URL has brought every notation to one.
    const host = options.hostname.replace(/^\[|\]$/g, '')
    if (isIP(host) !== 0 && !mayReach(host)) callback(new NotPublic(host), null)
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
    // Not the platform's own fetch, which lets nobody say how its connections are made. Loaded when it is needed.
    const { Agent, buildConnector, fetch } = await import('undici')
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
    async close() {
      await agent?.destroy()
      agent = undefined
    },
  }
}
