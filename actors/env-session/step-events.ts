// Makes the events of one step: its intent, its result, and what is stored when the result is unknown. Pure.
import type { RequestKeys } from '../../src/contract/commands/commands.ts'
import type { StepRequest } from '../../src/contract/commands/env-session-commands.ts'
import type { StepAnswer } from '../../src/contract/environment.ts'
import type { EnvSessionEvent, Snapshot } from '../../src/contract/events/env-session-events.ts'
import { masked } from '../../src/contract/variables.ts'
import type { SessionView } from '../../src/history/env-session.ts'

export const closed = (reason: string): EnvSessionEvent => ({ type: 'EnvSessionClosed', data: { reason } })

/**
 * The keys of a request as its event stores them: the idempotency key with the digest, or else the digest of the whole
 * body.
 */
export const keysOf = ({ idempotencyKey, digest, bodyDigest }: RequestKeys) => {
  if (idempotencyKey === undefined) return bodyDigest === undefined ? {} : { body_digest: bodyDigest }
  return { idempotency_key: idempotencyKey, ...(digest === undefined ? {} : { digest }) }
}
/** The keys of a request, read back from its event. */
const keysFrom = ({
  idempotency_key,
  digest,
  body_digest,
}: NonNullable<SessionView['open']>): RequestKeys => ({
  ...(idempotency_key === undefined ? {} : { idempotencyKey: idempotency_key }),
  ...(digest === undefined ? {} : { digest }),
  ...(body_digest === undefined ? {} : { bodyDigest: body_digest }),
})

/** The names of a step's own variables, without the values. */
const namesOf = ({ envVars }: Pick<StepRequest, 'envVars'>) =>
  envVars === undefined ? {} : { env_vars: masked(envVars) }

export const intended = (view: SessionView, step: StepRequest, now: number): EnvSessionEvent => {
  const { toolName, toolArgs, effectId, keys, attempt = 1 } = step
  const asked = { effect_id: effectId, tool_name: toolName, tool_args: toolArgs, ...namesOf(step) }
  const again = attempt === 1 ? {} : { attempt }
  return {
    type: 'EnvStepIntended',
    data: { step: view.step + 1, ...asked, now, ...again, ...keysOf(keys) },
  }
}

type Step = Pick<StepRequest, 'toolName' | 'toolArgs' | 'envVars' | 'effectId' | 'itemId' | 'taskId' | 'keys'>
type Result = {
  now: number
  answer: StepAnswer
  snapshot?: Snapshot
  stopped?: boolean
  /** The result is unknown. */
  unknown?: boolean
  secretRef?: string
}

export const completed = (view: SessionView, step: Step, result: Result): EnvSessionEvent => {
  const { now, answer, snapshot, stopped = false, unknown = false, secretRef } = result
  const { tools, state, observation, blocks, error, info, ...rest } = answer
  const hasNewTools = JSON.stringify(tools) !== JSON.stringify(view.tools)
  return {
    type: 'EnvStepCompleted',
    data: {
      step: view.step + 1,
      effect_id: step.effectId,
      tool_name: step.toolName,
      tool_args: step.toolArgs,
      now,
      item_id: step.itemId,
      ...rest,
      info: error === undefined ? info : { ...info, error },
      ...(blocks.length === 0 ? {} : { blocks }),
      observation,
      state,
      ...(stopped ? { stopped } : {}),
      ...(unknown ? { unknown } : {}),
      ...(hasNewTools ? { tools } : {}),
      ...(step.taskId === undefined ? {} : { task_id: step.taskId }),
      ...(snapshot === undefined ? {} : { snapshot }),
      ...namesOf(step),
      ...(secretRef === undefined ? {} : { secret_ref: secretRef }),
      ...keysOf(step.keys),
    },
  }
}

/**
 * The answer of a step with an unknown result; `why` is the reason. It shows the observation and the state from
 * before the step.
 */
const answerWithoutResult = (view: SessionView, why: string, more: Partial<StepAnswer>): StepAnswer => ({
  status: 'incomplete',
  content: why,
  blocks: [],
  observation: view.observation,
  state: view.observed,
  tools: view.tools,
  reward: 0,
  terminated: false,
  truncated: false,
  done: false,
  info: {},
  error: why,
  ...more,
})

/** The event of a step during which the instance was lost. */
export const stepTheInstanceDidNotSurvive = (
  view: SessionView,
  step: Step,
  now: number,
  reason: string,
): EnvSessionEvent => {
  const answer = answerWithoutResult(view, reason, { truncated: true, done: true })
  return completed(view, step, { now, answer })
}

/** The event of a step whose intent was stored and whose result never was. It says that the outcome is unknown. */
export const stepOfUnknownEnd = (
  view: SessionView,
  why: string,
  more: Partial<StepAnswer>,
  now: number,
): EnvSessionEvent[] => {
  const { open } = view
  if (open === undefined) return []
  const { effect_id, tool_name, tool_args, step } = open
  const request = { toolName: tool_name, toolArgs: tool_args, effectId: effect_id, itemId: `tr_${effect_id}` }
  const answer = answerWithoutResult(view, `the outcome of this step is unknown: ${why}`, {
    ...more,
    info: { outcome_unknown: true },
  })
  const before = { ...view, step: step - 1 }
  return [completed(before, { ...request, keys: keysFrom(open) }, { now, answer, unknown: true })]
}
