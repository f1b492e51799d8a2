// Lists of tools that models were offered. Each is a stream of its own with one event, named after what it holds and
// whose it is: tasks refer to it, so that a thousand tasks that are offered the same hold it once.
import type { ToolDefinition } from './wire.ts'

export type ToolsListed = { tools: ToolDefinition[] }

export const toolListStream = (digest: string): string => `tools-${digest}`
export const isToolListStream = (stream: string): boolean => stream.startsWith('tools-')
