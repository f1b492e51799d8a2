// The body of a request on its way through this node. It goes to another node or to a handler of this node. If it was
// buffered, it can go to the next owner, too.
import { type ClientRequest, IncomingMessage } from 'node:http'
import { hasBody } from './body-length.ts'
import type { BufferedBodies, BufferedBody } from './buffered-bodies.ts'

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
export const createPassingBody = (request: IncomingMessage, mayRepeat: boolean, bodies: BufferedBodies) => {
  let isBegun = false
  let buffered: BufferedBody | undefined
  return {
    /** Sends the body to another node. It can be called again while `isWhole`. */
    sendTo(outgoing: ClientRequest): void {
      if (!isBegun && mayRepeat) buffered = bodies.buffer(request)
      isBegun = true
      if (buffered === undefined) request.pipe(outgoing)
      else buffered.sendTo(outgoing)
    },
    /** Sends nothing more to that node. */
    leave(outgoing: ClientRequest): void {
      if (buffered === undefined) request.unpipe(outgoing)
      else buffered.leave()
    },
    /** Whether the body can still be sent from its beginning on. */
    isWhole: (): boolean => !isBegun || buffered !== undefined || !hasBody(request),
    /** The request with its whole body, for a handler of this node. */
    whole(): IncomingMessage {
      if (buffered === undefined) return request
      const unread = unreadLike(request)
      buffered.sendTo({
        write: chunk => unread.push(chunk),
        end() {
          unread.complete = true
          unread.push(null)
        },
      })
      return unread
    },
    /** Keeps the body no longer. */
    free: (): void => buffered?.free(),
  }
}
export type PassingBody = ReturnType<typeof createPassingBody>
