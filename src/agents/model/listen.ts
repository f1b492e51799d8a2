// Makes one call of the model: sends the body of the request, and reads the answer to its end.
import { createHash } from 'node:crypto'
import { type Asked, type ModelBody, textOfBody } from '../../chat/request.ts'
import type { ModelCall } from '../../contract/agent.ts'
import type { Usage } from '../../contract/wire.ts'
import type { HeardCall } from './calls.ts'
import { createReader, type Heard } from './chunks.ts'
import type { Chunks } from './endpoint.ts'
import { ModelLost, ModelRefused } from './failures.ts'

/** The largest number of tool calls in one answer. */
const maxCalls = 128
/** The largest number of characters in all texts and calls of one answer together. */
const maxCharacters = 8 * 1024 * 1024

export type Listened = { call: ModelCall; usage?: Usage; calls: HeardCall[]; spoke: boolean }

const isMore = (last: Heard, next: Heard): boolean =>
  last.kind === 'call' ? next.kind === 'call' && next.call === last.call : next.kind === last.kind

/** Merges texts that arrived together, because it takes long to handle each word alone. */
const joined = (heard: Heard[]): Heard[] => {
  const merged: Heard[] = []
  for (const next of heard) {
    const last = merged.at(-1)
    if (last === undefined || !isMore(last, next)) {
      merged.push(next)
      continue
    }
    last.text += next.text
    if (last.kind !== 'call' && next.kind !== 'call' && next.logprobs !== undefined) {
      last.logprobs = [...(last.logprobs ?? []), ...next.logprobs]
    }
  }
  return merged
}

/** Yields the texts and calls of the answer as they arrive. Throws ModelRefused or ModelLost. */
export async function* listen(
  chunks: Chunks,
  asked: Asked,
  body: ModelBody,
  signal: AbortSignal,
): AsyncGenerator<Heard, Listened> {
  const text = textOfBody(body)
  const digest = createHash('sha256').update(text).digest('base64url')
  const reader = createReader()
  let characters = 0
  const bounded = (heard: Heard[]): Heard[] => {
    for (const { text: said } of heard) characters += said.length
    if (characters > maxCharacters)
      throw new ModelRefused("the model's answer is longer than 8 Mi characters")
    if (reader.callCount() > maxCalls) {
      throw new ModelRefused(`the model made more than ${maxCalls} calls at once`)
    }
    return heard
  }
  for await (const together of chunks(text, signal)) yield* bounded(joined(together.flatMap(reader.hear)))
  yield* bounded(reader.end())
  const calls = reader.calls()
  const usage = reader.usage()
  const response = reader.response()
  if (response.finish_reason === undefined && calls.length === 0) {
    throw new ModelLost("the model's answer broke off")
  }
  return {
    call: { request: { ...asked, digest }, response },
    ...(usage === undefined ? {} : { usage }),
    calls,
    spoke: characters > 0,
  }
}
