// The part of a task's view with the usage and the outcome of the task, and with what is odd about its tools.
import type { ErrorObject, OddTool, Usage } from '../../contract/wire.ts'
import type { Part } from './part.ts'

export type Account = {
  usage: Usage | undefined
  subagentUsage: Usage | undefined
  error: ErrorObject | undefined
  continuedBy: string | undefined
  /** The end reason of the newest answer of a model, if nobody knows what it means. */
  oddEnd: string | undefined
  /** The odd ones of the tools that the model was offered last. */
  oddTools: OddTool[]
}

/** Adds usage to a total: numbers are added, other values are replaced. */
export const addUsage = (total: Usage | undefined, usage: Usage): Usage => {
  const sum: Usage = { ...total }
  for (const [key, value] of Object.entries(usage)) {
    const before = sum[key]
    sum[key] = typeof value === 'number' && typeof before === 'number' ? before + value : value
  }
  return sum
}

export const account: Part<Account> = {
  begin(view) {
    view.usage = undefined
    view.subagentUsage = undefined
    view.error = undefined
    view.continuedBy = undefined
    view.oddEnd = undefined
    view.oddTools = []
  },
  folds: {
    ToolsOffered(view, { odd = [] }) {
      view.oddTools = odd
    },
    AgentStepCompleted(view, { usage, response }) {
      view.oddEnd = response?.end === 'unknown' ? response.finish_reason : undefined
      if (usage !== undefined) view.usage = addUsage(view.usage, usage)
    },
    EffectCompleted(view, { usage, model }) {
      if (usage === undefined) return
      if (model === undefined) view.subagentUsage = addUsage(view.subagentUsage, usage)
      else view.usage = addUsage(view.usage, usage)
    },
    TaskCompleted(view, { continued_by }) {
      view.continuedBy = continued_by
    },
    TaskFailed(view, { error }) {
      view.error = error
    },
  },
}
