// Sends each new checkpoint to the witnesses, and adds their signatures to it. Nothing waits for a witness: a witness
// that is away or slow misses checkpoints, and its next checkpoint covers all events of the missed ones.
import type { Signer, Stored } from '../signer.ts'
import { type CourierDeps, createWitnessCourier } from './courier.ts'

type Deps = Omit<CourierDeps, 'stopping' | 'signer'> & {
  urls: readonly string[]
  signer: Pick<Signer, 'cosigned' | 'onNew'>
}

export const createWitnesses = ({ urls, ...deps }: Deps) => {
  const stopping = new AbortController()
  const couriers = urls.map(url => createWitnessCourier(url, { ...deps, stopping: stopping.signal }))
  const take = (checkpoint: Stored) => {
    for (const courier of couriers) courier.take(checkpoint)
  }
  deps.signer.onNew(take)
  return {
    /** Sends the newest checkpoint of an earlier run, since no new checkpoint is made until an event comes. */
    begin: take,
    /** For metrics: the size of the newest checkpoint that each witness has signed since the start. */
    counts: () => couriers.map(courier => courier.counts()),
    async stop(): Promise<void> {
      stopping.abort()
      await Promise.all(couriers.map(courier => courier.done()))
    },
  }
}
