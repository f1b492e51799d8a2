// Where a node listens.
import { createServer } from 'node:net'
import { checkPort } from '../../http/port.ts'

export type Place = { host: string; port: number; url: string }

/** A port that is free at the moment, for PORT=0: the other nodes need the URL before this node listens. */
const freePort = (host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen({ host, port: 0 }, () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })

/** Rejects with CannotStart when the port is in use. */
export const placeOf = async ({ host, port }: { host: string; port: number }): Promise<Place> => {
  await checkPort(host, port)
  const chosen = port === 0 ? await freePort(host) : port
  return { host, port: chosen, url: `http://${host.includes(':') ? `[${host}]` : host}:${chosen}` }
}
