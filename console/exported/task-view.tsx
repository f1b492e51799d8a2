// A task of the export, with its slider: what the console shows of a task, without what needs a server.
import { batch, signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { Recorded } from '../../src/contract/stored.ts'
import { Failed } from '../task/failed.tsx'
import { createGrowing } from '../task/growing.ts'
import { Panels } from '../task/panels.tsx'
import { createPosition } from '../task/position.ts'
import { StateHash, useStateHash } from '../task/state-hash.tsx'
import { textOf } from '../task/words.ts'
import { Copy } from '../ui/copy.tsx'
import { Failure, Loading } from '../ui/notice.tsx'
import { Status } from '../ui/status.tsx'
import { count } from '../ui/time.tsx'
import type { PageEvent } from './content.ts'

/** Events that are folded before the page is drawn again. */
const atOnce = 2000

const recorded = ({ position, known, payload }: PageEvent): Recorded => ({
  position,
  header: known,
  data: JSON.parse(payload ?? 'null'),
})

/** The history of a task, which grows while its events are folded. */
const createHistory = (events: readonly PageEvent[]) => {
  const { past, rows, journal, spans, length, isLoaded, take, show } = createGrowing()
  const isWhole = signal(false)
  const error = signal<string | undefined>(undefined)
  let isClosed = false
  const fold = async () => {
    for (let at = 0; at < events.length && !isClosed; at += atOnce) {
      take(events.slice(at, at + atOnce).map(recorded))
      await new Promise(resolve => setTimeout(resolve))
    }
    batch(() => {
      show()
      isWhole.value = true
    })
  }
  fold().catch((failure: Error) => {
    error.value = `The history cannot be shown: ${failure.message}`
  })
  const close = () => {
    isClosed = true
  }
  return { past, rows, journal, spans, length, isLoaded, isWhole, error, close }
}
type History = ReturnType<typeof createHistory>

const Loaded = ({ id, history }: { id: string; history: History }) => {
  const position = useMemo(() => createPosition(history), [history])
  useEffect(() => position.close, [position])
  const hash = useStateHash(position)
  const { status, created } = history.past.newest
  const question = textOf(created?.request.user_message_content)
  useEffect(() => {
    document.title = `${question.slice(0, 60) || id} · exported from Reprise`
  }, [question])
  return (
    <main class="task">
      <div class="task-top">
        <header class="task-head">
          <h1 title={question}>{question || 'A task'}</h1>
          <span class="task-id" title="Copy the id of the task">
            <Copy label={id} text={() => id} />
          </span>
          {history.isWhole.value ? (
            status !== 'absent' && <Status status={status} />
          ) : (
            <p class="hint" role="status">
              Folding… {count(history.length.value)} events so far
            </p>
          )}
        </header>
        {history.isWhole.value && <Failed history={history} position={position} />}
      </div>
      <Panels history={history} position={position} slider={<StateHash hash={hash} />} />
    </main>
  )
}

export const TaskView = ({ id, events }: { id: string; events: readonly PageEvent[] }) => {
  const history = useMemo(() => createHistory(events), [events])
  useEffect(() => history.close, [history])
  return (
    <>
      {history.error.value !== undefined && <Failure error={history.error.value} />}
      {history.isLoaded.value ? (
        <Loaded id={id} history={history} />
      ) : (
        history.error.value === undefined && <Loading what="the task" />
      )}
    </>
  )
}
