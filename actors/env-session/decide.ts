// From what an environment answered to the facts of its session. Pure.
import type { RequestKeys } from '../../src/contract/commands.ts'
import type { SessionCommand, StepWish } from '../../src/contract/env-session-commands.ts'
import type { EnvSessionEvent, Snapshot } from '../../src/contract/env-session-events.ts'
import type { ResetAnswer, StepAnswer } from '../../src/contract/environment.ts'
import { masked } from '../../src/contract/variables.ts'
import type { ToolDefinition } from '../../src/contract/wire.ts'
import type { SessionView } from '../../src/history/env-session.ts'

/** What came of a command outside: at a moment, with the state kept where the environment can keep it. */
export type Outcome = { now: number; snapshot?: Snapshot } & (
  | { of: 'reset'; answer: ResetAnswer; recovery: 'refold' | 'snapshot' | 'none' }
  | { of: 'step'; answer: StepAnswer; stopped?: boolean; secretRef?: string }
  /** The instance has gone, and with it the session; a step that was under way is told as far as it came. */
  | { of: 'loss'; reason: string; during?: 'step' }
  | { of: 'closed' }
  | { of: 'begun' }
  | { of: 'nothing' }
)

const kept = (snapshot: Snapshot | undefined) => (snapshot === undefined ? {} : { snapshot })
const changed = (tools: ToolDefinition[], view: SessionView) =>
  JSON.stringify(tools) === JSON.stringify(view.tools) ? {} : { tools }
const keysOf = ({ idempotencyKey, digest, bodyDigest }: RequestKeys) => ({
  ...(idempotencyKey === undefined ? {} : { idempotency_key: idempotencyKey }),
  ...(digest === undefined ? {} : { digest }),
  ...(idempotencyKey !== undefined || bodyDigest === undefined ? {} : { body_digest: bodyDigest }),
})
/** Those of a step that was begun, once more. */
const keysFrom = ({
  idempotency_key,
  digest,
  body_digest,
}: NonNullable<SessionView['open']>): RequestKeys => ({
  ...(idempotency_key === undefined ? {} : { idempotencyKey: idempotency_key }),
  ...(digest === undefined ? {} : { digest }),
  ...(body_digest === undefined ? {} : { bodyDigest: body_digest }),
})
/** Their names, without the values. */
const namesOf = ({ envVars }: Pick<StepWish, 'envVars'>) =>
  envVars === undefined ? {} : { env_vars: masked(envVars) }
const closed = (reason: string): EnvSessionEvent => ({ type: 'EnvSessionClosed', data: { reason } })

type Step = Pick<StepWish, 'toolName' | 'toolArgs' | 'envVars' | 'effectId' | 'itemId' | 'taskId' | 'keys'>
type Told = {
  snapshot?: Snapshot | undefined
  stopped?: boolean
  unknown?: boolean
  secretRef?: string | undefined
}
const completed = (
  step: Step,
  view: SessionView,
  now: number,
  answer: StepAnswer,
  { snapshot, stopped = false, unknown = false, secretRef }: Told = {},
): EnvSessionEvent => {
  const { tools, state, observation, blocks, error, info, ...rest } = answer
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
      ...changed(tools, view),
      ...(step.taskId === undefined ? {} : { task_id: step.taskId }),
      ...kept(snapshot),
      ...namesOf(step),
      ...(secretRef === undefined ? {} : { secret_ref: secretRef }),
      ...keysOf(step.keys),
    },
  }
}

/** A step of which no more is known than `why`: what is seen is what was seen before it. */
const untold = (view: SessionView, why: string, more: Partial<StepAnswer>): StepAnswer => ({
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
const over = { truncated: true, done: true }

/** The step that an environment did not survive: its session ends with it. */
const lost = (step: Step, view: SessionView, now: number, reason: string): EnvSessionEvent[] => [
  completed(step, view, now, untold(view, reason, over)),
  closed(reason),
]

/** A step that was intended and whose result was never stored: nobody knows how it ended, and the event says so. */
const toldUnknown = (view: SessionView, why: string, more: Partial<StepAnswer>, now: number) => {
  const { open } = view
  if (open === undefined) return []
  const { effect_id, tool_name, tool_args, step } = open
  const wish = { toolName: tool_name, toolArgs: tool_args, effectId: effect_id, itemId: `tr_${effect_id}` }
  const answer = untold(view, `nobody knows how this step ended: ${why}`, {
    ...more,
    info: { outcome_unknown: true },
  })
  const asked = { ...wish, keys: keysFrom(open) }
  return [completed(asked, { ...view, step: step - 1 }, now, answer, { unknown: true })]
}
const cutOff =
  'the server stopped, or could not write, while it ran. The session is as it was before the step. ' +
  'To take the step once more, ask for it as a new one'

/** How a session ends. A step that began and has no result is stored first, with what is known of it. */
const ended = (view: SessionView, reason: string, now: number): EnvSessionEvent[] => [
  ...toldUnknown(view, reason, over, now),
  closed(reason),
]

export const decideSession = (
  command: SessionCommand,
  view: SessionView,
  outcome: Outcome,
): EnvSessionEvent[] => {
  const { now } = outcome
  const isActive = view.state === 'active'
  if (outcome.of === 'loss') {
    if (!isActive) return []
    if (command.type !== 'TakeStep' || outcome.during !== 'step') return ended(view, outcome.reason, now)
    return lost(command.step, view, now, outcome.reason)
  }
  if (outcome.of === 'nothing') return []
  if (command.type === 'IntendStep') {
    const { toolName, toolArgs, effectId, keys, attempt = 1 } = command.step
    const asked = { effect_id: effectId, tool_name: toolName, tool_args: toolArgs, ...namesOf(command.step) }
    const again = attempt === 1 ? {} : { attempt }
    return [
      { type: 'EnvStepIntended', data: { step: view.step + 1, ...asked, now, ...again, ...keysOf(keys) } },
    ]
  }
  if (command.type === 'TellLostStep') return toldUnknown(view, cutOff, {}, now)
  if (outcome.of === 'closed') {
    if (command.type === 'CloseSession') return ended(view, command.reason, now)
    if (command.type !== 'DeleteSession') return []
    const deleted: EnvSessionEvent = { type: 'EnvSessionDeleted', data: { by: command.principal } }
    return [...(isActive ? ended(view, 'deleted', now) : []), deleted]
  }
  if (outcome.of === 'step') {
    return command.type === 'TakeStep' ? [completed(command.step, view, now, outcome.answer, outcome)] : []
  }
  if (outcome.of === 'begun') return []
  const { answer, recovery, snapshot } = outcome
  const { observation, state, done, tools } = answer
  const before = view.step === 0 || view.state === 'deleted' ? {} : { steps_before: view.step }
  const seen = { now, observation, state, done, ...before, ...kept(snapshot) }
  if (command.type === 'CreateSession') {
    const { wish, source, seed, keys } = command
    const { name, digest } = source
    const data = {
      ...wish,
      source: { name, digest },
      kind: name,
      recovery,
      seed,
      tools,
      ...seen,
      ...keysOf(keys),
    }
    return [{ type: 'EnvSessionCreated', data }]
  }
  if (command.type !== 'ResetSession') return []
  const { seed, options, keys } = command
  const data = { seed, options, ...seen, ...changed(tools, view), ...keysOf(keys) }
  return [{ type: 'EnvSessionReset', data }]
}
