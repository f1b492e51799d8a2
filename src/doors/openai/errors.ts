// Errors in the form of OpenAI. The message also says what to do, since clients show no other field.

import type { OpenAIError } from '../../contract/openai/shared.ts'
import { Invalid, type Problem, type Refusal, type RefusalName } from '../../contract/refusals.ts'

/** The names that fields of a task's create have in bodies of OpenAI. */
const fieldNames: Record<string, string> = {
  agent_config: 'model',
  client_tools: 'tools',
  history_messages: 'input',
  structured_output: 'text.format',
  thought_messages: 'input',
  user_message_content: 'input',
}

/** A place in a body, such as `input[0].content`. */
const paramOf = ([, field, ...rest]: Problem['loc']): string | null => {
  if (field === undefined) return null
  const known = fieldNames[String(field)]
  if (known !== undefined) return known
  return [field, ...rest].reduce<string>((path, key) => {
    if (typeof key === 'number') return `${path}[${key}]`
    return path === '' ? key : `${path}.${key}`
  }, '')
}

/** Codes that clients know. Every other refusal has its own name as its code. */
const codes: Partial<Record<RefusalName, string>> = {
  Unauthenticated: 'invalid_api_key',
  OverQuota: 'rate_limit_exceeded',
  Busy: 'rate_limit_exceeded',
}
const snake = (name: string): string => name.replace(/(?<!^)([A-Z])/g, '_$1').toLowerCase()

const typeOf = (status: number): string => {
  if (status === 401) return 'authentication_error'
  if (status === 403) return 'permission_error'
  if (status === 429) return 'rate_limit_error'
  return status >= 500 ? 'server_error' : 'invalid_request_error'
}

const errorBody = (
  status: number,
  message: string,
  { code = null, param = null }: { code?: string | null; param?: string | null } = {},
): OpenAIError => ({ error: { message, type: typeOf(status), param, code } })

/** What OpenAI says about a field, with a status and a code of its own. */
export class OpenAIProblem extends Invalid {
  readonly status: number
  readonly errorCode: string | null

  constructor(param: string, message: string, code: string | null = null, status = 400) {
    super([{ loc: ['body', param], msg: message, type: 'value_error' }])
    this.status = status
    this.errorCode = code
  }
}

export const openAiError = (error: Invalid | Refusal): { status: number; body: OpenAIError } => {
  if (error instanceof Invalid) {
    const { status, errorCode: code } =
      error instanceof OpenAIProblem ? error : { status: 400, errorCode: null }
    const [first] = error.problems
    const param = first === undefined ? null : paramOf(first.loc)
    const message =
      error instanceof OpenAIProblem
        ? first?.msg
        : error.problems
            .map(({ loc, msg }) => `${paramOf(loc) ?? 'the body'}: ${msg}`)
            .slice(0, 10)
            .join('; ')
    return { status, body: errorBody(status, message ?? error.message, { code, param }) }
  }
  const { http: status, message, hint, reason } = error
  const code = codes[reason] ?? snake(reason)
  return { status, body: errorBody(status, `${message}. ${hint}`, { code }) }
}
