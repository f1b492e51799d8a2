// Lists of tools that models were offered. Each list is a stream with one event, named after its content and its owner.
// Tasks refer to the stream, so a thousand tasks with the same tools store them once.
import type { ToolDefinition } from './wire.ts'

export type ToolsListed = { tools: ToolDefinition[] }

export const toolListStream = (digest: string): string => `tools-${digest}`
export const isToolListStream = (stream: string): boolean => stream.startsWith('tools-')
