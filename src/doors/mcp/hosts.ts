// Refuses requests of pages that have no business here. A page may give its own name the address of this machine (DNS
// rebinding): then the browser lets it send requests to this server, which name the host of the page.
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { Refusal } from '../../contract/refusals.ts'
import { createOrigins } from '../../http/server/origins.ts'
import type { PublicUrl } from '../../http/server/public-url.ts'

const hostnameIn = (host: string): string =>
  URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname.replace(/^\[|\]$/g, '') : ''

const isLoopback = (address: string): boolean =>
  /^(::ffff:)?127\./.test(address) || address === '::1' || /^(.+\.)?localhost$/.test(address)

const nameHost =
  'Reach the server by an address, as localhost, or by the host of PUBLIC_URL. Name the origins of pages in ALLOWED_ORIGINS.'

type Settings = { allowedOrigins: readonly string[]; publicUrl: PublicUrl | undefined }

/** Makes the function that throws when a request names a host or an origin from which nobody may come. */
export const createHostCheck = ({ allowedOrigins, publicUrl }: Settings) => {
  const { mayConnect } = createOrigins(allowedOrigins, publicUrl?.origin)
  const known = new Set(
    [publicUrl?.href, ...allowedOrigins].flatMap(each =>
      each !== undefined && URL.canParse(each) ? [new URL(each).hostname] : [],
    ),
  )
  /** No page can give itself these names. */
  const isSafe = (name: string): boolean => isIP(name) !== 0 || isLoopback(name) || known.has(name)

  return ({ headers: { host, origin }, socket }: IncomingMessage): void => {
    const isKnownHost = isSafe(hostnameIn(host ?? ''))
    // Programs may use any name that a network gives the server. To its own machine the server has no other names.
    const needsKnownHost = origin !== undefined || isLoopback(socket.localAddress ?? '')
    if (needsKnownHost && !isKnownHost)
      throw new Refusal('Forbidden', undefined, 'nobody may reach /mcp by this host', { hint: nameHost })
    if (origin !== undefined && !mayConnect(origin, host))
      throw new Refusal('Forbidden', undefined, 'pages of this origin may not use /mcp', { hint: nameHost })
  }
}
