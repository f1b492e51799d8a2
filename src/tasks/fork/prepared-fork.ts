// Prepares a fork before its first event is stored: its past, its session, its secrets, its quota and its place.

import { type At, deadline } from '../../../actors/task/decide/events.ts'
import type { Place } from '../../../actors/task/places/waiting-line.ts'
import { segment, userFolder } from '../../access/user-folders.ts'
import { statusIn } from '../../contract/charts/task-state.ts'
import type { ForkedEvent, TaskCommand } from '../../contract/commands/commands.ts'
import { envSessionStream } from '../../contract/events/env-session-events.ts'
import type { TaskEventData } from '../../contract/events/task-events.ts'
import type { Principal } from '../../contract/events/token-events.ts'
import { Invalid } from '../../contract/refusals.ts'
import { mayBeStored } from '../../contract/stored.ts'
import { taskStream } from '../../contract/task-stream.ts'
import type { ForkTaskBody, TaskStatus } from '../../contract/wire.ts'
import { type Copying, copyOfEvent } from '../../history/fork/copy-task.ts'
import { newIds, type TaskIds } from '../../history/fork/new-ids.ts'
import { by, type CommandDeps } from '../commands/deps.ts'
import { splitSecrets } from '../request-secrets.ts'
import type { Cut } from './fork-point.ts'
import { digestOfFork, type ForkRequest } from './fork-request.ts'
import { tailOf } from './tail.ts'
import { newChild, unfinishedChildren } from './unfinished-subagents.ts'

type Created = TaskEventData<'TaskCreated'>
export type ForkWish = {
  principal: Principal
  requestId: string
  idempotencyKey: string | undefined
  body: ForkTaskBody
}

/** The ids of items and calls that came with the request: they stay as they are. */
const givenIds = ({ request }: Created): Set<string> => {
  const items = [...(request.history_messages ?? []), ...(request.thought_messages ?? [])]
  return new Set(
    items.flatMap(item => [
      ...(item.id === undefined ? [] : [item.id]),
      ...('call_id' in item ? [item.call_id] : []),
    ]),
  )
}

/**
 * The reference to the secret values that the request of a fork needs. If one of them is neither given nor still there,
 * the fork has none. Values that a new setting replaces are left out: its servers must not get the headers of others.
 */
const putSecrets = (
  { secrets, ids }: CommandDeps,
  { secret_ref: old }: Created,
  { request, secrets: given }: ForkRequest,
): string | undefined => {
  const needed = Object.keys(splitSecrets(request).secrets)
  if (needed.length === 0) return undefined
  const ref = ids.next('sec_')
  const known = { ...(old === undefined ? {} : secrets.get(old)), ...given }
  const values = Object.fromEntries(Object.entries(known).filter(([name]) => needed.includes(name)))
  if (needed.every(name => name in values)) secrets.put(ref, values)
  return ref
}

/** The first event of a fork, without the fields that only a subagent's task has. */
const createdOf = (
  { forking }: CommandDeps,
  old: Created,
  { task_id, session_id, agent_id }: TaskIds,
  { principal: _, requestId, idempotencyKey, body }: ForkWish,
  { request, agent }: ForkRequest,
): Created => {
  const { idempotency_key: _k, secret_ref: _s, webhook_secret_ref: _w, expires_at: _e, ...rest } = old
  const { parent_task_id: _p, parent_agent_id: _a, parent_agent_step: _n, root_task_id: _r, ...own } = rest
  const { depth: _d, forked_from: _f, push: _u, ...kept } = own
  const { at, workspace } = forking
  const { now, ttls } = at()
  const ownFolder = () => `${userFolder(workspace, old.user_id)}/${segment(session_id)}`
  return {
    ...kept,
    ...{ task_id, session_id, agent_id, request, agent },
    workdir: request.workspace_dir ? old.workdir : ownFolder(),
    request_id: requestId,
    digest: digestOfFork(old.task_id, body),
    ...(idempotencyKey === undefined ? {} : { idempotency_key: idempotencyKey }),
    ...deadline(ttls.created, now),
  }
}

/** The past under new ids. A copied event names its original; TaskCreated and the start of a working agent are new. */
const forkedEvents = (
  { events, view }: Cut,
  tail: ReturnType<typeof tailOf>,
  copying: Copying,
): ForkedEvent[] => [
  ...events.map((event): ForkedEvent => {
    const { stream, revision } = event.header
    const isNew = event.type === 'TaskCreated' || (event.type === 'AgentSpawned' && !view.agentEnded)
    const copy = copyOfEvent(event, copying, Date.parse(event.header.time))
    return { event: copy, ...(isNew ? {} : { copy_of: `${stream}@${revision}` }) }
  }),
  ...tail.events.map(event => ({ event: copyOfEvent(event, copying) })),
]

