// Makes all agents, by name; `model` is among them only when a model is configured.
import type { Agent } from '../contract/agent.ts'
import type { Timers } from '../contract/ports.ts'
import { demo } from './demo.ts'
import { echo } from './echo.ts'
import { group } from './group/group.ts'
import { createConfiguredEndpoint } from './model/configured-endpoint.ts'
import { model } from './model/model.ts'
import type { ModelSettings } from './model/settings.ts'
import { script } from './script.ts'

export const createAgents = (timers: Timers, settings: ModelSettings | undefined): Map<string, Agent> => {
  const withModel =
    settings === undefined ? [] : [model(createConfiguredEndpoint(settings, timers), settings.limits, timers)]
  return new Map([echo, script(timers), demo(timers), group, ...withModel].map(agent => [agent.name, agent]))
}
