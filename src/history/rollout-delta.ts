// Rollouts in the form of differences. Each rollout of a task repeats nearly all messages of the one before it, so whole
// rollouts grow with the square of the steps. In this form, the messages of a rollout are what stays of an earlier one,
// and what comes after that. A reader that puts them together has the whole rollout, byte for byte.
import { isExact } from '../contract/json/exact-number.ts'
import type { Rollout } from './rollout.ts'

/**
 * A list as the difference to the same list of an earlier rollout: its first `keep` elements, then `append`. `base`: the
 * `rollout_id` of the earlier rollout, which comes earlier in the same answer; null: nothing is kept.
 */
export type Delta<Element = unknown> = { base: string | null; keep: number; append: Element[] }

export type DeltaRollout = Omit<Rollout, 'input_messages' | 'prompt_token_ids'> & {
  input_messages_delta: Delta
  prompt_token_ids_delta?: Delta<number>
}

/** Whether two JSON values have the same text. Undefined fields count, so the answer may be no for the same text. */
const isSame = (a: unknown, b: unknown): boolean => {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (isExact(a) || isExact(b)) return isExact(a) && isExact(b) && JSON.stringify(a) === JSON.stringify(b)
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const [ours, theirs] = [Object.entries(a), Object.entries(b)]
  return (
    ours.length === theirs.length &&
    ours.every(([key, value], n) => key === theirs[n]?.[0] && isSame(value, theirs[n]?.[1]))
  )
}

/** The last rollouts of this many tasks are kept as bases, which limits the memory of an answer with many tasks. */
const basesInMemory = 8

type Base = Pick<Rollout, 'rollout_id' | 'input_messages' | 'prompt_token_ids'>

const deltaOf = <Element>(now: Element[], base: Base | undefined, before: Element[] = []): Delta<Element> => {
  let keep = 0
  while (keep < before.length && keep < now.length && isSame(before[keep], now[keep])) keep++
  return { base: keep === 0 ? null : (base?.rollout_id ?? null), keep, append: now.slice(keep) }
}

/**
 * Makes a function that puts the rollouts of one answer into this form, in their order. The base is the newest rollout of
 * the same task before it that is no summary: what is asked for a summary has little in common with the other steps.
 */
export const createDeltas = () => {
  const bases = new Map<string, Base>()
  const remember = (rollout: Rollout): void => {
    bases.delete(rollout.task_id)
    bases.set(rollout.task_id, rollout)
    const [oldest] = bases.keys()
    if (bases.size > basesInMemory && oldest !== undefined) bases.delete(oldest)
  }
  return (rollout: Rollout): DeltaRollout => {
    const base = rollout.is_compress ? undefined : bases.get(rollout.task_id)
    if (!rollout.is_compress) remember(rollout)
    const { input_messages, prompt_token_ids } = rollout
    const fields = Object.entries(rollout).map(([key, value]): [string, unknown] => {
      if (key === 'input_messages')
        return ['input_messages_delta', deltaOf(input_messages, base, base?.input_messages)]
      if (key === 'prompt_token_ids' && prompt_token_ids !== undefined)
        return ['prompt_token_ids_delta', deltaOf(prompt_token_ids, base, base?.prompt_token_ids)]
      return [key, value]
    })
    return Object.fromEntries(fields) as unknown as DeltaRollout
  }
}
