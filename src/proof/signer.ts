// Signs checkpoints of the log. Stores each one before anybody else gets it. A checkpoint covers only durable events.
import type { EventLog } from '../log/log.ts'
import { createTurns } from '../platform/turns.ts'
import { appendAnchor } from './anchors.ts'
import type { KnownKey } from './keys/key-history.ts'
import type { LogKey } from './keys/log-key.ts'
import { signCheckpoint } from './note/checkpoint.ts'
import { readNote, type Signature, writeNote } from './note/note.ts'
import type { Tree } from './store/tree.ts'
import type { Hash } from './tree/hash.ts'

/** `text`: the signed note. */
export type Stored = { size: number; root: Hash; text: string }

export type SignerDeps = {
  log: Pick<EventLog, 'head'>
  origin: string
  key: LogKey
  tree: Pick<Tree, 'grow'>
  /** The file to which checkpoints are added. */
  file: string
  /** The newest checkpoint of an earlier run. */
  newest: Stored | undefined
}

/** Adds signatures to a note. Undefined when the note already has a signature of each of their keys. */
const withSignatures = (text: string, signatures: readonly Signature[]): string | undefined => {
  const note = readNote(text)
  const known = new Set(note.signatures.map(({ name, id }) => `${name}+${id}`))
  const added = signatures.filter(({ name, id }) => !known.has(`${name}+${id}`))
  if (added.length === 0) return undefined
  return writeNote({ text: note.text, signatures: [...note.signatures, ...added] })
}

export const createSigner = ({ log, origin, key, tree, file, ...deps }: SignerDeps) => {
  let newest = deps.newest
  const inOrder = createTurns()
  const listeners: ((checkpoint: Stored) => void)[] = []

  const sign = async (): Promise<void> => {
    const signing = await key.ready()
    const size = log.head()
    if (size === newest?.size) return
    const root = await tree.grow(size)
    const text = signCheckpoint({ origin, size, root }, [signing])
    await appendAnchor(file, text)
    newest = { size, root, text }
    for (const listener of listeners) listener(newest)
  }
  return {
    newest: () => newest,
    /** Signs a checkpoint of all durable events. Rejects with StorageFailure, CannotStart, DamagedEvent or others. */
    sign: (): Promise<void> => inOrder(sign),
    /** Called with each checkpoint after it is stored. */
    onNew: (listener: (checkpoint: Stored) => void): void => void listeners.push(listener),
    /** Adds cosignatures to the checkpoint of this size, if it is still the newest. Rejects with system errors. */
    cosigned: (size: number, signatures: readonly Signature[]): Promise<void> =>
      inOrder(async () => {
        const text = newest?.size === size ? withSignatures(newest.text, signatures) : undefined
        if (newest === undefined || text === undefined) return
        await appendAnchor(file, text)
        newest = { ...newest, text }
      }),
    /** Makes a new key for later checkpoints. Rejects with StorageFailure, CannotStart or DamagedEvent. */
    rotate: (by: { principal: string; causation: string }): Promise<KnownKey> =>
      inOrder(() => key.rotate(by)),
  }
}
export type Signer = ReturnType<typeof createSigner>
