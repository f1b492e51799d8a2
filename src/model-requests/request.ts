// The body of a model call, built from the content of the log and nothing else. The agent sends it, and a rollout
// builds the same bytes again years later, so this code changes no body that was sent.
import type { GivenTurn } from '../contract/agent.ts'
import type { ModelRequest } from '../contract/events/task-events.ts'
import type { CreateTaskBody, OutputItem, ToolDefinition } from '../contract/wire.ts'
import { aiSdk } from './ai-sdk/ai-sdk.ts'
import { completions } from './completions/completions.ts'
import { messages } from './messages/messages.ts'
import type { Prompt } from './prompt.ts'
import type { ModelBody, Protocol, ProtocolName } from './protocol.ts'
import { responses } from './responses/responses.ts'
import { withPlain } from './switches.ts'
import { longestWindow, transcriptOf } from './transcript.ts'
import { turnsOf } from './turns.ts'
import { wellFormed } from './well-formed.ts'

// The protocols by the names under which the log stores them.

const protocols: Record<ProtocolName, Protocol> = {
  chat: completions,
  messages,
  responses,
  'ai-sdk': aiSdk,
}

/** Throws when this build does not know the protocol of a stored request. */
const protocolOf = (name: string = 'chat'): Protocol => {
  const found = protocols[name as ProtocolName]
  if (found === undefined) throw new Error(`this version does not know the protocol ${name} of a model call`)
  return found
}

export type Asked = Omit<ModelRequest, 'digest' | 'sent_digest'>

/** `items`: the context of the step. `turns`: what endpoints gave with earlier steps of that context. */
export type Given = {
  request: CreateTaskBody
  items: OutputItem[]
  turns: GivenTurn[]
  tools: ToolDefinition[]
}

/** The schema that an answer must fit. It counts only when the answer is not streamed. */
export const schemaOf = ({ stream, structured_output }: CreateTaskBody): object | undefined =>
  stream ? undefined : (structured_output ?? undefined)

const written = (prompt: Prompt, { protocol, switches }: Asked): ModelBody =>
  wellFormed(protocolOf(protocol).write(prompt, withPlain(switches)))

/** What an endpoint gave goes back only to the same endpoint and model, in the same protocol. */
const givenBy = (turns: GivenTurn[], { endpoint, model, protocol }: Asked): GivenTurn[] =>
  turns.filter(turn => turn.endpoint === endpoint && turn.model === model && turn.protocol === protocol)

/** The body of the call for an agent step. */
export const stepBody = (asked: Asked, { request, items, turns, tools }: Given): ModelBody => {
  const config = request.agent_config ?? {}
  const prompt: Prompt = {
    model: asked.model,
    instructions: config.developer_prompt || undefined,
    turns: turnsOf(items, givenBy(turns, asked)),
    tools,
    schema: schemaOf(request),
    maxTokens: config.max_response_length ?? undefined,
    args: { ...config.inference_args, ...request.inference_args },
  }
  return written(prompt, asked)
}

const summarize =
  'You are given the record of a conversation between a user and an assistant that uses tools. Write a summary from ' +
  'which the assistant can go on without the record: what the user wants, what was found out and decided, exact ' +
  'names, numbers and paths that matter, what was done and what is still to do. Say nothing else.'

/** The body of the call for a summary of these items. */
export const summaryBody = (
  asked: Asked,
  { request, items }: { request: CreateTaskBody; items: OutputItem[] },
): ModelBody => {
  const config = request.agent_config ?? {}
  const content = [transcriptOf(items, asked.window ?? config.max_model_length ?? longestWindow)]
  const prompt: Prompt = {
    model: asked.model,
    instructions: config.compress_prompt || summarize,
    turns: [{ by: 'user', content }],
    tools: [],
    schema: undefined,
    maxTokens: undefined,
    args: {},
    once: true,
  }
  return written(prompt, asked)
}
