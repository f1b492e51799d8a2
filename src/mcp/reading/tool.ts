// Reads the definition of a tool. One that is odd is mended or left out by name, so that the other tools of its server
// can be used.
import type { OddTool } from '../../contract/wire.ts'
import { maxToolLength } from '../limits.ts'
import { type Fields, isFields } from './heard.ts'
import { type InputSchema, readInputSchema } from './schema.ts'
import { shown } from './words.ts'

export type McpTool = {
  name: string
  title?: string
  description?: string
  inputSchema: InputSchema
  annotations?: { readOnlyHint?: boolean; idempotentHint?: boolean }
}
export type ReadTool = { tool?: McpTool; odd?: Omit<OddTool, 'server'> }

/** The name of a tool is shown up to this length, in characters. */
const longestShown = 128

const text = (key: 'title' | 'description', value: unknown): Partial<McpTool> =>
  typeof value === 'string' ? { [key]: value } : {}

const hintsOf = (annotations: unknown): Partial<McpTool> => {
  if (!isFields(annotations)) return {}
  const { readOnlyHint, idempotentHint } = annotations
  return {
    annotations: {
      ...(typeof readOnlyHint === 'boolean' ? { readOnlyHint } : {}),
      ...(typeof idempotentHint === 'boolean' ? { idempotentHint } : {}),
    },
  }
}

const nameOf = ({ name }: Fields): string =>
  typeof name === 'number' ? `${name}` : typeof name === 'string' ? name : ''

/** `number`: its place in the list of its server, from 1. A field that is null counts as left out. */
export const readTool = (given: unknown, number: number): ReadTool => {
  const leftOut = (name: string, problem: string): ReadTool => ({
    odd: {
      name: name === '' ? `number ${number} of the list` : shown(name, longestShown),
      problem,
      left_out: true,
    },
  })
  if (!isFields(given)) return leftOut('', 'it is no object')
  const name = nameOf(given)
  if (name.trim() === '') return leftOut('', 'it has no name')
  if (JSON.stringify(given).length > maxToolLength)
    return leftOut(name, 'its definition is longer than 128 KiB')
  const { schema, problem } = readInputSchema(given.inputSchema)
  const tool: McpTool = {
    name,
    ...text('title', given.title),
    ...text('description', given.description),
    inputSchema: schema,
    ...hintsOf(given.annotations),
  }
  if (problem === undefined) return { tool }
  return {
    tool,
    odd: {
      name: shown(name, longestShown),
      problem: `${problem}, so all arguments are accepted`,
      left_out: false,
    },
  }
}
