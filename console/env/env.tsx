// One environment session: its world at a moment, the steps that led there, and the next step.
import { useComputed } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { at } from '../api/client.ts'
import { go, hrefOf, place, setQuery } from '../api/router.ts'
import { api, mayWrite } from '../api/session.ts'
import { createStoredStream, type StoredStream } from '../api/stored-stream.ts'
import { Act } from '../ui/act.tsx'
import { useConnection } from '../ui/connection.tsx'
import { useKeys } from '../ui/keys.tsx'
import { Empty, Failure, Loading } from '../ui/notice.tsx'
import { Page } from '../ui/page.tsx'
import { Word } from '../ui/word.tsx'
import { LinkedTasks } from './linked-tasks.tsx'
import { MomentList } from './moment-list.tsx'
import { type Moment, momentsOf } from './moments.ts'
import { Observation } from './observation.tsx'
import { RewardLine } from './reward-line.tsx'
import { SessionStates } from './session-state.tsx'
import { StepResult } from './step-result.tsx'
import { TakeStep } from './take-step.tsx'

const types = 'EnvSessionCreated,EnvStepCompleted,EnvSessionReset,EnvSessionClosed,EnvSessionDeleted'

const Buttons = ({ id, newest, again }: { id: string; newest: Moment; again: () => void }) => {
  const send = (path: string) => api.send('POST', path, { session_id: id }).then(again)
  if (newest.state === 'active')
    return (
      <>
        <Act label="Reset" act={() => send('/env/reset')} />
        <Act
          label="Close"
          kind="danger"
          act={() => send('/env/close')}
          sure={{
            title: 'Close this session?',
            children: <p>Its environment ends. What happened stays in the log.</p>,
          }}
        />
      </>
    )
  if (newest.state !== 'closed') return null
  return (
    <Act
      label="Delete"
      kind="danger"
      act={() => api.send('DELETE', `/env/session${at(id)}`).then(() => go(hrefOf('/env')))}
      sure={{
        title: 'Delete this session?',
        children: <p>It leaves the list. Auditors still find its events in the log.</p>,
      }}
    />
  )
}

/** The moments since the newest create or reset before a moment, and that moment. */
const roundOf = (moments: readonly Moment[], until: Moment): Moment[] => {
  const past = moments.slice(0, moments.indexOf(until) + 1)
  const begin = past.findLastIndex(({ type }) => type === 'EnvSessionCreated' || type === 'EnvSessionReset')
  return past.slice(Math.max(0, begin))
}

const World = ({ id, stream, moments }: { id: string; stream: StoredStream; moments: readonly Moment[] }) => {
  const chosen = place.value.query.get('event')
  const newest = moments.at(-1) as Moment
  const moment = moments.find(({ revision }) => String(revision) === chosen) ?? newest
  const choose = (to: Moment | undefined) => {
    if (to !== undefined) setQuery({ event: to === newest ? undefined : String(to.revision) })
  }
  const index = moments.indexOf(moment)
  useKeys({
    ArrowLeft: () => choose(moments[index - 1]),
    ArrowRight: () => choose(moments[index + 1]),
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

export const EnvView = ({ id }: { id: string }) => {
  const stream = useMemo(
    () => createStoredStream({ stream: `env-${id}`, news: { types, session_id: id } }),
    [id],
  )
  useConnection(stream.connection)
  useEffect(() => stream.close, [stream])
  const moments = useComputed(() => momentsOf(stream.events.value)).value
  const error = stream.error.value
  const newest = moments.at(-1)
  return (
    <Page
      title={id}
      above={{ path: '/env', title: 'Environments' }}
      buttons={
        newest !== undefined && (
          <div class="buttons">
            <Word
              as={
                newest.state === 'active' ? 'working' : newest.state === 'closed' ? 'completed' : 'canceled'
              }
            >
              {newest.state}
            </Word>
            {mayWrite.value && <Buttons id={id} newest={newest} again={stream.again} />}
          </div>
        )
      }
    >
      {error !== undefined && error.status !== 404 && <Failure error={error.message} retry={stream.again} />}
      {newest !== undefined && <World id={id} stream={stream} moments={moments} />}
      {newest === undefined && error?.status === 404 && <Empty title="There is no such session" />}
      {newest === undefined && error === undefined && <Loading what="the session" />}
    </Page>
  )
}
