// The instructions of a request as one text.
import type { Prompt } from './prompt.ts'
import type { Switches } from './switches.ts'

/** The instructions, with those about the form of the answer; undefined: there are none. */
export const instructionsOf = ({ instructions, schema }: Prompt, switches: Switches): string | undefined => {
  const inWords =
    schema === undefined || switches.schema === 'json_schema'
      ? undefined
      : `Your answer must be JSON alone, without a fence, that fits this JSON Schema:\n${JSON.stringify(schema)}`
  return [instructions, inWords].filter(Boolean).join('\n\n') || undefined
}

/** What stands before instructions that came later than first, for endpoints that take them from users only. */
export const laterInstructions = '[instructions]'
/** What a user says where an endpoint wants a user and there is none. */
export const goesOn = '[The conversation goes on.]'
