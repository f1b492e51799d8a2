// The world of a session at a moment, the steps that led there, and the next step.
import { place, setQuery } from '../api/router.ts'
import { mayWrite } from '../api/session.ts'
import type { StoredStream } from '../api/stored-stream.ts'
import { useKeys } from '../ui/keys.tsx'
import { LinkedTasks } from './linked-tasks.tsx'
import { MomentList } from './moment-list.tsx'
import type { Moment } from './moments.ts'
import { Observation } from './observation.tsx'
import { RewardLine } from './reward-line.tsx'
import { SessionStates } from './session-state.tsx'
import { StepResult } from './step-result.tsx'
import { TakeStep } from './take-step.tsx'

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
