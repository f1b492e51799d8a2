// Why a task failed or expired, above everything else, and what can be done about it.
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { Task } from '../../src/contract/wire.ts'
import { at } from '../api/api.ts'
import { go, hrefOf } from '../api/router.ts'
import { api } from '../api/session.ts'
import { createAction } from '../ui/action.ts'
import { Problem } from '../ui/notice.tsx'
import { frameBeforeFailure, hadSecrets, sameRequest } from './before-failure.ts'
import type { KnownHistory } from './growing.ts'

/** Makes the task again, as a new task, or from the last moment before the failure. */
export const AfterFailure = ({ id, history }: { id: string; history: KnownHistory }) => {
  const { busy, error, run } = useMemo(createAction, [])
  const { newest, events } = history.past
  const { created } = newest
  if (created === undefined) return null
  const frame = newest.status === 'failed' ? frameBeforeFailure(events) : undefined
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
      {frame !== undefined && (
        <button
          type="button"
          disabled={busy.value}
          title={`A new task with the past up to frame ${frame}, which repeats only what failed`}
          onClick={() => made(() => api.send<Task>('POST', `/tasks${at(id)}/fork`, { at: frame }))}
        >
          Fork before the failure
        </button>
      )}
      <Problem text={error.value} />
    </div>
  )
}

/** `children`: what can be done. */
export const Failed = ({ history, children }: { history: KnownHistory; children?: ComponentChildren }) => {
  const { status, error, reason } = history.past.newest
  if (status !== 'failed' && status !== 'expired') return null
  return (
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
}
