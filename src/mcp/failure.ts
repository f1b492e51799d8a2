// Describes failures of MCP servers in words. The words of a server are passed on without the configured secrets, since
// any text may quote a header.
import { ToolsUnavailable } from '../contract/tools.ts'
import { NotPublic } from '../egress/not-public.ts'
import { wordsOfBody } from './reading/words.ts'
import { type McpServer, withoutSecrets } from './server.ts'

type Kind = {
  /** The server has answered, so its connection can still be used. */
  isAnswer?: boolean
  /** The server has not run the request, or may run it twice: a second try is harmless. */
  mayRepeat?: boolean
  /** The server has not answered in time. */
  isLate?: boolean
}

/** A server cannot be used; `what` continues a sentence that begins with the server's name. */
export class McpFailure extends ToolsUnavailable {
  readonly isAnswer: boolean
  readonly mayRepeat: boolean
  readonly isLate: boolean
  constructor(
    server: string,
    what: string,
    { isAnswer = false, mayRepeat = false, isLate = false }: Kind = {},
  ) {
    super(`the MCP server "${server}" ${what}`)
    this.isAnswer = isAnswer
    this.mayRepeat = mayRepeat
    this.isLate = isLate
  }
}

/** The greatest length of the description of a failure, in characters. */
const longest = 2000

/** Our own error code for an answer that ended before it was complete. */
export const brokenOff = -32_097
/** Our own error code for an answer that cannot be read. */
export const unreadable = -32_096

const codeOf = (error: unknown): string | number | undefined =>
  typeof error === 'object' && error !== null && 'code' in error
    ? (error as { code?: string | number }).code
    : undefined

/** Whether the server itself sent an error over the protocol. */
export const isError = (error: unknown): error is Error => {
  if (!(error instanceof Error) || error instanceof DOMException) return false
  const code = codeOf(error)
  return typeof code === 'number' && code !== brokenOff && code !== unreadable
}

/** An answer whose HTTP status says that the request has failed; undefined: it is another error. */
export const refusalIn = (error: unknown): { status: number; body: string } | undefined => {
  const { status, data } = (error ?? {}) as { status?: unknown; data?: { text?: unknown } }
  if (typeof status !== 'number') return undefined
  return { status, body: typeof data?.text === 'string' ? data.text : '' }
}

/** Whether the server has answered. Then its connection can still be used. */
export const isAnswer = (error: unknown): boolean =>
  (error instanceof McpFailure && error.isAnswer) ||
  isError(error) ||
  codeOf(error) === unreadable ||
  refusalIn(error) !== undefined

const ofStatus = (status: number, body: string, error: unknown): string => {
  const redirect = /Redirect .* not followed[^(]*/.exec(error instanceof Error ? error.message : '')
  const words = redirect?.[0].trim() ?? wordsOfBody(body)
  return `answered with HTTP ${status}${words === '' ? '' : `: ${words}`}`
}

const reason = (error: unknown): string => {
  if (error instanceof NotPublic) return `cannot be reached: ${error.message}`
  if (isError(error)) return `answered: ${error.message}`
  const refusal = refusalIn(error)
  if (refusal !== undefined) return ofStatus(refusal.status, refusal.body, error)
  switch (codeOf(error)) {
    case 'REQUEST_TIMEOUT':
      return 'did not answer in time'
    case brokenOff:
    case unreadable:
      return (error as Error).message
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

export const failureOf = (server: McpServer, error: unknown, kind: Kind = {}): McpFailure =>
  error instanceof McpFailure
    ? error
    : new McpFailure(server.name, withoutSecrets(server, reason(error)).slice(0, longest), kind)
