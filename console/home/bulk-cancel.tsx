// Cancels the selected tasks, after a question.
import { type Signal, useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { isTerminal } from '../../src/contract/wire/task-status.ts'
import { at } from '../api/api.ts'
import { api } from '../api/session.ts'
import { createAction } from '../ui/action.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Problem } from '../ui/notice.tsx'
import type { Row } from './rows.ts'

// Cancels many tasks.

/** How many cancels are under way at a time. */
const together = 4

/** Cancels the tasks, a few at a time. Resolves to the number of tasks that could not be canceled. */
const cancelAll = async (ids: readonly string[]): Promise<number> => {
  const left = [...ids]
  let failed = 0
  const work = async () => {
    for (let id = left.pop(); id !== undefined; id = left.pop())
      await api.send('POST', `/tasks${at(id)}/cancel`).catch(() => failed++)
  }
  await Promise.all(Array.from({ length: together }, work))
  return failed
}

type Props = { rows: readonly Row[]; selected: Signal<ReadonlySet<string>>; done: () => void }

export const BulkCancel = ({ rows, selected, done }: Props) => {
  const isAsked = useSignal(false)
  const { busy, error, run } = useMemo(createAction, [])
  const chosen = rows.filter(({ id, status }) => selected.value.has(id) && !isTerminal(status))
  const open = rows.filter(({ status }) => !isTerminal(status))
  const cancel = () =>
    run(async () => {
      const failed = await cancelAll(chosen.map(({ id }) => id))
      isAsked.value = false
      selected.value = new Set()
      done()
      if (failed > 0) throw new Error(`${failed} of the tasks could not be canceled`)
    })
  return (
    <fieldset class="bulk">
      <legend class="unseen">Selected tasks</legend>
      <button
        type="button"
        disabled={open.length === 0}
        onClick={() => {
          selected.value = new Set(open.map(({ id }) => id))
        }}
      >
        Select unfinished
      </button>
      {selected.value.size > 0 && (
        <>
          <button type="button" class="quiet" onClick={() => (selected.value = new Set())}>
            Select none
          </button>
          <button
            type="button"
            class="danger"
            disabled={chosen.length === 0}
            onClick={() => {
              isAsked.value = true
            }}
          >
            Cancel {chosen.length}
          </button>
        </>
      )}
      <Problem text={error.value} />
      {isAsked.value && (
        <Dialog
          title={`Cancel ${chosen.length} ${chosen.length === 1 ? 'task' : 'tasks'}?`}
          close={() => {
            isAsked.value = false
          }}
        >
          <p>Their agents stop. What they did so far stays in the log.</p>
          <form method="dialog" class="answers">
            <button type="submit">Keep them</button>
            <button type="button" class="danger" disabled={busy.value} onClick={() => void cancel()}>
              Cancel them
            </button>
          </form>
        </Dialog>
      )}
    </fieldset>
  )
}
