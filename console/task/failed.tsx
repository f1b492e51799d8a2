// Why a task failed or expired, above everything else, and what can be done about it.
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { CreateTaskBody, Task } from '../../src/contract/wire.ts'
import type { ShownTask } from '../../src/history/task-view.ts'
import { at } from '../api/api.ts'
import { go, hrefOf } from '../api/router.ts'
import { api } from '../api/session.ts'
import { createAction } from '../ui/action.ts'
import { Problem } from '../ui/notice.tsx'
import { Divergence, divergenceOf } from './divergence.tsx'
import { forkPointBefore } from './fork-point.ts'
import type { KnownHistory } from './growing.ts'
import type { Position } from './position.ts'

// What can be done about a task that failed: the request that created it, to send it again, and forks that repeat only what
// failed.

type Created = NonNullable<ShownTask['created']>

/** Whether a request had secret values. The log has only their names, so the request cannot be sent again from here. */
const hadSecrets = ({ env, webhook, agent_config }: CreateTaskBody): boolean =>
  Object.keys(env ?? {}).length > 0 ||
  typeof webhook?.secret === 'string' ||
  JSON.stringify(agent_config?.tool_mcp_config ?? null).includes('"***"')

/** The body of a create that asks for the same again, for the same user in the same session. */
const sameRequest = ({ request, user_id, session_id }: Created): CreateTaskBody => {
  const { task_id: _, request_id: __, ...same } = request
  return { ...same, user_id, session_id, stream: false, background: true }
}

/** What code has asked for in events that a fork does not have: the code asks for it again, and it runs again. */
const repeated = ({ journal }: KnownHistory, kept: number, end: number): string =>
  journal.entries
    .filter(({ event }) => event >= kept && event < end)
    .map(({ entry }) => entry.name ?? entry.do)
    .join(', ')

/** Makes the task again, as a new task, or from the last moment before the failure. */
export const AfterFailure = ({ id, history }: { id: string; history: KnownHistory }) => {
  const { busy, error, run } = useMemo(createAction, [])
  const { newest, events } = history.past
  const { created } = newest
  if (created === undefined) return null
  const failed = events.findLastIndex(({ type }) => type === 'TaskFailed')
  const beforeFailure = newest.status === 'failed' ? forkPointBefore(events, failed) : undefined
  const changed = divergenceOf(history)
  const beforeEntry = changed?.asked && forkPointBefore(events, changed.asked.event)
  const forks = [
    { point: beforeFailure, label: 'Fork before the failure', end: failed },
    { point: beforeEntry, label: `Fork before entry ${changed?.n}`, end: changed?.asked?.event ?? 0 },
  ].filter(
    ({ point }, n, all) =>
      point !== undefined && all.findIndex(one => one.point?.frame === point.frame) === n,
  )
  const made = (send: () => Promise<Task>) =>
    void run(async () => {
      const task = await send()
      go(hrefOf(`/tasks${at(task.id)}`))
    })
  return (
    <div class="command-line">
      {hadSecrets(created.request) ? (
        <p class="hint">
          Its request had secret values, which the log does not hold: send it again from its client.
        </p>
      ) : (
        <button
          type="button"
          disabled={busy.value}
          title="A new task with the same request"
          onClick={() => made(() => api.ask<Task>('POST', '/tasks', sameRequest(created)))}
        >
          Run again
        </button>
      )}
      {forks.map(({ point = { frame: 0, kept: 0 }, label, end }) => {
        const again = repeated(history, point.kept, end)
        return (
          <button
            key={label}
            type="button"
            disabled={busy.value}
            title={`A new task with the past up to frame ${point.frame}, which ${again === '' ? 'repeats only what failed' : `repeats ${again}`}`}
            onClick={() => made(() => api.send<Task>('POST', `/tasks${at(id)}/fork`, { at: point.frame }))}
          >
            {label}
          </button>
        )
      })}
      <Problem text={error.value} />
    </div>
  )
}

/** `children`: what can be done. */
type Props = { history: KnownHistory; position: Position; children?: ComponentChildren }

export const Failed = ({ history, position, children }: Props) => {
  const { status, error, reason } = history.past.newest
  if (status !== 'failed' && status !== 'expired') return null
  const changed = divergenceOf(history)
  const why = (
    <section class="failed" aria-label="Why it ended">
      <p>
        <b>{status === 'failed' ? 'This task failed' : 'This task expired'}</b>
        {error !== undefined && (
          <>
            : {error.message} <small>code {error.code}</small>
          </>
        )}
        {error === undefined && `: ${reason ?? 'it waited too long'}`}
      </p>
      {children}
    </section>
  )
  return changed === undefined ? (
    why
  ) : (
    <>
      {why}
      <Divergence changed={changed} history={history} position={position} />
    </>
  )
}
