// Reads or makes the file of the key that the nodes of a cluster share, and derives one key for each purpose from it.
import { hkdfSync, randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { CannotStart } from '../contract/cannot-start.ts'
import { readPlainFile, whatStandsAt, writeSynced } from '../platform/files/plain-file.ts'
import { unusable } from '../platform/files/unusable.ts'

/**
 * `records`: authenticates records of the shared log. `hops`: signs requests from node to node. `keys`: seals stream
 * keys on their way between nodes. `secrets`: seals the secret values of tasks. `settings`: makes digests of settings.
 */
const purposes = ['records', 'hops', 'keys', 'secrets', 'settings'] as const
/** A key of 32 bytes for each purpose. */
export type ClusterKeys = Readonly<Record<(typeof purposes)[number], Buffer>>

/** Bytes of a key. */
const size = 32

/** The keys that a cluster key gives. The same key gives the same keys on each node. */
export const clusterKeysOf = (key: Uint8Array): ClusterKeys => {
  const keyFor = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', key, '', `reprise cluster ${purpose}`, size))
  return Object.freeze(Object.fromEntries(purposes.map(purpose => [purpose, keyFor(purpose)])) as ClusterKeys)
}

const wrongKey = (file: string, why: string): CannotStart =>
  new CannotStart(`CLUSTER_KEY_FILE=${file} ${why}`)

const wayOut = 'copy the file of another node, or make a first one with reprise cluster init'

/** The text of the file. Throws CannotStart when it is not a plain file that only its owner may use. */
const privateText = (file: string): string => {
  try {
    const kind = whatStandsAt(file)
    if (kind === undefined) throw wrongKey(file, `does not exist: ${wayOut}`)
    if (kind !== 'file') throw wrongKey(file, `is a ${kind}, not a file: ${wayOut}`)
    if ((statSync(file).mode & 0o077) !== 0)
      throw wrongKey(file, `may be read or written by other users of this machine: chmod 600 ${file}`)
    return readPlainFile(file).trim()
  } catch (error) {
    throw unusable(file, error, { name: `CLUSTER_KEY_FILE=${file}`, doing: 'read' })
  }
}

/** Reads the file of the cluster key: 32 bytes as base64, which only its owner may use. Throws CannotStart. */
export const readClusterKeys = (file: string): ClusterKeys => {
  const text = privateText(file)
  const key = Buffer.from(text, 'base64')
  if (key.length !== size || key.toString('base64') !== text)
    throw wrongKey(file, `holds no key of ${size} bytes as base64: ${wayOut}`)
  return clusterKeysOf(key)
}

/**
 * Makes the file with a new key. False: something exists at this path already, and stays as it is. Throws CannotStart.
 */
export const makeClusterKey = (file: string): boolean => {
  try {
    if (whatStandsAt(file) !== undefined) return false
    writeSynced(file, `${randomBytes(size).toString('base64')}\n`)
    return true
  } catch (error) {
    throw unusable(file, error, { name: `the cluster key ${file}`, doing: 'written' })
  }
}
