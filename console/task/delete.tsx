// Deletes a task, after a question.
import { useMemo } from 'preact/hooks'
import { at } from '../api/api.ts'
import { go, hrefOf } from '../api/router.ts'
import { api } from '../api/session.ts'
import { createAction } from '../ui/action.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Problem } from '../ui/notice.tsx'

export const Delete = ({ id, close }: { id: string; close: () => void }) => {
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
