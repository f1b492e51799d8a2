// Data that only records of a task need: its subagents' tasks, and rewards.
import type { Part } from './part.ts'

export type Reward = { value: number; name?: string; data?: unknown }

export type Records = {
  /** The tasks of subagents that have returned a result, up to the revision that was read for it. */
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
