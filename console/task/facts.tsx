// Facts about a task at the position: who, when, what it used, and its effects with intents and results.
import { millisOf } from '../../src/history/task/millis.ts'
import { at } from '../api/client.ts'
import { hrefOf } from '../api/router.ts'
import { Ago, duration, count as number } from '../ui/time.tsx'
import type { TaskHistory } from './history.ts'
import type { Position } from './position.ts'
import { spanAt } from './spans.ts'

const TaskLink = ({ id }: { id: string }) => <a href={hrefOf(`/tasks${at(id)}`)}>{id}</a>

export const Facts = ({ position }: { position: Position }) => {
  const { task } = position.view.value
  const { created, usage, error } = task
  if (created === undefined) return null
  const used = Object.entries(usage ?? {}).filter(([, value]) => typeof value === 'number')
  return (
    <section class="panel side-part" aria-label="Facts">
      <dl class="facts">
        <div>
          <dt>Agent</dt>
          <dd>{created.agent}</dd>
        </div>
        <div>
          <dt>User</dt>
          <dd>{created.user_id}</dd>
        </div>
        <div>
          <dt>Session</dt>
          <dd>
            <a href={hrefOf('/', new URLSearchParams({ session: created.session_id }))}>
              {created.session_id}
            </a>
          </dd>
        </div>
        <div>
          <dt>Created</dt>
          <dd>
            <Ago at={task.createdAt} />
          </dd>
        </div>
        {created.parent_task_id !== undefined && (
          <div>
            <dt>Called by</dt>
            <dd>
              <TaskLink id={created.parent_task_id} />
            </dd>
          </div>
        )}
        {created.forked_from !== undefined && (
          <div>
            <dt>Fork of</dt>
            <dd>
              <TaskLink id={created.forked_from.task_id} />
            </dd>
          </div>
        )}
        {used.map(([name, value]) => (
          <div key={name}>
            <dt>{name.replaceAll('_', ' ')}</dt>
            <dd>{number(value as number)}</dd>
          </div>
        ))}
      </dl>
      {error !== undefined && (
        <p class="problem">
          {error.message} <small>code {error.code}</small>
        </p>
      )}
    </section>
  )
}

export const Effects = ({ history, position }: { history: TaskHistory; position: Position }) => {
  const { count } = position.rested.value
  const spans = history.spans.all.filter(({ effectId, from }) => effectId !== undefined && from < count)
  if (spans.length === 0) return null
  return (
    <section class="panel side-part" aria-label="Effects">
      <h2>Effects</h2>
      <ul class="effects">
        {spans.slice(-50).map(span => {
          const { name, from, to, fromMs, toMs, outcome, safe } = spanAt(span, count)
          const now = history.past.events[count - 1]
          const end = toMs ?? (now === undefined ? fromMs : millisOf(now.header.time))
          return (
            <li key={`${from}`}>
              <b>{name}</b> <small>{safe ? 'may run again' : 'runs once'}</small>
              <span>
                <button type="button" class="link" onClick={() => position.go(from + 1)}>
                  intent {from}
                </button>
                {to === undefined ? (
                  <span>running</span>
                ) : (
                  <button type="button" class="link" onClick={() => position.go(to + 1)}>
                    {outcome} {to}
                  </button>
                )}
                <small>{duration(end - fromMs)}</small>
              </span>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
