// Removes ids and times from frames, items and stored events, so that two tasks can be compared. Ids that
// connect things, such as a call and its result, become numbers in the order in which they first appear.
import { isExact } from '../../contract/json/exact-number.ts'

/** Whether an event does not count. It depends on timing whether a step stores AgentStepStarted. */
export const isTiming = (type: string): boolean => type === 'AgentStepStarted'

/** Keys that are left out: ids of tasks, sessions and requests; times; and places in the log. */
const ignored: ReadonlySet<string> = new Set([
  ...['timestamp', 'created_at', 'expires_at', 'ttl_seconds', 'time', 'position', 'expires', 'original_at'],
  ...['task_id', 'session_id', 'user_id', 'agent_id', 'parent_agent_id', 'parent_task_id', 'root_task_id'],
  ...['request_id', 'trace_id', 'rollout_id', 'parent_rollout_id', 'fork_of', 'effect_id', 'response_id'],
  ...['group_chat_id', 'previous_task_id', 'continued_by', 'forked_from', 'depth', 'parent_agent_step'],
  ...['digest', 'request_digest', 'idempotency_key', 'secret_ref', 'webhook_secret_ref', 'workdir', 'by'],
  ...['input_ids', 'context', 'stream', 'child', 'env_step', 'ignored_fields'],
])
/** Ids that connect the parts of one task. */
const connecting: ReadonlySet<string> = new Set(['id', 'item_id', 'call_id', 'compression_id', 'message_id'])
/** Values that callers and tools choose: a key in them that has one of the names above is an ordinary key. */
const closed: ReadonlySet<string> = new Set([
  'block_list',
  'blocks',
  'annotations',
  'agent_config',
  'parameters',
])

export type Contents = (value: unknown) => unknown

/** Makes the function that reads the contents of one task, in the order of its stream. */
export const createContents = (): Contents => {
  const numbers = new Map<string, number>()
  const numberOf = (id: string): number => {
    const number = numbers.get(id) ?? numbers.size + 1
    numbers.set(id, number)
    return number
  }
  const entry = ([key, value]: [string, unknown]): [string, unknown][] => {
    if (ignored.has(key) || value === undefined) return []
    if (connecting.has(key) && typeof value === 'string') return [[key, numberOf(value)]]
    const content = closed.has(key) ? value : contentOf(value)
    // A task without metadata has no such field, so empty metadata count as none.
    return key === 'metadata' && JSON.stringify(content) === '{}' ? [] : [[key, content]]
  }
  const contentOf = (value: unknown): unknown => {
    if (Array.isArray(value)) {
      return value.map(one => (typeof one === 'string' && numbers.has(one) ? numberOf(one) : contentOf(one)))
    }
    if (typeof value !== 'object' || value === null || isExact(value)) return value
    const entries = Object.entries(value)
    const isTask = 'object' in value && value.object === 'task'
    return Object.fromEntries(entries.filter(([key]) => !(isTask && key === 'id')).flatMap(entry))
  }
  return contentOf
}
