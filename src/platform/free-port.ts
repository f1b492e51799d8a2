import { createServer } from 'node:net'

/** Systems give other ports than these to programs that ask for any port, and to outgoing connections. */
const [first, count] = [20_000, 12_000]
/**
 * So many ports each process tries first that others do not, since their ids differ: between the choice of a port and its use,
 * another process could choose it, too.
 */
const own = 20
let tried = 0

/** Resolves to a free port. It stays free until a program asks for exactly this port. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const place = tried < own ? process.pid * own + tried++ : Math.floor(Math.random() * count)
    const port = first + (place % count)
    const server = createServer()
    const isFree = await new Promise<boolean>(resolve => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!isFree) continue
    await new Promise(resolve => server.close(resolve))
    return port
  }
}
