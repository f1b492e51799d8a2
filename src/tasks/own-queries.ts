// What the server itself asks the read models, to decide on tasks. Nobody sees the rows, so they need not be committed, and
// a query about one chat session or key waits only for the rows that concern it.
import type { Current } from '../../projections/current.ts'
import type { ReadStore } from '../../projections/store.ts'
import { createChatSessionRows } from '../../projections/tasks/chat-session.ts'
import { createIdempotencyRows } from '../../projections/tasks/idempotency-keys.ts'
import type { createTaskRows } from '../../projections/tasks/rows.ts'
import { createTaskFileRows } from '../../projections/tasks/task-files.ts'
import { aboutKey, aboutSession } from '../../projections/tasks/topics.ts'

export const createOwnQueries = (
  store: ReadStore,
  { currentOn }: Pick<Current, 'currentOn'>,
  rows: Pick<ReturnType<typeof createTaskRows>, 'overdue' | 'inputIds'>,
) => {
  const chatSession = createChatSessionRows(store)
  const keys = createIdempotencyRows(store)
  const files = createTaskFileRows(store)
  const inSession = <Answer>(sessionId: string, ask: () => Answer): Answer =>
    currentOn(aboutSession(sessionId), ask)
  return {
    /** The ids of the inputs of a task of this chat session. */
    inputIds: (sessionId: string, taskId: string) => inSession(sessionId, () => rows.inputIds(taskId)),
    lastInSession: (userId: string, sessionId: string) =>
      inSession(sessionId, () => chatSession.last(userId, sessionId)),
    sessionContext: (userId: string, sessionId: string) =>
      inSession(sessionId, () => chatSession.context(userId, sessionId)),
    conversation: (userId: string, sessionId: string, position: number) =>
      inSession(sessionId, () => chatSession.conversation(userId, sessionId, position)),
    waitingInSession: (userId: string, sessionId: string) =>
      inSession(sessionId, () => chatSession.waiting(userId, sessionId)),
    idempotencyKey: (principalId: string, key: string) =>
      currentOn(aboutKey(principalId, key), () => keys.key(principalId, key)),
    sameBody: (principal: string, digest: string, since: number) =>
      currentOn(undefined, () => keys.sameBody(principal, digest, since)),
    overdue: (now: number) => currentOn(undefined, () => rows.overdue(now)),
    missingFiles: (...given: Parameters<typeof files.missing>) =>
      currentOn(undefined, () => files.missing(...given)),
    fileSettled: files.settle,
  }
}
