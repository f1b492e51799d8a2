// The view that reads and shows the proof of one stored event.
import { signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { Failure, Loading } from '../ui/notice.tsx'
import type { Evidence } from './check-event.ts'
import { readEvidence } from './evidence.ts'
import { Proven } from './proven.tsx'

export const ProofView = ({ id }: { id: string }) => {
  const evidence = useMemo(() => signal<Evidence | undefined>(undefined), [id])
  const error = useMemo(() => signal<string | undefined>(undefined), [id])
  const load = () => {
    error.value = undefined
    readEvidence(Number(id)).then(
      found => {
        evidence.value = found
      },
      (failure: Error) => {
        error.value = failure.message
      },
    )
  }
  useEffect(() => {
    document.title = `Proof of event ${id} · Reprise`
    load()
  }, [id])
  return (
    <main class="proof">
      {evidence.value !== undefined && <Proven evidence={evidence.value} />}
      {evidence.value === undefined && error.value === undefined && <Loading what="the proof" />}
      {error.value !== undefined && <Failure error={error.value} retry={load} />}
    </main>
  )
}
