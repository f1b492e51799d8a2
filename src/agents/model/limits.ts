import type { StepInput } from '../../contract/agent.ts'

/** What one task may use before it fails: agent steps, tokens, and seconds; 0: no limit. */
export type Limits = { steps: number; tokens: number; seconds: number }

/** Why a task may take no further step; undefined when it may. `now`: in Unix milliseconds, of the clock of the tasks. */
export const overLimit = (
  { agentStep, used }: StepInput,
  { steps, tokens, seconds }: Limits,
  now: number,
): string | undefined => {
  const not = 'the agent has not come to an answer'
  if (steps > 0 && agentStep > steps) return `${not} in ${steps} steps`
  if (tokens > 0 && used.tokens >= tokens) return `${not} with ${tokens} tokens`
  if (seconds > 0 && now - used.startedAt > seconds * 1000) return `${not} in ${seconds} s`
  return undefined
}
