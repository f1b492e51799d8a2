// Errors of the methods of MCP.
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { Invalid, Refusal } from '../../contract/refusals.ts'
import { refusalOf } from '../../http/answer/errors.ts'
import { problemsIn, refusedObject } from './error-form.ts'

export const invalidParams = (message: string): ProtocolError =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, message)

/** The error for a resource that is not there, or that the caller may not see. */
export const noResource = (uri: string): ProtocolError =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such resource', { uri: uri.slice(0, 1000) })

/** The error for a client that has not declared a capability without which the answer cannot be given. */
export const missingCapability = (requiredCapabilities: object, message: string): ProtocolError =>
  new ProtocolError(ProtocolErrorCode.MissingRequiredClientCapability, message, { requiredCapabilities })

/** Any error of a method as MCP has it. `fault`: hears of an error that the caller has not caused. */
export const protocolErrorOf = (error: unknown, fault: (error: unknown) => void): ProtocolError => {
  if (error instanceof ProtocolError) return error
  if (error instanceof Invalid) return invalidParams(problemsIn(error))
  const refusal = refusalOf(error)
  if (refusal === undefined) {
    fault(error)
    const { message } = new Refusal('Fault')
    return new ProtocolError(ProtocolErrorCode.InternalError, message)
  }
  const { code, message, data } = refusedObject(refusal)
  return new ProtocolError(code, message, data)
}
