// Makes and changes the key that signs checkpoints of a log. The key is in a file, and signs after the log names it.
import { auditKeyStream } from '../../contract/events/audit-key-events.ts'
import type { Report } from '../../contract/ports.ts'
import { StorageFailure } from '../../contract/stored.ts'
import type { EventLog } from '../../log/log.ts'
import { type By, record } from '../../log/record.ts'
import type { SigningKey } from '../note/keys.ts'
import type { KeyFile } from './key-file.ts'
import { type KnownKey, keyChange, keysOf } from './key-history.ts'

type Deps = {
  log: Pick<EventLog, 'readStream' | 'append' | 'revisionOf' | 'isFailing'>
  file: KeyFile
  report: Report
}

export type LogKey = {
  /** Resolves to the signing key once the log names it. Rejects with StorageFailure, CannotStart or DamagedEvent. */
  ready(): Promise<SigningKey>
  /** All keys that the log names, the oldest first. Empty before `ready`. */
  known(): readonly KnownKey[]
  /** Makes a new key. The old and the new key sign the change. Rejects as `ready` does. */
  rotate(by: By): Promise<KnownKey>
}

const bySystem: By = { principal: 'system', causation: auditKeyStream }

export const createLogKey = ({ log, file, report }: Deps): LogKey => {
  let known: KnownKey[] = []
  let signing: SigningKey | undefined

  const append = async (change: Parameters<typeof keyChange>[0], by: By): Promise<KnownKey> => {
    const [event] = await record(log, auditKeyStream, [keyChange(change)], by)
    const added = { key: change.next, from: event?.position ?? 0 }
    known = [...known, added]
    return added
  }

  /** After a crash during a change of the key: uses the next key if the log names it already, otherwise drops it. */
  const inPlace = (newest: string | undefined): SigningKey | undefined => {
    const next = file.next()
    if (next !== undefined && next.verifier.text === newest) file.putNext()
    else file.removeNext()
    return file.key()
  }
  const firstKey = (): SigningKey => {
    const key = file.makeNext()
    file.putNext()
    return key
  }

  const ready = async (): Promise<SigningKey> => {
    if (signing !== undefined) return signing
    if (log.isFailing()) throw new StorageFailure('the event log could not be written')
    known = await keysOf(log)
    const old = known.at(-1)?.key
    const key = inPlace(old?.text) ?? firstKey()
    if (key.verifier.text !== old?.text) {
      await append({ old, next: key.verifier, signers: [key] }, bySystem)
      if (old !== undefined)
        report(
          'warn',
          'the log has a new audit key that its old key did not sign, since the old key is gone',
          {
            old_key: old.text,
            new_key: key.verifier.text,
          },
        )
    }
    signing = key
    return key
  }

  return {
    ready,
    known: () => known,
    async rotate(by) {
      const old = await ready()
      const next = file.makeNext()
      const change = { old: old.verifier, next: next.verifier, signers: [old, next] }
      signing = undefined // a failed append may be stored after all: then `ready` uses the next key
      const added = await append(change, by)
      signing = next
      file.putNext()
      return added
    },
  }
}
