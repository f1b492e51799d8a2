// The view that reads and shows the proof of one stored event.
import { useEffect } from 'preact/hooks'
import { queryOf } from '../api/api.ts'
import { ApiError } from '../api/api-error.ts'
import { readPage } from '../api/listed.ts'
import { api } from '../api/session.ts'
import { Loaded } from '../ui/page.tsx'
import { useReading } from '../ui/reading.ts'
import type { Evidence, StoredEvent } from './check-event.ts'
import { Proven } from './proven.tsx'

// Reads what the proof of an event needs from the server.

/** Milliseconds between two looks for a checkpoint, and until the last look. A checkpoint is at most a second late. */
const [lookMs, patienceMs] = [300, 10_000]

const sizeOf = (note: string): number => Number(note.split('\n')[1])

/** The newest checkpoint, as soon as it covers the event. */
const noteCovering = async (position: number): Promise<string> => {
  for (const end = Date.now() + patienceMs; ; ) {
    const note = await api.text('/audit/checkpoint')
    if (sizeOf(note) >= position) return note
    if (Date.now() > end) throw new ApiError(503, 'The newest checkpoint is older than the event. Try again.')
    await new Promise(resolve => setTimeout(resolve, lookMs))
  }
}

/** Reads what the proof needs. Rejects with ApiError. */
const readEvidence = async (position: number): Promise<Evidence> => {
  const query = { after: position - 1, limit: 1 }
  const page = await readPage<StoredEvent>(api, '/audit/events', query).catch(error => {
    if (error instanceof ApiError && error.status === 422) return { data: [] } // behind the end of the log
    throw error
  })
  const event = page.data[0]
  if (event?.position !== position) throw new ApiError(404, 'There is no event at this position.')
  const [note, keys] = await Promise.all([noteCovering(position), api.text('/audit/public-key')])
  const tree_size = sizeOf(note)
  const proof = await api.send<{ leaf_index: number; hashes: string[] }>(
    'GET',
    `/audit/proof${queryOf({ position, tree_size })}`,
  )
  return { event, note, keys, leafIndex: proof.leaf_index, hashes: proof.hashes }
}

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
