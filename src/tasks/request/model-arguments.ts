// Checks the arguments that a request passes on to a model's endpoint.
import type { Problem } from '../../contract/refusals.ts'
import type { CreateTaskBody } from '../../contract/wire.ts'
import { problem } from './problem.ts'

/** Arguments that would break the conversation with a model's endpoint if a request could override them. */
const protocolArgs = [
  ...['messages', 'model', 'stream', 'tools', 'functions', 'n'],
  ...['system', 'input', 'instructions', 'previous_response_id', 'conversation', 'background'],
]

export const modelProblems = ({ agent_config, inference_args }: Partial<CreateTaskBody>): Problem[] => {
  const lists: [(string | number)[], Record<string, unknown> | null | undefined][] = [
    [['inference_args'], inference_args],
    [['agent_config', 'inference_args'], agent_config?.inference_args],
  ]
  return lists.flatMap(([at, given]) =>
    Object.keys(given ?? {}).flatMap(name =>
      protocolArgs.includes(name) ? [problem([...at, name], 'The service sets this argument itself')] : [],
    ),
  )
}
