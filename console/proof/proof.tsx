// The view that reads and shows the proof of one stored event.
import { useEffect } from 'preact/hooks'
import { Loaded } from '../ui/page.tsx'
import { useReading } from '../ui/reading.ts'
import { readEvidence } from './evidence.ts'
import { Proven } from './proven.tsx'

export const ProofView = ({ id }: { id: string }) => {
  const reading = useReading(`proof ${id}`, () => readEvidence(Number(id)))
  useEffect(() => {
    document.title = `Proof of event ${id} · Reprise`
  }, [id])
  return (
    <main class="proof">
      {reading.value.value === undefined && <h1>Event {id}</h1>}
      <Loaded reading={reading} what="event">
        {evidence => <Proven evidence={evidence} />}
      </Loaded>
    </main>
  )
}
