// The tokens of an answer, and numbers that stand for tokens.
import { createHash } from 'node:crypto'
import type { Answer } from './answer.ts'
import type { Question } from './question.ts'

/** `cached` is part of `prompt`, `reasoning` of `completion`; undefined: the script does not say. */
export type Usage = { prompt: number; completion: number; cached?: number; reasoning?: number }

/** By default, four characters of the prompt count as one token, and each piece as one. undefined: none is reported. */
export const usageOf = ({ usage }: Answer, { prompt }: Question, pieces: number): Usage | undefined => {
  if (usage === false) return undefined
  const { cached_tokens: cached, reasoning_tokens: reasoning } = usage ?? {}
  return {
    prompt: usage?.prompt_tokens ?? Math.ceil(prompt.length / 4),
    completion: usage?.completion_tokens ?? pieces,
    ...(cached === undefined ? {} : { cached }),
    ...(reasoning === undefined ? {} : { reasoning }),
  }
}

/** The same token always gets the same number and the same probability. */
export const numberOf = (token: string): number => createHash('sha256').update(token).digest().readUInt16BE(0)
export const logprobOf = (token: string) => ({
  token,
  logprob: -(numberOf(token) + 1) / 2 ** 16,
  bytes: [...Buffer.from(token)],
  top_logprobs: [],
})
