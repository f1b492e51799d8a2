// The protocols by the names under which the log stores them.
import { aiSdk } from './ai-sdk/ai-sdk.ts'
import { completions } from './completions/completions.ts'
import { messages } from './messages/messages.ts'
import type { Protocol, ProtocolName } from './protocol.ts'
import { responses } from './responses/responses.ts'

export const protocols: Record<ProtocolName, Protocol> = {
  chat: completions,
  messages,
  responses,
  'ai-sdk': aiSdk,
}

/** Throws when this build does not know the protocol of a stored request. */
export const protocolOf = (name: string = 'chat'): Protocol => {
  const found = protocols[name as ProtocolName]
  if (found === undefined) throw new Error(`this version does not know the protocol ${name} of a model call`)
  return found
}
