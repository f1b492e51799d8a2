// Decides which older part of a history a summary must replace, because the history is too long for the model. The
// decision depends on the request, the items and the tokens of the last call.

import type { CreateTaskBody, OutputItem } from '../../contract/wire.ts'
import { longestWindow, tokensOf } from '../../model-requests/transcript.ts'

/** The share of the window that may be used, unless the request names another share. */
const defaultRatio = 0.8
/** The share of the usable window that the newest, unchanged items may fill. */
const unchangedShare = 1 / 4

const limitOf = ({ agent_config }: CreateTaskBody): number | undefined => {
  const { max_model_length, compress_threshold_token_ratio, compress_model, compress_prompt } =
    agent_config ?? {}
  const asked = [max_model_length, compress_threshold_token_ratio, compress_model, compress_prompt]
  if (asked.every(value => value === undefined || value === null)) return undefined
  return (max_model_length ?? longestWindow) * (compress_threshold_token_ratio ?? defaultRatio)
}

/** Whether a list can be cut before `at`. Calls, their results, and a thought with what follows it stay together. */
const canCut = (items: OutputItem[], at: number): boolean => {
  const before = items[at - 1]?.type
  const after = items[at]?.type
  return after !== 'tool_result' && before !== 'tool_call' && before !== 'reasoning'
}

const sum = (items: OutputItem[]): number => items.reduce((total, item) => total + tokensOf(item), 0)

/**
 * The items that a summary has to replace; undefined when the history fits, or nothing can be replaced. `measured`:
 * tokens of the newest call as its endpoint counted them. The newest message of the user always stays.
 */
export const tooMuch = (
  request: CreateTaskBody,
  items: OutputItem[],
  measured: number,
): OutputItem[] | undefined => {
  const limit = limitOf(request)
  return limit === undefined || Math.max(sum(items), measured) <= limit ? undefined : olderPart(items, limit)
}

/**
 * The older items of a history for which its endpoint has no room; undefined: there is no older part. `tokens`: the
 * estimated length of the whole history.
 */
export const olderHalf = (items: OutputItem[]): { older: OutputItem[]; tokens: number } | undefined => {
  const tokens = sum(items)
  const older = olderPart(items, tokens)
  return older && { older, tokens }
}

/** The items before those that fill a share of the limit; undefined: there are none, or a summary would gain nothing. */
const olderPart = (items: OutputItem[], limit: number): OutputItem[] | undefined => {
  let cut = items.length
  for (let kept = 0; cut > 0; cut--) {
    kept += tokensOf(items[cut - 1] as OutputItem)
    if (kept > limit * unchangedShare) break
  }
  while (cut > 0 && !canCut(items, cut)) cut--
  const newest = items.findLast(item => item.type === 'message' && item.role === 'user')
  const gone = items.slice(0, cut).filter(item => item !== newest && item.id !== undefined)
  // A summary of a single item would gain nothing.
  return gone.length > 1 ? gone : undefined
}
