// What can be done with an environment session.
import { at } from '../api/api.ts'
import { go, hrefOf } from '../api/router.ts'
import { api } from '../api/session.ts'
import { Act } from '../ui/act.tsx'
import type { Moment } from './moments.ts'

export const SessionButtons = ({ id, newest, again }: { id: string; newest: Moment; again: () => void }) => {
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
