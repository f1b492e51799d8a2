// Two tasks side by side: their items and their stored events, and where they begin to differ. Ids and times do not count.
import { signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { Difference } from '../../src/contract/responses.ts'
import { at } from '../api/client.ts'
import { api } from '../api/session.ts'
import { Empty, Failure, Loading } from '../ui/notice.tsx'
import { Pairs } from './pairs.tsx'

/** `id`: the ids of the two tasks, with a slash between them. */
export const DiffView = ({ id }: { id: string }) => {
  const [left = '', right = ''] = id.split('/')
  const difference = useMemo(() => signal<Difference | undefined>(undefined), [id])
  const error = useMemo(() => signal<string | undefined>(undefined), [id])
  const load = () => {
    error.value = undefined
    api.send<Difference>('GET', `/tasks${at(left)}/diff${at(right)}`).then(
      found => {
        difference.value = found
      },
      (failure: Error) => {
        error.value = failure.message
      },
    )
  }
  useEffect(() => {
    document.title = 'Two tasks compared · Reprise'
    load()
  }, [id])
  const found = difference.value
  return (
    <main class="proof">
      <h1>Two tasks compared</h1>
      {found !== undefined && <Pairs difference={found} left={left} right={right} />}
      {found?.items.length === 0 && <Empty title="Nobody has said anything yet" />}
      {found === undefined && error.value === undefined && <Loading what="the comparison" />}
      {error.value !== undefined && <Failure error={error.value} retry={load} />}
    </main>
  )
}