export type PreparedFork = {
  stream: string
  command: Extract<TaskCommand, { type: 'ForkTask' }>
  /** Call it when the fork is stored or abandoned: the quotas count stored tasks and sessions on their own. */
  release(): void
  /**
   * Call it with the error when the fork could not be stored. If the log may have it, its secrets and the folder of its
   * session stay.
   */
  abandon(error: unknown): Promise<void>
}

/** The past of code is its journal, with which no other agent can go on. Throws Invalid. */
const mustKeepCode = (
  { agentVersion }: Cut['view'],
  { agent: before, user_id: user }: Created,
  { agent }: ForkRequest,
  { codeOf }: At,
): void => {
  if (agent === before || (agentVersion === undefined && codeOf?.(agent, user) === undefined)) return
  const msg = `The past is that of the agent ${before}, and ${agent} cannot go on with it: fork the task before it starts, or create a task`
  throw new Invalid([{ loc: ['body', 'agent_config', 'agent_id'], msg, type: 'value_error' }])
}

/** Throws Invalid or a Refusal. */
export const prepareFork = async (
  deps: CommandDeps,
  cut: Cut,
  old: Created,
  wish: ForkWish,
  asked: ForkRequest,
): Promise<PreparedFork> => {
  const { queries, scheduler, quotas, secrets, ids, forking } = deps
  const { principal, requestId, body } = wish
  const { view, position } = cut
  const task_id = body.task_id ?? ids.next('task_')
  const task = { task_id, session_id: ids.next('sess_'), agent_id: ids.next('agent_') }
  const changed = newIds(old, task, givenIds(old), ids)
  changed.rename(envSessionStream(old.session_id), envSessionStream(task.session_id))
  const children = await unfinishedChildren(forking.read, view, changed, ids)
  const isBound = principal.userId !== undefined
  const removals: (() => void | Promise<void>)[] = []
  const releases: (() => void)[] = []
  let leavePlace = () => {}
  const abandon = async (error: unknown) => {
    leavePlace()
    if (mayBeStored(error)) return
    for (const remove of removals) await remove()
  }
  const release = () => {
    for (const each of releases) each()
  }
  try {
    releases.push(quotas.reserveTask(task_id, old.user_id, isBound))
    const session = { sessionId: old.session_id, userId: old.user_id, position, ids: changed }
    const copy = await forking.copySession({ principal, requestId }, session)
    if (copy !== undefined) {
      releases.push(copy.release)
      removals.push(copy.abandon)
    }
    // From here on nothing is awaited, so that the place, the context and the past belong to one moment.
    const past = queries
      .conversation(old.user_id, old.session_id, position)
      .filter(({ stream }) => stream !== taskStream(old.task_id))
    const at = forking.at()
    const place: Place = {
      taskId: task_id,
      userId: old.user_id,
      sessionId: task.session_id,
      agent: asked.agent,
    }
    const run = body.run ?? true
    const waits = view.status === 'created' || view.status === 'queued'
    const starts = waits && (scheduler.admit(place) || !run)
    if (!waits) mustKeepCode(view, old, asked, at)
    if (waits) leavePlace = () => scheduler.release(task_id)
    const own = { stream: taskStream(old.task_id), items: old.input_ids }
    const content = body.user_message_content
    const message = content ? { itemId: ids.next('msg_'), content } : undefined
    const start = starts ? { context: [...past, own] } : undefined
    const tail = tailOf(
      view,
      { agent: asked.agent, asked: by(principal, requestId), message, run, start },
      at,
    )
    const secretRef = putSecrets(deps, old, asked)
    if (secretRef !== undefined) removals.push(() => secrets.forget(secretRef))
    const works = statusIn(tail.state) === 'working'
    const status = view.status as TaskStatus // the moves of the tail are published, those of the copies are not
    const created: Created = {
      ...createdOf(deps, old, task, wish, asked),
      input_ids: old.input_ids.map(changed.of),
      ...(secretRef === undefined ? {} : { secret_ref: secretRef }),
      forked_from: { task_id: old.task_id, at: body.at, revision: view.revision, status, past },
    }
    const expires = (state: 'queued' | 'paused' | 'input-required') => deadline(at.ttls[state], at.now)
    const keepsTimes = view.agentVersion !== undefined
    const copying: Copying = { ids: changed, created, expires, keepsTimes }
    const events = forkedEvents(cut, tail, copying)
    const made = children.map(child => newChild(child, copying, works, at))
    for (const child of made) releases.push(quotas.reserveTask(child.created.task_id, old.user_id, isBound))
    const beside = copy === undefined ? [] : [copy.append]
    const command = { type: 'ForkTask' as const, created, events, made, beside, ...by(principal, requestId) }
    return { stream: taskStream(task_id), command, release, abandon }
  } catch (error) {
    release()
    await abandon(undefined) // nothing was appended
    throw error
  }
}
