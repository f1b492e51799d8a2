// How each protocol goes over HTTP: below which path of the base URL, with which headers, and who reads the answer.
import type { ProtocolName } from '../../model-requests/protocol.ts'
import { createCompletionsReader } from './completions-reader.ts'
import { createMessagesReader } from './messages-reader.ts'
import type { Reader } from './reader.ts'
import { createResponsesReader } from './responses-reader.ts'

export type Wire = { path: string; headers: Record<string, string>; createReader: () => Reader }

/** The protocols of configured endpoints. */
export const wires = {
  chat: { path: '/chat/completions', headers: {}, createReader: createCompletionsReader },
  messages: {
    path: '/messages',
    headers: { 'anthropic-version': '2023-06-01' },
    createReader: createMessagesReader,
  },
  responses: { path: '/responses', headers: {}, createReader: createResponsesReader },
} satisfies Partial<Record<ProtocolName, Wire>>
export type WireName = keyof typeof wires
const names = Object.keys(wires) as WireName[]

/** The protocol whose path a base URL ends with; undefined: it ends with none. */
export const wireAt = (baseUrl: string): WireName | undefined => {
  const base = new URL(baseUrl).pathname.replace(/\/+$/, '')
  return names.find(name => base.endsWith(wires[name].path))
}
