// Data that only records of a task need: its subagents' tasks, and rewards.
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
