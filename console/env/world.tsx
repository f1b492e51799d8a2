// The world of a session at a moment, the steps that led there, and the next step.

import { type SessionState, sessionMovesFrom } from '../../src/contract/charts/env-session-chart.ts'
import { at, queryOf } from '../api/api.ts'
import { hrefOf, place, setQuery } from '../api/router.ts'
import { api, mayWrite } from '../api/session.ts'
import type { StoredStream } from '../api/stored-stream.ts'
import type { Row } from '../home/rows.ts'
import { useKeys } from '../ui/keys.tsx'
import { Line } from '../ui/line.tsx'
import { useReading } from '../ui/reading.ts'
import { Status } from '../ui/status.tsx'
import { MomentList } from './moment-list.tsx'
import { type Moment, sinceOf } from './moments.ts'
import { Observation } from './observation.tsx'
import { StepResult } from './step-result.tsx'
import { TakeStep } from './take-step.tsx'

// The statechart of environment sessions, with the state of this session lit, and the moves that may follow.

const states = ['active', 'closed', 'deleted'] as const
const moves: Record<string, string> = {
  EnvSessionCreated: 'create',
  EnvStepCompleted: 'step',
  EnvSessionReset: 'reset',
  EnvSessionClosed: 'close',
  EnvSessionDeleted: 'delete',
}
const colours: Record<SessionState, string> = {
  absent: '',
  active: 'is-working',
  closed: 'is-completed',
  deleted: 'is-failed',
}

const SessionStates = ({ state }: { state: SessionState }) => (
  <>
    <ol class="states">
      {states.map(each => (
        <li
          key={each}
          class={each === state ? `lit ${colours[each]}` : ''}
          aria-current={each === state ? 'true' : undefined}
        >
          {each}
        </li>
      ))}
    </ol>
    <p class="hint">
      May follow:{' '}
      {sessionMovesFrom(state)
        .flatMap(type => moves[type] ?? [])
        .join(', ')}
    </p>
  </>
)

// Links to the newest tasks whose session is this environment session.

const most = 20

const LinkedTasks = ({ sessionId, steps }: { sessionId: string; steps: number }) => {
  const query = queryOf({ session_id: sessionId, fields: 'summary', limit: most + 1 })
  const tasks = useReading(`${sessionId} ${steps}`, signal =>
    api.ask<Row[]>('GET', `/tasks${query}`, undefined, signal),
  )
  const found = tasks.value.value ?? []
  if (found.length === 0) return <p class="hint">No task names this session.</p>
  return (
    <>
      <ul class="links">
        {found.slice(0, most).map(({ id, question, status }) => (
          <li key={id}>
            <Status status={status} /> <a href={hrefOf(`/tasks${at(id)}`)}>{question || id}</a>
          </li>
        ))}
      </ul>
      {found.length > most && (
        <a href={hrefOf('/', new URLSearchParams({ session: sessionId }))}>All tasks of the session</a>
      )}
    </>
  )
}

// The sum of the rewards, step by step, as a line. A press on the line shows the session as it was at that step.

const number = (value: number): number => Number(value.toFixed(4))

type Props = { moments: readonly Moment[]; at: Moment; choose: (moment: Moment | undefined) => void }

const RewardLine = ({ moments, at, choose }: Props) => {
  const about = (n: number | undefined) => {
    const moment = (n === undefined ? undefined : moments[n]) ?? at
    const { step, total } = moment
    return (
      <>
        <b>{number(total)}</b> reward{' '}
        {moment === at ? sinceOf(moments, at) : step && `after step ${step.number}`}
        {step !== undefined && step.reward !== 0 && <small> {number(step.reward)} by this step</small>}
      </>
    )
  }
  const totals = moments.map(({ total }) => total)
  const newest = totals.at(-1) ?? 0
  const [low, high] = totals.reduce(([low, high], y) => [Math.min(low, y), Math.max(high, y)], [0, 0])
  return (
    <Line
      label={`Reward, step by step: from ${number(low)} to ${number(high)}, now ${number(newest)}`}
      values={totals}
      mark={moments.indexOf(at)}
      about={about}
      choose={n => choose(moments[n])}
    />
  )
}

/** The moments from the newest create or reset up to a moment. */
const roundOf = (moments: readonly Moment[], until: Moment): Moment[] => {
  const past = moments.slice(0, moments.indexOf(until) + 1)
  const begin = past.findLastIndex(({ type }) => type === 'EnvSessionCreated' || type === 'EnvSessionReset')
  return past.slice(Math.max(0, begin))
}

export const World = ({
  id,
  stream,
  moments,
}: {
  id: string
  stream: StoredStream
  moments: readonly Moment[]
}) => {
  const newest = moments.at(-1) as Moment
  /** The moment that the address names now: a second key may be pressed before the page is drawn for the first one. */
  const chosen = () => {
    const { query } = place.value
    return moments.find(({ revision }) => String(revision) === query.get('event')) ?? newest
  }
  const moment = chosen()
  const choose = (to: Moment | undefined) => {
    if (to !== undefined) setQuery({ event: to === newest ? undefined : String(to.revision) })
  }
  const move = (by: number) => choose(moments[moments.indexOf(chosen()) + by])
  useKeys({
    ArrowLeft: () => move(-1),
    ArrowRight: () => move(1),
    Home: () => choose(moments[0]),
    End: () => choose(newest),
    l: () => choose(newest),
  })
  const round = roundOf(moments, moment)
  return (
    <div class="env">
      <MomentList moments={moments} at={moment} choose={choose} />
      <section class="panel world" aria-label="World">
        <div class="panel-head">
          <h2>{moment.done ? 'World, at its end' : 'World'}</h2>
          {moment === newest ? (
            <small>now</small>
          ) : (
            <button type="button" class="link" onClick={() => choose(newest)}>
              Back to the present
            </button>
          )}
        </div>
        <div class="world-body">
          <Observation moment={moment} past={round} />
          <StepResult moment={moment} />
        </div>
      </section>
      <aside class="env-side" aria-label="Session">
        {mayWrite.value && newest.state === 'active' && (
          <section class="panel side-part" aria-label="Next step">
            <h2>Next step</h2>
            {newest.done ? (
              <p class="hint">The episode is over. Reset the session to begin again.</p>
            ) : (
              <TakeStep sessionId={id} tools={newest.tools} done={stream.again} />
            )}
          </section>
        )}
        <section class="panel side-part" aria-label="Reward">
          <RewardLine
            moments={roundOf(moments, newest).includes(moment) ? roundOf(moments, newest) : round}
            at={moment}
            choose={choose}
          />
        </section>
        <section class="panel side-part" aria-label="Statechart">
          <SessionStates state={moment.state} />
        </section>
        <section class="panel side-part" aria-label="Tasks">
          <h2>Tasks in this session</h2>
          <LinkedTasks sessionId={id} steps={moments.length} />
        </section>
      </aside>
    </div>
  )
}
