// A proxy that cuts each connection after some bytes of the answer.

import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'
import type { Test } from 'tap'

/** `bytesOf`: how many bytes of its answer the n-th connection lets through. */
export const breakingProxy = async (t: Test, url: string, bytesOf: (n: number) => number) => {
  const { hostname, port } = new URL(url)
  let count = 0
  let cuts = 0
  const open = new Set<Socket>()
  const server = createServer(near => {
    let left = bytesOf(count++)
    const far = connect(Number(port), hostname)
    const end = () => {
      near.destroy()
      far.destroy()
      open.delete(near)
    }
    open.add(near)
    near.on('data', data => far.write(data))
    far.on('data', data => {
      near.write(data.subarray(0, left), () => {
        if (left > 0) return
        cuts++
        end()
      })
      left -= data.length
    })
    for (const socket of [near, far]) socket.on('error', end).on('close', end)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.close()
    for (const socket of open) socket.destroy()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, cuts: () => cuts }
}
