// Data folders whose log names a key, and whose checkpoints that key signed, as a server leaves them.
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { StreamAppend } from '../../../src/contract/stored.ts'
import { openLeaves, openReads } from '../../../src/log/chosen-storage.ts'
import { sqliteStore } from '../../../src/log/file/sqlite-store.ts'
import { openLog } from '../../../src/log/log.ts'
import { realWorld } from '../../../src/platform/world.ts'
import { originOf, signCheckpoint } from '../../../src/proof/note/checkpoint.ts'
import { keyChangeText, keyStream } from '../../../src/proof/note/key-change.ts'
import { makeSigningKey, type SigningKey, writeSigningKey } from '../../../src/proof/note/keys.ts'
import { writeNote } from '../../../src/proof/note/note.ts'
import { signatureOf } from '../../../src/proof/note/signing.ts'
import { createGrowingTree } from '../../../src/proof/tree/growing.ts'

export const logOf = (dataDir: string): string => path.join(dataDir, 'log.db')
export const checkpointsOf = (dataDir: string): string => path.join(dataDir, 'checkpoints')
export const keyFileOf = (dataDir: string): string => path.join(dataDir, 'audit-key')

const openHere = (dataDir: string) => {
  mkdirSync(dataDir, { recursive: true })
  const { clock, random, ids } = realWorld()
  return openLog(
    sqliteStore(logOf(dataDir), () => ids.next('log_')),
    { clock, random, build: 'test' },
  )
}

const by = {
  principal: 'system',
  owner: '',
  session_id: '',
  correlation_id: keyStream,
  causation_id: keyStream,
}

const appendAll = async (dataDir: string, appends: (id: string) => StreamAppend[]): Promise<string> => {
  const log = openHere(dataDir)
  for (const append of appends(log.id)) await log.append([append])
  await log.close()
  return log.id
}

/** Events of any stream, one append for each. */
export const addEvents = (
  dataDir: string,
  events: readonly {
    stream: string
    revision: number
    type: string
    data: object
    owner?: string
    session?: string
  }[],
): Promise<string> =>
  appendAll(dataDir, () =>
    events.map(({ stream, revision, type, data, owner = 'ada', session = '' }) => ({
      ...by,
      stream,
      owner,
      session_id: session,
      expectedRevision: revision - 1,
      events: [{ type, schema_version: 1, data }],
    })),
  )

/** The log names a new key, which the old one signs too, and the folder has that key. */
export const nameKey = async (dataDir: string, old?: SigningKey, revision = 0): Promise<SigningKey> => {
  let made: SigningKey | undefined
  await appendAll(dataDir, id => {
    const key = makeSigningKey(originOf(id), 'note')
    made = key
    const text = keyChangeText(originOf(id), old?.verifier.text, key.verifier.text)
    const signers = old === undefined ? [key] : [old, key]
    const note = writeNote({ text, signatures: signers.map(each => signatureOf(text, each)) })
    const data = { vkey: key.verifier.text, old_vkey: old?.verifier.text ?? null, note }
    return [
      {
        ...by,
        stream: keyStream,
        expectedRevision: revision - 1,
        events: [{ type: 'AuditKeyChanged', schema_version: 1, data }],
      },
    ]
  })
  if (made === undefined) throw new Error('no key was made')
  writeFileSync(keyFileOf(dataDir), `${writeSigningKey(made)}\n`, { mode: 0o600 })
  return made
}

/** A checkpoint of the first `size` events, as the leaves in the file say. */
export const noteOf = (dataDir: string, key: SigningKey, size: number): string => {
  const log = openLeaves(logOf(dataDir))
  const tree = createGrowingTree()
  for (const leaf of log.leaves(0, size)) tree.add(leaf)
  log.close()
  const reads = openReads(logOf(dataDir))
  const origin = originOf(reads.logId())
  void reads.close()
  return signCheckpoint({ origin, size, root: tree.root() }, [key])
}

/** Adds checkpoints of these sizes to the file of the folder. */
export const addCheckpoints = (dataDir: string, key: SigningKey, sizes: readonly number[]): void => {
  for (const size of sizes) appendFileSync(checkpointsOf(dataDir), `${noteOf(dataDir, key, size)}\n`)
}

export const headOf = (dataDir: string): number => {
  const reads = openReads(logOf(dataDir))
  const head = reads.head()
  void reads.close()
  return head
}
