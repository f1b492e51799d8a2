// The steps of a task's agent: which is open, how many have completed, and how often the one that is due was tried.
import type { Course } from './course.ts'
import { opensPart } from './output.ts'
import type { Part } from './part.ts'

/** A step that has begun in the log and has neither completed nor been abandoned. */
export type OpenStep = {
  agentStep: number
  effectId: string
  /** Its items, with the number of their parts: until the step completes, none of them is sure to stay. */
  items: Map<string, number>
}

export type Steps = {
  agentSpawned: boolean
  agentEnded: boolean
  completedSteps: number
  /** The newest completed step was the last one: the task is done when its calls are. */
  finalStep: boolean
  openStep: OpenStep | undefined
  abandonedSteps: number
  /** How many of those broke off by themselves. */
  brokenOff: number
}

/** A stable name of the run of a step that is due now: another attempt is another effect. */
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
