// Buttons for what somebody can do with the task now. Only commands that the task's chart allows are offered.
import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { isCanceling, isPausing } from '../../src/contract/charts/task-state.ts'
import { isTerminal, type Task } from '../../src/contract/wire.ts'
import { at } from '../api/api.ts'
import { go, hrefOf } from '../api/router.ts'
import { api } from '../api/session.ts'
import { createAction } from '../ui/action.ts'
import { bound } from '../ui/bound.ts'
import { Copy } from '../ui/copy.tsx'
import { curlOf } from '../ui/curl.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Form, FormProblem, Submit } from '../ui/form.tsx'
import { Problem } from '../ui/notice.tsx'
import type { TaskHistory } from './history.ts'
import type { Position } from './position.ts'

// Deletes a task, after a question.

const Delete = ({ id, close }: { id: string; close: () => void }) => {
  const { busy, error, run } = useMemo(createAction, [])
  const remove = () =>
    run(async () => {
      await api.send('DELETE', `/tasks${at(id)}`)
      go(hrefOf('/'))
    })
  return (
    <Dialog title="Delete this task?" close={close}>
      <p>It leaves all lists. Its events stay in the log, for auditors.</p>
      <Problem text={error.value} />
      <form method="dialog" class="answers">
        <button type="submit">Keep it</button>
        <button type="button" class="danger" disabled={busy.value} onClick={() => void remove()}>
          Delete it
        </button>
      </form>
    </Dialog>
  )
}

// Says something to the agent of a task that has not ended.

const Say = ({ history }: { history: TaskHistory }) => {
  const text = useSignal('')
  const send = async () => {
    await api.send('POST', `/tasks${at(history.id)}/messages`, { content: text.value })
    text.value = ''
    history.refresh()
  }
  return (
    <Form class="say" send={send}>
      <label>
        <span>Say something to the agent</span>
        <input {...bound(text)} placeholder="Say something to the agent" />
      </label>
      <Submit label="Send" disabled={text.value.trim() === ''} />
      <FormProblem />
    </Form>
  )
}

/** The number of the newest frame among the first `count` events. */
const frameAt = (history: TaskHistory, count: number): number => {
  const header = history.past.events[count - 1]?.header
  return (header?.seq ?? 0) + (header?.frames ?? 0) - 1
}

export const Commands = ({ history, position }: { history: TaskHistory; position: Position }) => {
  const { busy, error, run } = useMemo(createAction, [])
  const isDeleting = useSignal(false)
  const { id } = history
  void history.length.value // draws again when the newest view changes
  const { status, state } = history.past.newest
  if (status === 'absent') return null
  const send = (command: string) =>
    run(async () => {
      await api.send('POST', `/tasks${at(id)}/${command}`)
      history.refresh()
    })
  const frame = frameAt(history, position.count.value)
  const forkBody = { at: frame }
  const fork = () =>
    run(async () => {
      const task = await api.send<Task>('POST', `/tasks${at(id)}/fork`, forkBody)
      go(hrefOf(`/tasks${at(task.id)}`))
    })
  const canPause = status === 'working' && !isPausing(state) && !isCanceling(state)
  return (
    <section class="commands" aria-label="Commands">
      <div class="command-line">
        {canPause && (
          <button type="button" disabled={busy.value} onClick={() => void send('pause')}>
            Pause
          </button>
        )}
        {status === 'paused' && (
          <button type="button" class="primary" disabled={busy.value} onClick={() => void send('resume')}>
            Resume
          </button>
        )}
        {!isTerminal(status) && (
          <button type="button" class="danger" disabled={busy.value} onClick={() => void send('cancel')}>
            Cancel
          </button>
        )}
        <button
          type="button"
          disabled={busy.value || frame < 0}
          title={`A new task with the past up to frame ${frame}`}
          onClick={() => void fork()}
        >
          Fork here
        </button>
        <a class="button" href={hrefOf(`/diff${at(id)}`)}>
          Compare
        </a>
        <button
          type="button"
          class="quiet"
          onClick={() => {
            isDeleting.value = true
          }}
        >
          Delete
        </button>
        <Copy label="Copy fork as curl" text={() => curlOf('POST', `/tasks${at(id)}/fork`, forkBody)} />
      </div>
      {isPausing(state) && <p class="hint">Pauses at the next safe point.</p>}
      <Problem text={error.value} />
      {!isTerminal(status) && <Say history={history} />}
      {isDeleting.value && (
        <Delete
          id={id}
          close={() => {
            isDeleting.value = false
          }}
        />
      )}
    </section>
  )
}
