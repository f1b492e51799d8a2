// Makes all agents, by name; `model` is among them only when a model is configured.
import type { Agent } from '../contract/agent.ts'
import type { Timers } from '../contract/ports.ts'
import { demo } from './demo.ts'
import { echo } from './echo.ts'
import { group } from './group/group.ts'
import { createChatEndpoint, type EndpointSettings } from './model/chat-endpoint.ts'
import type { Limits } from './model/limits.ts'
import { model } from './model/model.ts'
import { script } from './script.ts'

type ModelSettings = EndpointSettings & { limits: Limits }

export const createAgents = (timers: Timers, settings: ModelSettings | undefined): Map<string, Agent> => {
  const withModel =
    settings === undefined ? [] : [model(createChatEndpoint(settings, timers), settings.limits, timers)]
  return new Map([echo, script(timers), demo(timers), group, ...withModel].map(agent => [agent.name, agent]))
}
