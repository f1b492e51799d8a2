// The view of one task: its events, its conversation and its state, all at one position of its history.
import { useEffect, useMemo } from 'preact/hooks'
import { at } from '../api/api.ts'
import { hrefOf } from '../api/router.ts'
import { api, mayWrite } from '../api/session.ts'
import { Earlier } from '../sessions/earlier.tsx'
import { useConnection } from '../ui/connection.tsx'
import { Copy } from '../ui/copy.tsx'
import { Empty, Failure, Loading } from '../ui/notice.tsx'
import { Status } from '../ui/status.tsx'
import { count as number } from '../ui/time.tsx'
import { Commands } from './commands.tsx'
import { ComparedHash } from './compared-hash.tsx'
import { AfterFailure, Failed } from './failed.tsx'
import { createHistory, type TaskHistory } from './history.ts'
import { Panels } from './panels.tsx'
import { Pending } from './pending.tsx'
import { createPosition } from './position.ts'
import { isAsleep, isWaiting, WaitsFor } from './waits-for.tsx'
import { textOf } from './words.ts'

const Loaded = ({ history }: { history: TaskHistory }) => {
  const position = useMemo(() => createPosition(history), [history])
  useEffect(() => position.close, [position])
  void history.length.value // draws again when the newest view changes
  const { status, created } = history.past.newest
  const isWhole = history.isWhole.value
  const question = textOf(created?.request.user_message_content)
  useEffect(() => {
    document.title = `${question.slice(0, 60) || history.id} · Reprise`
  }, [question])
  const send = async (type: string) => {
    await api.send('POST', `/tasks${at(history.id)}/messages`, { event: { type } })
    history.refresh()
  }
  if (history.past.newest.deleted)
    return (
      <Empty isPage title="This task was deleted">
        <a href={hrefOf('/')}>All tasks</a>
      </Empty>
    )
  return (
    <>
      <div class="task-top">
        <header class="task-head">
          <h1 title={question}>{question || 'A task'}</h1>
          <span class="task-id" title="Copy the id of the task">
            <Copy label={history.id} text={() => history.id} />
          </span>
          {isWhole ? (
            <>
              {status !== 'absent' && <Status status={status} />}
              {isWaiting(history.past.newest) && (
                <span class="hint">
                  {isAsleep(history.past.newest) ? 'sleeps' : 'waits for'}{' '}
                  <WaitsFor task={history.past.newest} isNow />
                </span>
              )}
              {mayWrite.value && <Commands history={history} position={position} />}
            </>
          ) : (
            <p class="hint" role="status">
              Loading… {number(history.length.value)} events so far
            </p>
          )}
        </header>
        {isWhole && (
          <Failed history={history} position={position}>
            {mayWrite.value && <AfterFailure id={history.id} history={history} />}
          </Failed>
        )}
      </div>
      <Panels
        history={history}
        position={position}
        slider={<ComparedHash history={history} position={position} />}
        above={created?.previous_task_id !== undefined && <Earlier of={created} />}
        send={isWhole && mayWrite.value ? send : undefined}
        side={isWhole && mayWrite.value && <Pending history={history} />}
      />
    </>
  )
}

export const TaskView = ({ id }: { id: string }) => {
  const history = useMemo(() => createHistory(api, id), [id])
  useConnection(history.connection)
  useEffect(() => history.close, [history])
  const error = history.error.value
  if (history.isLoaded.value && error === undefined)
    return (
      <main class="task">
        <Loaded history={history} />
      </main>
    )
  return (
    <main>
      {error === undefined ? (
        <Loading what="the task" />
      ) : error.status === 404 ? (
        <Empty isPage title="There is no such task">
          <a href={hrefOf('/')}>All tasks</a>
        </Empty>
      ) : (
        <Failure error={error.message} />
      )}
    </main>
  )
}
