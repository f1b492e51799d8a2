// What a decision of the server asks of the tables: the tasks of one chat session, or what an earlier request made.
// The rows that are not written yet usually concern other topics, so the query need not wait until they are written.

export type Topic = string

export const aboutSession = (sessionId: string): Topic => `session ${sessionId}`
/** `key`: empty for all requests without a key. */
export const aboutRequest = (
  { scope, principal }: { scope: string; principal: string },
  key: string,
): Topic => `request ${scope} ${principal} ${key}`

/** Keeps the topics of the events whose rows are not written yet. */
export const createUnwrittenTopics = () => {
  const topics = new Set<Topic>()
  let isAny = false
  return {
    has: (topic: Topic): boolean => isAny || topics.has(topic),
    add: (topic: Topic): void => void topics.add(topic),
    /** Something is gone that may concern any topic: sessions of forks begin without a deleted task, for example. */
    addAll(): void {
      isAny = true
    },
    clear(): void {
      topics.clear()
      isAny = false
    },
  }
}
