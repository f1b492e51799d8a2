// Refusals of requests that are longer than the context of a model.
import { ModelRefused } from './failures.ts'

const says =
  /context[ _](length|window|size)|maximum (context|model length)|max_model_len|tokens`? must be <=|(prompt|input|request)( text| tokens)?:? (is |are )?too (long|large)|too many (input |prompt )?tokens|(exceed|longer than)[^.]*(context|tokens? (allowed|limit)|number of tokens)|reduce the length of/i

/** Whether an endpoint has refused a request because it is too long. */
export const isTooLong = (error: unknown): error is ModelRefused =>
  error instanceof ModelRefused &&
  [400, 413, 422, 500].includes(error.status ?? 0) &&
  isTooLongFor(error.words)

/** Whether the words of an error say that a request is too long. */
export const isTooLongFor = (words: string): boolean => says.test(words)

/** The context of the model in tokens, if the refusal names it. */
export const windowIn = ({ words }: ModelRefused): number | undefined => {
  const found =
    /(?:context (?:length|window|size)|maximum|limit)[^\d]{0,40}?(\d[\d,]{2,})/i.exec(words) ??
    /> *(\d[\d,]{2,}) maximum/i.exec(words)
  const tokens = Number(found?.[1]?.replaceAll(',', ''))
  return Number.isSafeInteger(tokens) && tokens > 0 ? tokens : undefined
}

/** What people can do about it. */
export const tooLongHint =
  'the conversation is too long for this model: begin a new session, or use a model with a longer context'
