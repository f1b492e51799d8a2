// The tokens that calls of a model used, where its endpoint says so.
import type { Usage } from './spans.ts'

export const sum = (total: Usage, given: Usage): Usage => {
  const both = { ...total, ...given }
  if (total.input !== undefined && given.input !== undefined) both.input = total.input + given.input
  if (total.output !== undefined && given.output !== undefined) both.output = total.output + given.output
  return both
}

export const usageIn = (given: Record<string, unknown> = {}): Usage => {
  const { input_tokens: input, output_tokens: output } = given
  return {
    ...(Number.isSafeInteger(input) ? { input: input as number } : {}),
    ...(Number.isSafeInteger(output) ? { output: output as number } : {}),
  }
}
