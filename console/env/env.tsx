// One environment session: its world at a moment, the steps that led there, and the next step.
import { useComputed } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { at } from '../api/api.ts'
import { go, hrefOf } from '../api/router.ts'
import { api, mayWrite } from '../api/session.ts'
import { createStoredStream } from '../api/stored-stream.ts'
import { Act } from '../ui/act.tsx'
import { useConnection } from '../ui/connection.tsx'
import { Loaded, Page } from '../ui/page.tsx'
import { Word } from '../ui/word.tsx'
import { type Moment, momentsOf } from './moments.ts'
import { World } from './world.tsx'

// What can be done with an environment session.

const SessionButtons = ({ id, newest, again }: { id: string; newest: Moment; again: () => void }) => {
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

const types = 'EnvSessionCreated,EnvStepCompleted,EnvSessionReset,EnvSessionClosed,EnvSessionDeleted'

export const EnvView = ({ id }: { id: string }) => {
  const stream = useMemo(
    () => createStoredStream({ stream: `env-${id}`, news: { types, session_id: id } }),
    [id],
  )
  useConnection(stream.connection)
  useEffect(() => stream.close, [stream])
  const moments = useComputed(() => {
    const found = momentsOf(stream.events.value)
    return found.length === 0 ? undefined : found
  })
  const newest = moments.value?.at(-1)
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
            {mayWrite.value && <SessionButtons id={id} newest={newest} again={stream.again} />}
          </div>
        )
      }
    >
      <Loaded reading={{ ...stream, value: moments }} what="session">
        {moments => <World id={id} stream={stream} moments={moments} />}
      </Loaded>
    </Page>
  )
}
