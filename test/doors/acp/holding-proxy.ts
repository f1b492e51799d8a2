// A way to the server on which one request can be held.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Test } from 'tap'

export const holdingProxy = async (t: Test, url: string) => {
  const { hostname, port } = new URL(url)
  const open = new Set<Socket>()
  let wanted: string | undefined
  let pass: (() => void) | undefined
  const server = createServer(near => {
    const far = connect(Number(port), hostname)
    const end = () => {
      near.destroy()
      far.destroy()
    }
    near.on('data', data => {
      if (wanted === undefined || !data.includes(wanted)) return void far.write(data)
      wanted = undefined
      near.pause()
      pass = () => {
        far.write(data)
        near.resume()
      }
    })
    far.pipe(near)
    for (const socket of [near, far]) {
      open.add(socket)
      socket.on('error', end).on('close', end)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    for (const socket of open) socket.destroy()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Holds the next request that contains this text. */
    hold(text: string): void {
      wanted = text
    },
    isHolding: () => pass !== undefined,
    /** Lets the request go on that is held. */
    release: () => pass?.(),
  }
}
