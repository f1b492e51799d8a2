// The part of a task's view that only rollouts and ATIF documents need: the tasks of its subagents, and its rewards.
import type { Part } from './part.ts'

export type Reward = { value: number; name?: string; data?: unknown }

export type Records = {
  /** The subagents' tasks that have returned a result, each with the revision at which that result was read. */
  children: { stream: string; revision: number }[]
  rewards: Reward[]
}

export const records: Part<Records> = {
  begin(view) {
    view.children = []
    view.rewards = []
  },
  folds: {
    EffectCompleted(view, { child }) {
      if (child !== undefined) view.children.push(child)
    },
    RewardGiven(view, { value, name, data }) {
      const named = name === undefined ? {} : { name }
      view.rewards.push({ value, ...named, ...(data === undefined ? {} : { data }) })
    },
  },
}
