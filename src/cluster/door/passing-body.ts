// The body of a request on its way through this node. It goes to another node or to a handler of this node. If it was
// kept, it can go to the next owner, too.
import { type ClientRequest, IncomingMessage } from 'node:http'
import { hasBody } from './body-length.ts'
import type { KeptBodies, KeptBody } from './kept-bodies.ts'

/** Copies a request whose body was read: the copy has a body that has not been read. */
const unreadLike = (request: IncomingMessage): IncomingMessage => {
  const { method, url, rawHeaders, headers, headersDistinct } = request
  const { httpVersion, httpVersionMajor, httpVersionMinor } = request
  const unread = new IncomingMessage(request.socket)
  return Object.assign(unread, {
    ...{ method, url, rawHeaders, headers, headersDistinct },
    ...{ httpVersion, httpVersionMajor, httpVersionMinor },
  })
}

/** `mayRepeat`: whether the request may be sent again after a node has taken it. */
export const createPassingBody = (request: IncomingMessage, mayRepeat: boolean, bodies: KeptBodies) => {
  let isBegun = false
  let kept: KeptBody | undefined
  return {
    /** Sends the body to another node. It can be called again while `isWhole`. */
    sendTo(outgoing: ClientRequest): void {
      if (!isBegun && mayRepeat) kept = bodies.keep(request)
      isBegun = true
      if (kept === undefined) request.pipe(outgoing)
      else kept.sendTo(outgoing)
    },
    /** Sends nothing more to that node. */
    leave(outgoing: ClientRequest): void {
      if (kept === undefined) request.unpipe(outgoing)
      else kept.leave()
    },
    /** Whether the body can still be sent from its beginning on. */
    isWhole: (): boolean => !isBegun || kept !== undefined || !hasBody(request),
    /** The request with its whole body, for a handler of this node. */
    whole(): IncomingMessage {
      if (kept === undefined) return request
      const unread = unreadLike(request)
      kept.sendTo({
        write: chunk => unread.push(chunk),
        end() {
          unread.complete = true
          unread.push(null)
        },
      })
      return unread
    },
    /** Keeps the body no longer. */
    free: (): void => kept?.free(),
  }
}
export type PassingBody = ReturnType<typeof createPassingBody>
