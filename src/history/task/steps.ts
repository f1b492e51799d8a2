// The part of a task's view with its agent steps: the open step, the number of completed steps, and the number of
// failed attempts of the step that comes next.
import type { Course } from './course.ts'
import { opensPart } from './output.ts'
import type { Part } from './part.ts'

/** A step that has begun and was neither completed nor abandoned. */
export type OpenStep = {
  agentStep: number
  effectId: string
  /**
   * The ids of the items of the step, each with the number of parts of the item. No item is final until the step
   * completes.
   */
  items: Map<string, number>
}

export type Steps = {
  agentSpawned: boolean
  agentEnded: boolean
  completedSteps: number
  /** Whether the newest completed step was the last one. The task is then done when the calls of that step are done. */
  finalStep: boolean
  openStep: OpenStep | undefined
  abandonedSteps: number
  /** How many of the abandoned steps broke off by themselves. */
  brokenOff: number
}

/** The effect id of the next step. It is the same after a restart; another attempt of the step has another id. */
export const effectIdOf = ({ created, completedSteps, abandonedSteps }: Steps & Course): string => {
  const attempt = abandonedSteps === 0 ? '' : `.${abandonedSteps}`
  return `${created?.task_id}/${completedSteps + 1}${attempt}`
}

const agentEnds = (view: Steps): void => {
  view.agentEnded = true
}

export const steps: Part<Steps> = {
  begin(view) {
    view.agentSpawned = false
    view.agentEnded = false
    view.completedSteps = 0
    view.finalStep = false
    view.openStep = undefined
    view.abandonedSteps = 0
    view.brokenOff = 0
  },
  folds: {
    AgentSpawned(view) {
      view.agentSpawned = true
    },
    AgentStepStarted(view, { agent_step, effect_id }) {
      view.openStep = { agentStep: agent_step, effectId: effect_id, items: new Map() }
    },
    ItemDelta({ openStep }, data) {
      if (data.effect_id !== undefined) return
      if (openStep === undefined) throw new Error(`agent step ${data.agent_step} has not begun`)
      const parts = openStep.items.get(data.item_id) ?? 0
      openStep.items.set(data.item_id, parts + (opensPart(data) ? 1 : 0))
    },
    ItemSaid({ openStep }, { item_id, texts, call }) {
      openStep?.items.set(item_id, call === undefined ? texts.length : 0)
    },
    AgentStepCompleted(view, { agent_step, final }) {
      view.completedSteps = agent_step
      view.finalStep = final === true
      view.openStep = undefined
      view.abandonedSteps = 0
      view.brokenOff = 0
    },
    AgentStepAbandoned(view, { broke_off }) {
      view.openStep = undefined
      view.abandonedSteps++
      if (broke_off) view.brokenOff++
    },
    AgentCompleted: agentEnds,
    AgentError: agentEnds,
  },
}
