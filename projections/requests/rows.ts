// Finds what an earlier request made: by its key, or without one by its body.
import type { ReadStore } from '../store.ts'

/** Where a request is looked for: the scope of its surface, and the principal that sent it. */
export type RequestPlace = { scope: string; principal: string }

/** `id`: of what the request made. `position` and `time`: those of the event that stores the request. */
export type RequestRow = { id: string; digest: string; position: number; time: number }

export const createRequestRows = (store: ReadStore) => {
  const columns = 'made AS id, digest, position, time'
  const byKey = store.prepare<[RequestPlace & { key: string }], RequestRow>(
    `SELECT ${columns} FROM requests WHERE scope = :scope AND principal = :principal AND key = :key
     ORDER BY position DESC LIMIT 1`,
  )
  const byBody = store.prepare<[RequestPlace & { digest: string; since: number }], RequestRow>(
    `SELECT ${columns} FROM requests WHERE scope = :scope AND principal = :principal AND key = '' AND digest = :digest
       AND time >= :since ORDER BY position`,
  )
  return {
    /** The newest request with this key. */
    byKey: ({ scope, principal }: RequestPlace, key: string) => byKey.get({ scope, principal, key }),
    /** The requests without a key and with the same body, since a time (Unix milliseconds), oldest first. */
    byBody: ({ scope, principal }: RequestPlace, digest: string, since: number) =>
      byBody.all({ scope, principal, digest, since }),
  }
}
