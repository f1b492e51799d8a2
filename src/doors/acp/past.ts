// Reads the sessions of the server, and tells one again to an editor that has lost it.
import { RequestError, type SessionInfo, type SessionUpdate } from '@agentclientprotocol/sdk'
import type { MessageContent, Task, TaskFrame, TaskSummary } from '../../../library/client/index.ts'
import { firstPage, hasEnded, type Server } from './server.ts'
import { type Editor, type Session, tell, type Unended } from './session.ts'
import { failureTold, frameTold, outputTold, promptTold } from './updates.ts'

const pageSize = 50

/** What only this door knows of a task, in its metadata. */
export type OwnMetadata = { acp: { cwd: string } }
const cwdOf = ({ metadata }: Pick<TaskSummary, 'metadata'>): string | undefined =>
  (metadata as Partial<OwnMetadata> | undefined)?.acp?.cwd

const titleLength = 80

/** The session of a task, if no task of it is newer. A list of tasks, newest first, thus names each session once. */
const sessionOf = async (
  server: Server,
  { id, session_id }: TaskSummary,
): Promise<SessionInfo | undefined> => {
  const firstIn = async (order: 'asc' | 'desc'): Promise<TaskSummary | undefined> =>
    (await firstPage(server, ({ tasks }) => tasks.summaries({ session_id, limit: 1, order })))[0]
  const newest = await firstIn('desc')
  if (newest?.id !== id) return undefined
  const title = ((await firstIn('asc')) ?? newest).question.replace(/\s+/g, ' ').trim()
  return {
    sessionId: session_id,
    cwd: cwdOf(newest) ?? '/', // it was begun elsewhere
    title: title.length > titleLength ? `${title.slice(0, titleLength - 1)}…` : title,
    updatedAt: new Date(newest.created_at * 1000).toISOString(),
  }
}

/** A page of sessions, those with the newest tasks first. The cursor is the id of the last task that was looked at. */
export const listSessions = async (
  server: Server,
  { cwd, cursor }: { cwd?: string | null | undefined; cursor?: string | null | undefined },
): Promise<{ sessions: SessionInfo[]; nextCursor?: string }> => {
  let after = cursor ?? undefined
  for (;;) {
    const query = { limit: pageSize, starting_after: after }
    const page = await firstPage(server, ({ tasks }) => tasks.summaries(query))
    const sessions: SessionInfo[] = []
    for (const task of page) {
      const session = await sessionOf(server, task)
      if (session !== undefined && (!cwd || session.cwd === cwd)) sessions.push(session)
    }
    after = page.length === pageSize ? page.at(-1)?.id : undefined
    if (after === undefined) return { sessions }
    if (sessions.length > 0) return { sessions, nextCursor: after }
  }
}

type Stored = { data: [{ data: { request?: { user_message_content?: MessageContent } } }?] }

/** What the user said to a task, as it is stored. Undefined: it has been erased. */
const saidTo = async (server: Server, taskId: string): Promise<MessageContent | undefined> => {
  const query = { stream: `task-${taskId}`, limit: 1 }
  const request = { method: 'GET', path: '/v1/audit/events', query } as const
  const { data } = await server.ask(client => client.request<Stored>(request))
  return data[0]?.data?.request?.user_message_content
}

type Frames = { result: TaskFrame[]; has_more: boolean }

/** Tells the stored frames of a task that has not ended. Returns the last one. */
const tellFrames = async (
  editor: Editor,
  taskId: string,
  say: (updates: SessionUpdate[]) => Promise<void>,
): Promise<TaskFrame | undefined> => {
  let latest: TaskFrame | undefined
  for (;;) {
    const query = { after: latest?.sequence_number, limit: 1000 }
    const request = { method: 'GET', path: `/v1/tasks/${encodeURIComponent(taskId)}/events`, query } as const
    const { result, has_more } = await editor.server.ask(client => client.request<Frames>(request))
    for (const frame of result) await say(frameTold(frame))
    latest = result.at(-1) ?? latest
    if (!has_more) return latest
  }
}

/** Tells a session from its beginning, unless the editor knows it. Returns the tasks that have not ended. */
export const tellSession = async (editor: Editor, session: Session, isKnown: boolean): Promise<Unended[]> => {
  const { server } = editor
  const unended: Unended[] = []
  const say = async (updates: SessionUpdate[]) => (isKnown ? undefined : tell(editor, session, updates))
  const each = async (task: Task): Promise<void> => {
    const said = isKnown ? undefined : await saidTo(server, task.id)
    if (said !== undefined) await say(promptTold(said, task.id))
    if (hasEnded(task)) await say([...outputTold(task), ...failureTold(task)])
    else unended.push({ taskId: task.id, latest: await tellFrames(editor, task.id, say) })
  }
  let after: string | undefined
  do {
    const query = { session_id: session.id, order: 'asc' as const, limit: pageSize, starting_after: after }
    const page = await firstPage(server, ({ tasks }) => tasks.list(query))
    if (page.length === 0 && after === undefined) throw RequestError.sessionNotFound(session.id)
    for (const task of page) await each(task)
    after = page.length === pageSize ? page.at(-1)?.id : undefined
  } while (after !== undefined)
  return unended
}
