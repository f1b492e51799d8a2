// What went wrong with an MCP server, in words that hold nothing it was told in confidence: few of them are taken
// from an error as it is, since any may quote a header.
import { ToolsUnavailable } from '../contract/tools.ts'
import { NotPublic } from '../egress/not-public.ts'
import { type McpServer, withoutSecrets } from './server.ts'

/** A server that cannot be used; `what` goes on a sentence that begins with its name. */
export class McpFailure extends ToolsUnavailable {
  /** The server itself has said no, and can be asked on. */
  readonly isAnswer: boolean
  constructor(server: string, what: string, isAnswer = false) {
    super(`the MCP server "${server}" ${what}`)
    this.isAnswer = isAnswer
  }
}

const longest = 2000

const codeOf = (error: unknown): string | number | undefined =>
  typeof error === 'object' && error !== null && 'code' in error
    ? (error as { code?: string | number }).code
    : undefined

/** In the place of the server's own: its answer ended before it was whole. */
export const brokenOff = -32_097

/** An error that the server itself has told, by the protocol. */
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
    // A process that ends while it is written to.
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
  // What the network says stands behind a TypeError that says nothing.
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
