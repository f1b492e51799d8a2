// The forms in which operations of other protocols answer errors, by the name that their entry in the table of operations
// has in `errors`.
import type { Invalid, Refusal } from '../contract/refusals.ts'
import type { ErrorFormName } from '../documents/operation.ts'
import { a2aHttpError, a2aRpcError } from './a2a/errors.ts'
import { mcpError } from './mcp/error-form.ts'
import { openAiError } from './openai/errors.ts'

/** The answer for an error: its status, if it is another one, its headers and its body. */
export type FormedError = { status: number; headers?: Record<string, string>; body: object }
/** `origin`: the address at which the caller has reached the server; empty: it said none. `root`: the known one, if any. */
export type ErrorForm = (error: Invalid | Refusal, at: { origin: string; root: string }) => FormedError

export const errorForms: Record<ErrorFormName, ErrorForm> = {
  openai: openAiError,
  'a2a-http': a2aHttpError,
  'a2a-rpc': a2aRpcError,
  mcp: mcpError,
}
