// Describes failures of MCP servers in words that contain no secret. Few texts of an error are passed on, since any
// text may quote a header.
import { ToolsUnavailable } from '../contract/tools.ts'
import { NotPublic } from '../egress/not-public.ts'
import { type McpServer, withoutSecrets } from './server.ts'

/** A server cannot be used; `what` continues a sentence that begins with the server's name. */
export class McpFailure extends ToolsUnavailable {
  /** Whether the server itself has sent the error. Then the server can still be used. */
  readonly isAnswer: boolean
  constructor(server: string, what: string, isAnswer = false) {
    super(`the MCP server "${server}" ${what}`)
    this.isAnswer = isAnswer
  }
}

/** The greatest length of the description of a failure, in characters. */
const longest = 2000

const codeOf = (error: unknown): string | number | undefined =>
  typeof error === 'object' && error !== null && 'code' in error
    ? (error as { code?: string | number }).code
    : undefined

/** Our own error code for an answer that ended before it was complete. */
export const brokenOff = -32_097

/** Whether the server itself sent this error over the protocol. */
export const isAnswer = (error: unknown): error is Error => {
  if (!(error instanceof Error) || error instanceof DOMException) return false
  const code = codeOf(error)
  return typeof code === 'number' && code !== brokenOff
}

const reason = (error: unknown): string => {
  if (error instanceof NotPublic) return `cannot be reached: ${error.message}`
  if (isAnswer(error)) return `answered: ${error.message}`
  const status = (error as { status?: unknown } | undefined)?.status
  if (typeof status === 'number') return `answered with HTTP ${status}`
  switch (codeOf(error)) {
    case 'REQUEST_TIMEOUT':
      return 'did not answer in time'
    case brokenOff:
      return 'broke its answer off'
    case 'CONNECTION_CLOSED':
    case 'NOT_CONNECTED':
    // A process that ended while a message was written to it.
    case 'EPIPE':
    case 'ECONNRESET':
    case 'ERR_STREAM_DESTROYED':
    case 'ERR_STREAM_WRITE_AFTER_END':
      return 'closed the connection'
    case 'ENOENT':
      return 'cannot be started: its command or its folder is not there'
    case 'EACCES':
      return 'cannot be started: its command may not be run'
  }
  // The network error is the cause of a TypeError that has no details.
  const behind = error instanceof Error ? error.cause : undefined
  if (behind instanceof Error && behind.message === 'bad port') {
    return 'cannot be reached: HTTP clients refuse its port, which is reserved for another protocol; give it another one'
  }
  const cause = codeOf(behind)
  if (cause === undefined) return 'does not speak the protocol'
  const isGone = cause === 'UND_ERR_SOCKET' || cause === 'ECONNRESET'
  if (isGone) return 'closed the connection'
  return `cannot be reached: ${cause === 'ECONNREFUSED' ? 'nothing listens on its port (ECONNREFUSED)' : cause}`
}

export const failureOf = (server: McpServer, error: unknown): McpFailure =>
  error instanceof McpFailure
    ? error
    : new McpFailure(server.name, withoutSecrets(server, reason(error)).slice(0, longest), isAnswer(error))
