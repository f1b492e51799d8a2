// A call of a kind of environment: one operation on a session, which the arguments name.
import { Invalid, Refusal } from '../../contract/refusals.ts'
import { CreateEnvBody, StepEnvBody } from '../../contract/wire.ts'
import type { Sessions } from '../../env-sessions/commands.ts'
import { attemptOf } from '../../http/answer/delivery.ts'
import { askedOf } from '../../http/request/request.ts'
import { bodyValidator } from '../../http/request/validate.ts'
import { problemsIn } from './error-form.ts'
import type { Exchange } from './exchange.ts'
import { failedResult } from './task-object.ts'

const checkedCreate = bodyValidator(CreateEnvBody)
const checkedStep = bodyValidator(StepEnvBody)
/** A step is part of its session, so it goes on when its caller disconnects. */
const neverStops = new AbortController().signal

/** A session of another kind is like one that does not exist. */
const mustBeOf = async (sessions: Sessions, kind: string, sessionId: string): Promise<void> => {
  const { created } = await sessions.viewOf(sessionId)
  if (created !== undefined && created.source.name !== kind) throw new Refusal('SessionNotFound')
}

const operate = async (
  { deps: { sessions }, request, reply }: Exchange,
  kind: string,
  { session_id, tool, arguments: args, close, env_init_kwargs }: Record<string, unknown>,
): Promise<object> => {
  const asked = askedOf(request)
  const attempt = attemptOf(request, reply)
  if (session_id === undefined) {
    if (tool !== undefined || close !== undefined)
      return failedResult('Call this tool without arguments first: it begins a session.')
    const body = checkedCreate({
      env_id: kind,
      ...(env_init_kwargs === undefined ? {} : { env_init_kwargs }),
    })
    return sessions.create(asked, body, { ...attempt, began() {} })
  }
  const step = checkedStep({ session_id, tool_name: tool ?? 'observe', tool_args: args ?? {} })
  await mustBeOf(sessions, kind, step.session_id)
  if (close === true) {
    await sessions.close(asked, step.session_id)
    return { session_id: step.session_id, status: 'closed' }
  }
  if (tool === undefined) return sessions.observe(asked, step.session_id)
  return sessions.step(asked, step, { ...attempt, began() {}, emit() {}, signal: neverStops })
}

/** Refusals are results, so that the model which has made the call reads them. */
export const callEnvironment = async (
  exchange: Exchange,
  kind: string,
  args: Record<string, unknown>,
): Promise<object> => {
  try {
    const answer = await operate(exchange, kind, args)
    if ('isError' in answer) return answer
    return { content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: answer }
  } catch (error) {
    if (error instanceof Invalid) return failedResult(problemsIn(error))
    if (error instanceof Refusal) return failedResult(`${error.message}. ${error.hint}`)
    throw error
  }
}
