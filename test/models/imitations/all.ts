// The vendors whose endpoints are imitated.
import { anthropic } from './anthropic.ts'
import { azure } from './azure.ts'
import { deepseek } from './deepseek.ts'
import { gemini } from './gemini.ts'
import type { Imitation } from './imitation.ts'
import { llamaCpp } from './llama-cpp.ts'
import { mistral } from './mistral.ts'
import { ollama } from './ollama.ts'
import { openai } from './openai.ts'
import { openrouter } from './openrouter.ts'
import { vllm } from './vllm.ts'

export const imitations = {
  openai,
  azure,
  anthropic,
  gemini,
  mistral,
  deepseek,
  openrouter,
  vllm,
  'llama.cpp': llamaCpp,
  ollama,
} satisfies Record<string, Imitation>
export type ImitationName = keyof typeof imitations
export const imitationNames = Object.keys(imitations) as ImitationName[]
