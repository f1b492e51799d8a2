// What may find an attack: the start of a server, the verifier, a witness, and auditors who keep checkpoints.
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { CannotStart } from '../../../src/contract/cannot-start.ts'
import { sqliteStore } from '../../../src/log/file/sqlite-store.ts'
import { type EventLog, openLog } from '../../../src/log/log.ts'
import { type VerifiedLog, verifyLog } from '../../../src/maintenance/verify/verify-log.ts'
import { filesOf } from '../../../src/platform/files/data-folder.ts'
import { realWorld } from '../../../src/platform/world.ts'
import { Misfit } from '../../../src/proof/misfit.ts'
import { makeSigningKey, type SigningKey } from '../../../src/proof/note/keys.ts'
import { proofOf } from '../../../src/proof/settings.ts'
import { consistencyProof } from '../../../src/proof/tree/proofs.ts'
import { writeAddCheckpoint } from '../../../src/proof/witness/request.ts'
import { openWitnessState } from '../../../src/proof/witness/state.ts'
import { createWitness } from '../../../src/proof/witness/witness.ts'
import { acceptLog } from '../../../src/shard/opening/checked-anchor.ts'
import { fullOf } from '../trees.ts'
import {
  addCheckpoints,
  addEvents,
  checkpointsOf,
  headOf,
  logOf,
  nameKey,
  noteOf,
} from '../verify/signed-folder.ts'
import { attacks, backedUp, eventsIn, rewrite } from './attacks.ts'
import { leavesIn } from './leaves-in.ts'

/** What an attacker can write besides the database. `views`: two logs, one for each auditor. */
const powers = {
  'the database': [],
  'and the key': ['key'],
  'and the file of checkpoints': ['key', 'anchors'],
  'and two auditors see two logs': ['key', 'anchors', 'views'],
} as const
export const attackers = Object.keys(powers) as (keyof typeof powers)[]
type Attempt = { attacker: (typeof attackers)[number]; attack?: string }

const sizes = [8, 20, 31]

/** A folder as an honest server leaves it: events of some streams, and checkpoints up to the last one. */
export const honestFolder = async (dataDir: string): Promise<SigningKey> => {
  const streams = ['task-a', 'task-b', 'env-c']
  const events = Array.from({ length: 30 }, (_, n) => ({
    stream: streams[n % streams.length] ?? '',
    revision: Math.floor(n / streams.length),
    type: 'Noted',
    data: { n },
  }))
  await addEvents(dataDir, events.slice(0, 6))
  const key = await nameKey(dataDir)
  await addEvents(dataDir, events.slice(6))
  addCheckpoints(dataDir, key, sizes)
  return key
}

/** Attacks a copy of a folder with everything that the attacker has. Without an attack, it stays as it is. */
const attacked = (honest: string, copy: string, key: SigningKey, { attacker, attack }: Attempt): void => {
  cpSync(honest, copy, { recursive: true })
  const change = attack === undefined ? undefined : attacks[attack]
  if (change === undefined) return
  rewrite(copy, change(eventsIn(copy)))
  const can: readonly string[] = powers[attacker]
  if (can.includes('anchors')) rmSync(checkpointsOf(copy))
  // Who puts a backup in place signs it at once, as a restore does.
  const restored = attack?.startsWith('roll back') ? [backedUp + 1] : []
  if (can.includes('key')) addCheckpoints(copy, key, [...restored, headOf(copy)])
}

const startRefuses = async (dataDir: string): Promise<boolean> => {
  const files = filesOf(dataDir)
  const { clock, random } = realWorld()
  let log: EventLog | undefined
  try {
    log = openLog(
      sqliteStore(files.log, () => 'log_other'),
      { clock, random, build: 'test' },
    )
    const deps = { dataDir, files, settings: proofOf({}, dataDir), log, acceptLoss: false, report: () => {} }
    await acceptLog(deps)
    return false
  } catch (error) {
    if (error instanceof CannotStart) return true
    throw error
  } finally {
    await log?.close()
  }
}

/** What the verifier says of a log; undefined: it refuses the log. */
const verified = async (
  dataDir: string,
  checkpoints: string[],
  key?: SigningKey,
): Promise<VerifiedLog | undefined> => {
  const own = checkpointsOf(dataDir)
  const given = { log: logOf(dataDir), ownCheckpoints: own, checkpoints, key: key?.verifier }
  try {
    return await verifyLog(given, () => {})
  } catch (error) {
    if (error instanceof Misfit) return undefined
    throw error
  }
}
const verifyRefuses = async (...args: Parameters<typeof verified>): Promise<boolean> =>
  (await verified(...args)) === undefined

/** The verifier accepts the log, and counts payloads as erased. */
const verifyCountsErased = async (dataDir: string): Promise<boolean> =>
  ((await verified(dataDir, []))?.erased ?? 0) > 0

/** A witness has signed the newest checkpoint of the honest log. The attacker asks it to sign one of the other log. */
const witnessRefuses = (honest: string, other: string, key: SigningKey, folder: string): boolean => {
  const signing = makeSigningKey('witness.example', 'cosignature')
  const state = openWitnessState(path.join(folder, 'witness.json'))
  const witness = createWitness({ key: signing, logs: [key.verifier], state, now: Date.now })
  const [known, size] = [headOf(honest), headOf(other)]
  const first = witness.add(writeAddCheckpoint({ old: 0, proof: [], note: noteOf(honest, key, known) }))
  if (first.status !== 200) throw new Error(first.text)
  const proof = size < known ? [] : consistencyProof(known, size, fullOf(leavesIn(other)))
  const asked = writeAddCheckpoint({ old: known, proof, note: noteOf(other, key, size) })
  return witness.add(asked).status !== 200
}

/** What finds an attack, as words in this order; empty: nothing does. */
export const foundBy = async (
  honest: string,
  key: SigningKey,
  { folder, ...attempt }: Attempt & { folder: string },
): Promise<string[]> => {
  mkdirSync(folder, { recursive: true })
  const other = path.join(folder, 'attacked')
  attacked(honest, other, key, attempt)
  const can: readonly string[] = powers[attempt.attacker]
  const keptOf = (dataDir: string, name: string): string => {
    const file = path.join(folder, name)
    writeFileSync(file, noteOf(dataDir, key, headOf(dataDir)))
    return file
  }
  const kept = keptOf(honest, 'kept')
  // An auditor who only ever saw the other log has no checkpoint of the honest one.
  const own = can.includes('views') ? keptOf(other, 'own') : kept
  const found: [string, boolean][] = [
    ['start', await startRefuses(other)],
    ['verify', await verifyRefuses(other, [])],
    ['checkpoint', await verifyRefuses(other, [own], key)],
    ['witness', can.includes('key') && witnessRefuses(honest, other, key, folder)],
    ['trail', await verifyCountsErased(other)],
    ['auditors', can.includes('views') && (await verifyRefuses(other, [own, kept], key))],
  ]
  return found.flatMap(([name, isFound]) => (isFound ? [name] : []))
}
