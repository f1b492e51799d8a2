// A step that a request asks for: a repeated step gets its earlier answer; a new one is checked and taken.
import type { Caller } from '../../actors/env-session/callers.ts'
import type { Repeats, StepRequest } from '../contract/commands/env-session-commands.ts'
import type { OpenObject } from '../contract/environment.ts'
import { envSessionStream } from '../contract/events/env-session-events.ts'
import type { Principal } from '../contract/events/token-events.ts'
import { Invalid, otherUser, Refusal, unexpectedStep } from '../contract/refusals.ts'
import { asTexts } from '../contract/variables.ts'
import { type EnvStepAnswer, StepEnvBody } from '../contract/wire.ts'
import { type SessionView, takenAt } from '../history/env-session.ts'
import type { Attempt, Retry } from '../once/once.ts'
import { digestOfRequest } from '../platform/digest.ts'
import { type Asked, by, type Shared } from './deps.ts'
import { invalid, problemsAt } from './invalid.ts'
import { answerAt, lost, mustBeNew, mustHaveRoom, settled, viewFor } from './reading.ts'
import { isUnkeyedRetry, keysOf } from './retries.ts'
import { takeStep } from './take-step.ts'

type Repeatable = Pick<StepRequest, 'effectId' | 'keys'>
/** `revision`: the revision of the step's result; undefined: the step was not taken before. */
type Foreseen = { view: SessionView; revision: number | undefined }

/** Throws when the caller names a user to whom the session does not belong. */
const mustBeOf = (
  { created }: SessionView,
  { userId }: Principal,
  { user_id, session_id }: StepEnvBody,
): void => {
  if (!user_id || user_id === created?.user_id) return
  if (userId !== undefined) throw otherUser(userId, user_id)
  throw new Refusal('Conflict', { session_id }, `the session "${session_id}" belongs to another user`)
}

/** The largest number of tools that an error names. */
const mostNamed = 50

const mustFit = async (
  { checker }: Shared,
  { tools, created }: SessionView,
  name: string,
  args: OpenObject,
): Promise<void> => {
  const tool = tools.find(known => known.function.name === name)
  if (tool === undefined) {
    const known = tools.map(each => each.function.name).toSorted()
    const all =
      known.length === 0
        ? 'the environment has none'
        : `the tools are ${known.slice(0, mostNamed).join(', ')}`
    const more = known.length > mostNamed ? ' and more' : ''
    throw invalid(['tool_name'], `There is no tool "${name}": ${all}${more}`)
  }
  const verdict = await checker.check(tool.function.parameters, args, created?.user_id)
  if (!verdict.ok) throw new Invalid(problemsAt(['tool_args'], verdict.problems))
}

/**
 * Checks a step before its turn. If the step was taken before, its `revision` is known, whatever happened to the
 * session since. Otherwise the step must fit the tools that the session has now.
 */
const foreseen = async (
  deps: Shared,
  { principal }: Asked,
  body: StepEnvBody,
  repeatable: Repeatable,
  repeats: Repeats | undefined,
): Promise<Foreseen> => {
  const { session_id: id } = body
  mustBeOf(await viewFor(deps, principal, id), principal, body)
  const view = await settled(deps, id)
  const revision = takenAt(view, repeatable, principal.id, repeats)
  if (revision !== undefined) return { view, revision }
  mustBeNew(view, repeatable.keys, principal)
  if (view.state !== 'active') throw lost(view)
  if (!view.done) await mustHaveRoom(deps, view)
  if (!view.done) await mustFit(deps, view, body.tool_name, body.tool_args ?? {})
  return { view, revision }
}

const repeatableOf = ({ ids }: Shared, body: StepEnvBody, key: string | undefined): Repeatable => {
  const { env_vars: _, stream: __, request_id: ___, ...same } = body
  return { effectId: ids.next('call_'), keys: keysOf('step', digestOfRequest(StepEnvBody, same), body, key) }
}

export const step = async (
  deps: Shared,
  asked: Asked,
  body: StepEnvBody,
  request: Attempt & Required<Pick<Caller, 'began' | 'emit' | 'signal'>>,
): Promise<EnvStepAnswer> => {
  const { session_id: id, tool_name: toolName, tool_args, env_vars, task_id, expected_step } = body
  const { began, emit, signal, delivery, key } = request
  const { principal } = asked
  const { retries, ids } = deps
  const repeats = isUnkeyedRetry(request) ? retries.repeats(principal, id, delivery) : undefined
  const repeatable = repeatableOf(deps, body, key)
  const { view, revision } = await foreseen(deps, asked, body, repeatable, repeats)
  if (revision !== undefined) {
    retries.answered(principal, id, revision, delivery)
    return answerAt(deps, envSessionStream(id), view, revision)
  }
  const taken = await takeStep(
    deps,
    id,
    {
      ...repeatable,
      ...{ toolName, toolArgs: tool_args ?? {}, itemId: ids.next('tr_') },
      ...(env_vars && Object.keys(env_vars).length > 0 ? { envVars: asTexts(env_vars) } : {}),
      ...(task_id ? { taskId: task_id } : {}),
      ...(expected_step ? { expectedStep: expected_step } : {}),
    },
    { began, emit, signal, ...(repeats === undefined ? {} : { repeats }) },
    by(asked),
  )
  retries.answered(principal, id, taken.revision, delivery)
  return taken.answer
}

/**
 * Throws a refusal for a step that cannot be taken, before the answer begins as a stream. `isKnown`: the step was taken
 * before. `next`: the number that a new step gets if all steps that wait before it are taken.
 */
export const mayStep = async (
  deps: Shared,
  asked: Asked,
  body: StepEnvBody,
  retry: Retry,
): Promise<{ isKnown: boolean; next: number }> => {
  const { session_id: id, expected_step: expected } = body
  const repeats = isUnkeyedRetry(retry) ? deps.retries.mayRepeat(asked.principal, id) : undefined
  const repeatable = repeatableOf(deps, body, retry.key)
  const { view, revision } = await foreseen(deps, asked, body, repeatable, repeats)
  const next = view.step + 1 + deps.steps.count(id)
  if (revision !== undefined) return { isKnown: true, next }
  deps.steps.mustNotBeMany(id)
  if (expected && (expected <= view.step || expected > next)) throw unexpectedStep(expected, view.step)
  if (view.done) throw new Refusal('SessionDone', { step: view.step })
  return { isKnown: false, next }
}
