// Reads and adds up the tokens that model calls used, if the endpoint reports them.
import type { Usage } from './spans.ts'

export const sum = (total: Usage, more: Usage): Usage => {
  const both = { ...total, ...more }
  if (total.input !== undefined && more.input !== undefined) both.input = total.input + more.input
  if (total.output !== undefined && more.output !== undefined) both.output = total.output + more.output
  return both
}

export const usageIn = (reported: Record<string, unknown> = {}): Usage => {
  const { input_tokens: input, output_tokens: output } = reported
  return {
    ...(Number.isSafeInteger(input) ? { input: input as number } : {}),
    ...(Number.isSafeInteger(output) ? { output: output as number } : {}),
  }
}
