// The view of one environment session: what it shows now, its steps, and a form for the next one.
import { useEffect, useMemo } from 'preact/hooks'
import { hrefOf } from '../api/router.ts'
import { api, mayWrite } from '../api/session.ts'
import { connection } from '../ui/connection.tsx'
import { Empty, Failure, Loading } from '../ui/notice.tsx'
import { Scrolling } from '../ui/scrolling.tsx'
import { Ago } from '../ui/time.tsx'
import { createSessionHistory, type SessionHistory } from './history.ts'
import { Observation } from './observation.tsx'
import { Steps } from './steps.tsx'
import { TakeStep } from './take-step.tsx'

const Loaded = ({ history }: { history: SessionHistory }) => {
  void history.length.value // the view changes with it
  const { view, id } = history
  const { created } = view
  return (
    <main class="session">
      <header class="task-head">
        <h1>{id}</h1>
        <span class="status">{view.done && view.state === 'active' ? 'active, done' : view.state}</span>
        <small>
          {created?.kind ?? created?.env_id}, {created?.user_id}, created <Ago at={view.createdAt} />
        </small>
        <a href={hrefOf('/', new URLSearchParams({ session: id }))}>Tasks of this session</a>
      </header>
      <Scrolling class="panel side-part" label="Now">
        <h2>Now</h2>
        <Observation seen={view.observed} />
      </Scrolling>
      <Steps history={history} />
      <section class="panel side-part" aria-label="Next step">
        <h2>Next step</h2>
        {mayWrite.value ? <TakeStep history={history} /> : <p class="hint">This token may not take steps.</p>}
      </section>
    </main>
  )
}

export const SessionView = ({ id }: { id: string }) => {
  const history = useMemo(() => createSessionHistory(api, id), [id])
  useEffect(() => {
    document.title = `Session ${id} · Reprise`
    connection.value = history.connection
    return history.close
  }, [history])
  const error = history.error.value
  if (history.length.value > 0) return <Loaded history={history} />
  return (
    <main>
      {error === undefined ? (
        <Loading what="the session" />
      ) : error.status === 404 ? (
        <Empty isPage title="There is no such session">
          <a href={hrefOf('/sessions')}>All sessions</a>
        </Empty>
      ) : (
        <Failure error={error.message} />
      )}
    </main>
  )
}
