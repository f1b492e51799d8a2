// Makes the moments of an environment session from its stored events: its creation, steps, resets, close and deletion.
import type { Static } from 'typebox'
import { type SessionState, sessionMoveOf } from '../../src/contract/charts/env-session-chart.ts'
import type { EnvSessionEvent } from '../../src/contract/events/env-session-events.ts'
import type { Recorded } from '../../src/contract/stored.ts'
import type { Block, MessageContent, ToolDefinition } from '../../src/contract/wire.ts'

type Open = Record<string, unknown>
export type Tool = Static<typeof ToolDefinition>

/** What a step did. */
export type Step = {
  number: number
  tool: string
  args: Open
  content: MessageContent
  blocks: readonly Block[]
  info: Open
  reward: number
  isFailed: boolean
  taskId: string | undefined
}
export type Moment = {
  position: number
  revision: number
  type: EnvSessionEvent['type']
  at: number
  state: SessionState
  /** `observation`: what the agent saw. `observed`: the whole state of the environment. */
  observation: Open
  observed: Open
  done: boolean
  tools: readonly Tool[]
  /** The sum of the rewards since the newest create or reset. */
  total: number
  step: Step | undefined
  seed: number | undefined
  reason: string | undefined
}

const before = {
  state: 'absent',
  observation: {},
  observed: {},
  done: false,
  tools: [],
  total: 0,
} as const

/** The fields that an event sets. */
const changesOf = (event: EnvSessionEvent, last: Pick<Moment, 'tools' | 'total'>): Partial<Moment> => {
  if (event.type === 'EnvSessionClosed') return { reason: event.data.reason }
  if (event.type === 'EnvSessionDeleted' || event.type === 'EnvStepIntended') return {}
  const { observation, state: observed, done, tools = last.tools } = event.data
  const seen = { observation, observed, done, tools }
  if (event.type !== 'EnvStepCompleted') return { ...seen, total: 0, seed: event.data.seed }
  const { step: number, tool_name, tool_args, content, blocks = [], info, reward } = event.data
  return {
    ...seen,
    total: last.total + reward,
    step: {
      number,
      tool: tool_name,
      args: tool_args,
      content,
      blocks,
      info,
      reward,
      isFailed: event.data.status === 'incomplete',
      taskId: event.data.task_id,
    },
  }
}

/** Since when steps and rewards count at a moment: a reset begins both again. */
export const sinceOf = (moments: readonly Moment[], { revision }: Moment): string => {
  const isReset = moments.some(moment => moment.revision <= revision && moment.type === 'EnvSessionReset')
  return isReset ? 'since the reset' : 'so far'
}

/** The moments that the events of a session give. An intent changes nothing that is shown, so it gives no moment. */
export const momentsOf = (events: readonly Recorded[]): Moment[] => {
  const moments: Moment[] = []
  for (const { position, header, data } of events) {
    const event = { type: header.type, data } as EnvSessionEvent
    const last = moments.at(-1)
    const { state, ...seen } = last ?? before
    const next = sessionMoveOf(state, event.type)
    if (next === undefined || event.type === 'EnvStepIntended') continue
    moments.push({
      ...seen,
      position,
      revision: header.revision,
      type: event.type,
      at: Date.parse(header.time),
      state: next,
      step: undefined,
      seed: undefined,
      reason: undefined,
      ...changesOf(event, last ?? before),
    })
  }
  return moments
}
