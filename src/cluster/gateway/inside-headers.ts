// The headers that only nodes send to each other. A client's headers with such names are removed before they are used.
import type { IncomingMessage } from 'node:http'

/** In a request: the signature of the node that sends it. */
export const hopHeader = 'reprise-hop'
/** In a request: the node sends the body after a 100. */
export const waitsHeader = 'reprise-waits'
/** In an answer to a node: the node that answers does not own the event log. With status 508, it has done nothing. */
export const notOwnerHeader = 'reprise-not-owner'
/** In an answer to a node whose request is too old or from the future: the time of the node that answers. */
export const timeHeader = 'reprise-time'

const isInside = (name: string): boolean => name.slice(0, 8).toLowerCase() === 'reprise-'

/** Removes the headers of nodes from every form in which a request has its headers. */
export const removeInside = (request: IncomingMessage): void => {
  if (!request.rawHeaders.some((name, n) => n % 2 === 0 && isInside(name))) return
  const { rawHeaders, headers, headersDistinct } = request // the last two are made from the first when they are read
  for (const all of [headers, headersDistinct]) {
    for (const name of Object.keys(all)) if (isInside(name)) delete all[name]
  }
  const kept = rawHeaders.filter((_, n) => !isInside(rawHeaders[n - (n % 2)] ?? ''))
  rawHeaders.splice(0, rawHeaders.length, ...kept)
}
