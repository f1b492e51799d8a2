// One environment session: its world at a moment, the steps that led there, and the next step.
import { useComputed } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { mayWrite } from '../api/session.ts'
import { createStoredStream } from '../api/stored-stream.ts'
import { useConnection } from '../ui/connection.tsx'
import { Empty, Failure, Loading } from '../ui/notice.tsx'
import { Page } from '../ui/page.tsx'
import { Word } from '../ui/word.tsx'
import { momentsOf } from './moments.ts'
import { SessionButtons } from './session-buttons.tsx'
import { World } from './world.tsx'

const types = 'EnvSessionCreated,EnvStepCompleted,EnvSessionReset,EnvSessionClosed,EnvSessionDeleted'

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
            {mayWrite.value && <SessionButtons id={id} newest={newest} again={stream.again} />}
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
