// Lists of tools that models were offered. Each list is the only event of its stream. The name of the stream is made
// from the list and its owner. Tasks refer to the stream, so a thousand tasks of one user with equal tools store the
// list once.
import type { ToolDefinition } from '../wire.ts'

export type ToolsListed = { tools: ToolDefinition[] }

export const toolListStream = (digest: string): string => `tools-${digest}`
export const isToolListStream = (stream: string): boolean => stream.startsWith('tools-')
