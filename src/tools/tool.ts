// The common form of built-in tools: a definition that a model reads, and one text as the result.
import type { Tool, ToolInput } from '../contract/tools.ts'
import { unlessStopped } from './stop.ts'

type Parameter = { type: 'string' | 'boolean'; description: string; minLength?: number; maxLength?: number }
type ToolText = {
  name: string
  description: string
  required: Record<string, Parameter>
  optional?: Record<string, Parameter>
  /** Absent: the tool only reads or computes, so any call may run again. */
  isSafe?: Tool['isSafe']
  answer: (input: ToolInput) => string | Promise<string>
}

export const tool = ({ name, description, required, optional, isSafe, answer }: ToolText): Tool => ({
  definition: {
    type: 'function',
    function: {
      name,
      description,
      parameters: {
        type: 'object',
        properties: { ...required, ...optional },
        required: Object.keys(required),
        additionalProperties: false,
      },
      strict: false,
    },
  },
  isSafe: isSafe ?? (() => true),
  async run(input) {
    unlessStopped(input.signal)
    return { content: await answer(input) }
  },
})
