// What the proof of an event needs, read from the server.
import { ApiError } from '../api/api-error.ts'
import { queryOf } from '../api/client.ts'
import { api } from '../api/session.ts'
import type { Evidence, StoredEvent } from './check-event.ts'

/** Reads what the proof needs. Rejects with ApiError. */
export const readEvidence = async (position: number): Promise<Evidence> => {
  const page = await api.send<{ events: StoredEvent[] }>(
    'GET',
    `/audit/events${queryOf({ after: position - 1, limit: 1 })}`,
  )
  const event = page.events[0]
  if (event?.position !== position)
    throw new ApiError(404, 'There is no event at this position that you may see.')
  const [note, keys] = await Promise.all([api.text('/audit/checkpoint'), api.text('/audit/public-key')])
  const tree_size = Number(note.split('\n')[1])
  if (tree_size < position)
    throw new ApiError(503, 'The newest checkpoint is older than the event. Try again.')
  const proof = await api.send<{ leaf_index: number; hashes: string[] }>(
    'GET',
    `/audit/proof${queryOf({ position, tree_size })}`,
  )
  return { event, note, keys, leafIndex: proof.leaf_index, hashes: proof.hashes }
}
