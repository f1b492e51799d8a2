// The ways in which a request to NATS stays without an answer.

/** No server with a copy of the stream is left that may be asked. */
export class NoCopy extends Error {
  constructor(name: string) {
    super(`no server that answers has a usable copy of ${name}`)
  }
}

type ClientError = { name?: string; code?: unknown; isNoResponders?: () => boolean; cause?: unknown }

/** Whether the servers may have got the request, and have not answered in time. */
export const isTimeout = (error: unknown): boolean => (error as ClientError).name === 'TimeoutError'

/** Whether no server can have got the request: the connection had ended before, or no server takes its subject. */
export const isUnsent = (error: unknown): boolean => {
  const { name, isNoResponders } = error as ClientError
  return name === 'ClosedConnectionError' || isNoResponders?.call(error) === true
}
