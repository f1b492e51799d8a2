// Makes all agents, by name; `model` is among them only when a model is configured.
import type { Agent } from '../contract/agent.ts'
import type { Report, World } from '../contract/ports.ts'
import { demo } from './demo.ts'
import { echo } from './echo.ts'
import { group } from './group/group.ts'
import { model } from './model/model.ts'
import { openEndpoint } from './model/open-endpoint.ts'
import type { ModelSettings } from './model/settings.ts'
import { script } from './script.ts'

/** The agent of tasks that name none. */
export const defaultAgentOf = ({ hasModel }: { hasModel: boolean }): string => (hasModel ? 'model' : 'demo')

/** Throws CannotStart when the provider package of the model cannot be used. */
export const createAgents = async (
  world: Pick<World, 'timers' | 'clock'>,
  settings: ModelSettings | undefined,
  report: Report,
): Promise<Map<string, Agent>> => {
  const { timers } = world
  const withModel =
    settings === undefined
      ? []
      : [model(await openEndpoint(settings, { timers, report }), settings.limits, world)]
  return new Map([echo, script(timers), demo(timers), group, ...withModel].map(agent => [agent.name, agent]))
}
