// A protocol writes prompts as bodies. This is the half of a model's endpoint that needs no endpoint: rollouts write
// the same bodies again from the log. The other half sends them (src/agents/model/endpoint.ts).
import type { Prompt } from './prompt.ts'
import type { Switches } from './switches.ts'

/**
 * The parts of a body, which are sent as one object in this order. `field`: the name of the field that holds the
 * messages, if it is not `messages`.
 */
export type ModelBody = {
  request: Record<string, unknown>
  messages: unknown[]
  tools?: unknown[]
  field?: string
}

export const textOfBody = ({ request, messages, tools, field = 'messages' }: ModelBody): string =>
  JSON.stringify({ ...request, [field]: messages, ...(tools === undefined ? {} : { tools }) })

/** `write` is pure: the same prompt and switches give the same bytes in every build that reads the log. */
export type Protocol = { write: (prompt: Prompt, switches: Switches) => ModelBody }

/** The names under which the log stores protocols. */
export const protocolNames = ['chat', 'messages', 'responses', 'ai-sdk'] as const
export type ProtocolName = (typeof protocolNames)[number]
