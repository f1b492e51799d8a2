// What records of a task hold and nothing else asks for: its subagents' tasks, and what somebody thought of it.
import type { Part } from './part.ts'

export type Reward = { value: number; name?: string; data?: unknown }

export type Records = {
  /** Subagents' tasks that have given their result, as far as they were read for it. */
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
