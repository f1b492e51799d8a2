// Facts about a task at the position: its agent, its user, its times, and the tokens that it used.
import { at } from '../api/api.ts'
import { hrefOf } from '../api/router.ts'
import { CutId } from '../ui/cut-id.tsx'
import { Ago, count as number } from '../ui/time.tsx'
import type { Position } from './position.ts'
import { isAsleep, isWaiting, WaitsFor } from './waits-for.tsx'

const TaskLink = ({ id }: { id: string }) => <a href={hrefOf(`/tasks${at(id)}`)}>{id}</a>

export const Facts = ({ position }: { position: Position }) => {
  const { task } = position.view.value
  const { created, usage } = task
  if (created === undefined) return null
  const used = Object.entries(usage ?? {}).filter(([, value]) => typeof value === 'number')
  return (
    <section class="panel side-part" aria-label="Facts">
      <h2>Facts</h2>
      <dl class="facts">
        <div>
          <dt>Agent</dt>
          <dd>
            {created.agent}
            {task.agentVersion !== undefined && (
              <small>
                {' '}
                version <CutId id={task.agentVersion} start={6} />
              </small>
            )}
          </dd>
        </div>
        {isWaiting(task) && (
          <div>
            <dt>{isAsleep(task) ? 'Sleeps' : 'Waits for'}</dt>
            <dd>
              <WaitsFor task={task} isNow={position.isLive.value} />
            </dd>
          </div>
        )}
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
              <TaskLink id={created.forked_from.task_id} />{' '}
              <a
                class="only-link"
                href={hrefOf(`/diff${at(created.forked_from.task_id)}${at(created.task_id)}`)}
              >
                compare
              </a>
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
    </section>
  )
}
