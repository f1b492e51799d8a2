// Holds the tools of an instance: their definitions for a model, and the functions that run them.
import type { OpenObject, StepContext, StepResult } from '../../../contract/environment.ts'
import type { ToolDefinition } from '../../../contract/wire.ts'
import { checked, type ObjectSchema, type Schema } from './schema.ts'

export type Tool = {
  description: string
  required?: Record<string, Schema>
  optional?: Record<string, Schema>
  run(args: OpenObject, context: StepContext): StepResult | Promise<StepResult>
}
export type Toolbox = {
  definitions(): ToolDefinition[]
  /** Throws if there is no such tool, or if its arguments are invalid. */
  call(name: string, args: OpenObject, context: StepContext): StepResult | Promise<StepResult>
}

const parametersOf = ({ required = {}, optional = {} }: Tool): ObjectSchema => ({
  type: 'object',
  properties: { ...required, ...optional },
  required: Object.keys(required),
  additionalProperties: false,
})

export const toolbox = (tools: Record<string, Tool>): Toolbox => ({
  definitions: () =>
    Object.entries(tools).map(([name, tool]) => ({
      type: 'function',
      function: { name, description: tool.description, parameters: parametersOf(tool), strict: false },
    })),
  call(name, args, context) {
    const tool = Object.hasOwn(tools, name) ? tools[name] : undefined
    if (tool === undefined) {
      throw new Error(`There is no tool ${name}: there is ${Object.keys(tools).join(', ')}`)
    }
    return tool.run(checked(parametersOf(tool), args), context)
  },
})
