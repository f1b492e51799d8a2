// The package `reprise/agent`.
export { agent, machineAgent } from './definition.ts'
export {
  AgentFailed,
  AskError,
  CallError,
  EnvironmentError,
  ModelError,
  RunError,
  TimeoutError,
  ToolError,
} from './errors.ts'
/** @internal */
export { createAgentHost, definitionOf } from './for-testing.ts'
export type * from './types.ts'
export { WorkerRefused, worker } from './worker.ts'
