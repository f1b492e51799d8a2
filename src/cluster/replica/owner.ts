// Writes for the owner of the log: each batch is published, stored by a majority of the servers, and then written to
// the local log. Several batches may be under way; the local writes keep their order. After a failure, every write
// fails until the log is claimed again.
import { erasablePrefixes } from '../../contract/erased-range.ts'
import type { Timers } from '../../contract/ports.ts'
import type { PackedBatch, Piece, Store } from '../../log/store.ts'
import type { StreamKeys } from '../keys/stream-keys.ts'
import type { Content, KeyName } from '../records/content.ts'
import { packEvents } from '../records/packed-events.ts'
import { seal } from '../records/sealing.ts'
import { Unknown } from '../shared-log.ts'
import type { CopiedSecrets } from './copied-secrets.ts'
import type { Intake } from './intake.ts'
import { createKeyGate } from './key-gate.ts'
import { createPipeline } from './pipeline.ts'
import type { Publisher } from './publisher.ts'
import type { Refilling } from './refill.ts'
import { endOf } from './rows.ts'

const isErasable = (stream: string): boolean => erasablePrefixes.some(prefix => stream.startsWith(prefix))

type Deps = {
  local: Store
  keys: StreamKeys
  copied: CopiedSecrets
  publisher: Publisher
  intake: Pick<Intake, 'advance' | 'pieces'>
  /** The last position of the log at the claim. */
  position: number
  timers: Timers
  /** The refs of secrets that have changed since the last call. */
  changedSecrets: () => string[]
  failed: (error: unknown) => void
}

/**
 * Makes the content of a record from a batch, and the digests of its rows. `longDigests`: the digests of long payloads,
 * by number, when a refill knows them already.
 */
const packing = (local: Store, keys: StreamKeys, pieces: Intake['pieces']) => {
  return (batch: PackedBatch, longDigests?: Map<number, string>) => {
    let bound: KeyName | undefined
    if (batch.erasures.length > 0) {
      bound = keys.last()
      const named = batch.erasures.flatMap(({ erased }) => erased.streams)
      // The file of the log refuses such a batch. The batch must not be published, since no node could ever apply it.
      if (!named.every(isErasable)) throw new Error('the log erases only events of users')
      keys.retire(
        named.flatMap(stream => local.headOf(stream)?.no ?? []),
        bound,
      )
    }
    const longDigest = (payload: number): string => {
      const digest = longDigests?.get(payload) ?? pieces.of(payload)?.digest.end()
      if (digest === undefined) throw new Error(`the pieces of the payload ${payload} were not written`)
      return digest
    }
    const packed = packEvents(batch, longDigest, keys.take, bound)
    for (const { position, payload } of batch.long) {
      const key = pieces.of(payload)?.key
      const streamNo = batch.streamNos[position - batch.first]
      if (key !== undefined && streamNo !== undefined) keys.addUse(streamNo, key)
    }
    return packed
  }
}

/** Makes the content of a record from a piece of a long payload. The first piece takes a key for all of them. */
const packPiece = (
  keys: StreamKeys,
  pieces: Intake['pieces'],
  { payload, n, salt, text }: Piece,
): Content => {
  if (n === 0) pieces.own(payload, keys.takeNew().name, salt)
  const open = pieces.of(payload)
  const key = open && keys.keyOf(...open.key)
  if (open === undefined || !Buffer.isBuffer(key))
    throw new Error('the piece before this one was not written')
  open.digest.add(text)
  return {
    kind: 'piece',
    facts: { payload, n, key: open.key },
    parts: [seal(key, `${salt}\n${text}`)],
  }
}

export type DoubtedBatch = PackedBatch & { digests: string }

export const createOwner = (deps: Deps) => {
  const { local, keys, copied, publisher, intake, changedSecrets } = deps
  const { pieces } = intake
  let { position } = deps
  /** The first batch that got no answer, as its rows would have been written. */
  let doubted: DoubtedBatch | undefined
  const gate = createKeyGate(keys, deps.timers)
  const { store, stored, settled } = createPipeline({ gate, failed: deps.failed })

  const advance = (mark: Awaited<ReturnType<Publisher['publish']>>): void =>
    intake.advance({ ...mark, position })

  /** Publishes the present text of a secret, or that the secret is gone. */
  const publishSecret = async (ref: string): Promise<void> => {
    let noted = () => copied.forgotten(ref)
    const contentOf = (): Content => {
      const text = copied.textOf(ref)
      if (text === undefined) return { kind: 'forget', facts: { ref }, parts: [] }
      const { name, key } = keys.takeNew()
      noted = () => copied.noted(ref, name, text)
      return { kind: 'secret', facts: { ref, key: name }, parts: [seal(key, text)] }
    }
    const mark = await store(
      1,
      () => publisher.publish(contentOf()),
      async () => {},
    )
    noted()
    advance(mark)
  }
  const publishSecrets = (refs: string[]): Promise<void[]> => Promise.all(refs.map(publishSecret))
  const pack = packing(local, keys, pieces)
  const publishBatch = async (
    batch: PackedBatch,
    write: (digests: string) => Promise<void>,
    longDigests?: Map<number, string>,
  ) => {
    const secrets = publishSecrets(changedSecrets())
    let known = ''
    const publish = () => {
      const { content, digests } = pack(batch, longDigests)
      known = digests
      return publisher.publish(content)
    }
    const mark = store(batch.streamNos.length, publish, () => write(known))
    mark.catch(error => {
      if (error instanceof Unknown && known !== '') doubted ??= { ...batch, digests: known }
    })
    await Promise.all([secrets, mark])
    for (const { payload } of batch.long) pieces.take(payload)
    position = endOf(batch)
    advance(await mark)
  }
  const publishPiece = async (piece: Piece, write: () => Promise<void>) =>
    advance(await store(1, () => publisher.publish(packPiece(keys, pieces, piece)), write))

  return {
    write: (batch: PackedBatch): Promise<void> =>
      publishBatch(batch, digests => local.write({ ...batch, digests })),
    writePiece: (piece: Piece): Promise<void> => publishPiece(piece, () => local.writePiece(piece)),
    async dropPieces(payload: number): Promise<void> {
      const content: Content = { kind: 'drop', facts: { payload }, parts: [] }
      const mark = await store(
        0,
        () => publisher.publish(content),
        () => local.dropPieces(payload),
      )
      const key = pieces.take(payload)?.key
      if (key !== undefined) keys.destroyKey(key)
      advance(mark)
    },
    /** Publishes rows that the local log already has. `begun` gets each record that is made, and resolves when the next may be. */
    async refill(
      { batch, digests, pieces: long }: Refilling,
      begun: (stored: Promise<void>) => Promise<void>,
    ): Promise<void> {
      for (const piece of long) await begun(publishPiece(piece, async () => {}))
      await begun(publishBatch(batch, async () => {}, digests))
    },
    /** Publishes the secrets under these refs. Resolves when the shared log has them and everything begun earlier. */
    putSecrets: (refs: string[]): Promise<void> => publishSecrets(refs).then(stored),
    settled,
    /**
     * The batch that was published without an answer, so that other nodes may have read it; undefined: there is none. The
     * servers surely do not have what was published after it.
     */
    doubted: (): DoubtedBatch | undefined => doubted,
  }
}
export type Owner = ReturnType<typeof createOwner>
