// PUBLIC_URL: the address at which clients reach the server, when that is not the address on which the server listens.
// A proxy may serve Reprise below a path of its own host, such as https://example.com/reprise. The path is the prefix.
import type { IncomingMessage, Server } from 'node:http'
import { CannotStart } from '../../contract/cannot-start.ts'
import type { Env } from '../../platform/variables.ts'

/** `href` has no slash at its end. `prefix`: the path, such as `/reprise`; empty if there is none. */
export type PublicUrl = Readonly<{ href: string; origin: string; prefix: string }>

/**
 * The first parts of the server's own paths. A prefix must not begin with one of them: nobody could tell whether a proxy
 * has removed the prefix `/api` from `/api/events`.
 */
export const ownPaths: readonly string[] = [
  '.well-known',
  'a2a',
  'ag-ui',
  'api',
  'asyncapi.json',
  'cluster',
  'docs',
  'healthz',
  'mcp',
  'metrics',
  'openapi.json',
  'readyz',
  'ui',
  'v1',
  'ws',
]

/** The value of PUBLIC_URL; undefined: the variable is not set. Throws CannotStart. */
export const publicUrlOf = (env: Env): PublicUrl | undefined => {
  const given = env.PUBLIC_URL
  if (given === undefined || given === '') return undefined
  const refuse = (why: string) => new CannotStart(`PUBLIC_URL=${given} ${why}`)
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw refuse('is no address of http or https, such as https://example.com/reprise')
  if (url.username !== '' || url.password !== '' || /[?#]/.test(given))
    throw refuse('must have no user, no query and no fragment')
  const prefix = url.pathname.replace(/\/$/, '')
  if (/\/\/|\/$/.test(prefix)) throw refuse('has an empty part in its path: write each slash once')
  const [, first = ''] = prefix.split('/')
  if (ownPaths.includes(first))
    throw refuse(`has a path that begins like a path of the server (/${first}): serve it below another path`)
  return Object.freeze({ href: url.origin + prefix, origin: url.origin, prefix })
}

/** The beginning of the addresses of the server. Without PUBLIC_URL it is empty: then only the client knows it. */
export const rootOf = (publicUrl: PublicUrl | undefined): string => publicUrl?.href ?? ''

/** The address at which a caller has reached the server, by the host that it named; empty: it named none. */
export const originOf = (host: string | undefined): string =>
  host !== undefined && /^[\w.:[\]-]+$/.test(host) ? `http://${host}` : ''

/** The URL of a request as the server knows it: without the prefix, if the proxy has left the prefix in it. */
export const withoutPrefix = (url: string, prefix: string): string => {
  if (!url.startsWith(prefix)) return url
  const rest = url.slice(prefix.length)
  if (rest === '' || rest.startsWith('?')) return `/${rest}`
  return rest.startsWith('/') ? rest : url
}

/** The requests from which the prefix was taken. Some listeners pass a request on to others. */
const taken = new WeakSet<IncomingMessage>()

/** Every request reaches the other listeners of `server` without the prefix, whether or not the proxy removes it. */
export const takePrefixOff = (server: Server, publicUrl: PublicUrl | undefined): void => {
  const prefix = publicUrl?.prefix ?? ''
  if (prefix === '') return
  const take = (request: IncomingMessage) => {
    if (taken.has(request)) return
    taken.add(request)
    request.url = withoutPrefix(request.url ?? '/', prefix)
  }
  // Node answers `Expect: 100-continue` itself while nobody listens for it.
  for (const event of ['request', 'upgrade', 'checkContinue', 'checkExpectation'])
    if (server.listenerCount(event) > 0) server.prependListener(event, take)
}
