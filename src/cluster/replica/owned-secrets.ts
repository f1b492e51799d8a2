// The secrets of a node that owns the log. A changed secret is stored in the file of this node at once, and published
// before the next batch, since an event in that batch may name the secret.
import { StorageFailure } from '../../contract/stored.ts'
import type { Secrets } from '../../platform/secrets.ts'

/** Secrets that count as stored when they are published. */
export const storedWith = (secrets: Secrets, publish: () => Promise<void>): Secrets => ({
  ...secrets,
  stored: () =>
    publish().catch(error => {
      throw new StorageFailure('secrets cannot be stored', { cause: error })
    }),
})

export const createOwnedSecrets = (local: Secrets) => {
  let changed = new Set<string>()
  const forget = (ref: string): void => {
    local.forget(ref)
    changed.add(ref)
  }
  const secrets: Secrets = {
    ...local,
    put(ref, values) {
      local.put(ref, values)
      changed.add(ref)
    },
    forget,
    sweep(isNamed) {
      for (const ref of local.refs()) if (!isNamed(ref)) forget(ref)
    },
  }
  return {
    secrets,
    /** Notes that a file that is published like a secret has changed. `ref`: its name in the shared log. */
    note: (ref: string): void => void changed.add(ref),
    /** The refs that have changed since the last call. */
    changed(): string[] {
      if (changed.size === 0) return []
      const refs = [...changed]
      changed = new Set()
      return refs
    },
  }
}
