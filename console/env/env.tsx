// One environment session: its world at a moment, the steps that led there, and the next step.
import { useComputed } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { mayWrite } from '../api/session.ts'
import { createStoredStream } from '../api/stored-stream.ts'
import { useConnection } from '../ui/connection.tsx'
import { Loaded, Page } from '../ui/page.tsx'
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
