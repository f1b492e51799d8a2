// The form of refused requests in MCP, for requests that reach no method: the error object of JSON-RPC. Its codes are those
// of MCP, where some of our own mean other things.
import { Invalid, type Refusal, type RefusalName } from '../../contract/refusals.ts'

/** The extension for calls that become tasks. */
export const tasksExtension = 'io.modelcontextprotocol/tasks'

/** Where the document about the tokens of `/mcp` is. */
export const metadataPath = '/.well-known/oauth-protected-resource/mcp'

const parseError = -32_700
const invalidRequest = -32_600
const invalidParams = -32_602
/** Errors of a server's own have codes from here on. */
const ownError = -32_000

/** Refusals of what the client has named: MCP calls them invalid parameters. */
const misnamed: readonly RefusalName[] = ['TaskNotFound', 'EnvNotFound', 'SessionNotFound']

const placeOf = ([, ...rest]: (string | number)[]): string =>
  rest.length === 0 ? 'the body' : rest.join('.')

/** What is wrong with a request, in one text. */
export const problemsIn = ({ problems }: Invalid): string =>
  problems
    .slice(0, 10)
    .map(({ loc, msg }) => `${placeOf(loc)}: ${msg}`)
    .join('; ')

/** The error object for a refusal. The message also says what to do, since models and many clients see no more. */
export const refusedObject = ({ reason, message, hint, data }: Refusal) => ({
  code: misnamed.includes(reason) ? invalidParams : ownError,
  message: `${message}. ${hint}`,
  data: { ...data, reason },
})

const isNoJson = ({ problems }: Invalid): boolean => problems.some(({ type }) => type === 'json_invalid')

export const mcpError = (error: Invalid | Refusal, { origin, root }: { origin: string; root: string }) => {
  const answer = (status: number, object: object) => ({
    status,
    body: { jsonrpc: '2.0', id: null, error: object },
  })
  if (error instanceof Invalid) {
    const code = isNoJson(error) ? parseError : invalidRequest
    return answer(400, { code, message: problemsIn(error) })
  }
  const refused = answer(error.http, refusedObject(error))
  if (error.http !== 401) return refused
  const challenge = `Bearer resource_metadata="${root || origin}${metadataPath}"`
  return { ...refused, headers: { 'www-authenticate': challenge } }
}
