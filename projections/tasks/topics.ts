// What a decision about a new task asks of the tables: the tasks of one chat session, or the task of one idempotency key.
// The rows that are not written yet usually concern other topics, so the query need not wait until they are written.

export type Topic = string

export const aboutSession = (sessionId: string): Topic => `session ${sessionId}`
export const aboutKey = (principalId: string, key: string): Topic => `key ${principalId} ${key}`

/** Keeps the topics of the events whose rows are not written yet. */
export const createUnwrittenTopics = () => {
  const topics = new Set<Topic>()
  let isAny = false
  return {
    has: (topic: Topic): boolean => isAny || topics.has(topic),
    add: (topic: Topic): void => void topics.add(topic),
    /** A task was deleted or erased. Sessions of its forks begin without it, so this may concern any session. */
    addAll(): void {
      isAny = true
    },
    clear(): void {
      topics.clear()
      isAny = false
    },
  }
}
