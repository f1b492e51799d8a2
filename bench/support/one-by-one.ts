// A client on a socket of its own that sends one request after the other. It uses little CPU itself.
import { once } from 'node:events'
import { connect } from 'node:net'
import { adminToken } from './server.ts'

export type Caller = {
  /** Resolves to the body of the answer; rejects when the status is not 200. */
  post(path: string, body: object): Promise<string>
  close(): void
}

export const createCaller = async (url: string): Promise<Caller> => {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  await once(socket, 'connect')
  let answer: { resolve: (body: string) => void; reject: (error: Error) => void } | undefined
  let read = Buffer.alloc(0)
  const take = () => {
    const end = read.indexOf('\r\n\r\n')
    if (end === -1) return
    const head = read.toString('latin1', 0, end)
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN)
    if (Number.isNaN(length))
      return void answer?.reject(new Error(`the answer has no content-length: ${head}`))
    if (read.length < end + 4 + length) return
    const body = read.toString('utf8', end + 4, end + 4 + length)
    read = read.subarray(end + 4 + length)
    if (/^HTTP\/1.1 200 /.test(head)) answer?.resolve(body)
    else answer?.reject(new Error(`${head.split('\r\n', 1)[0]}: ${body}`))
  }
  socket.on('data', chunk => {
    read = read.length === 0 ? chunk : Buffer.concat([read, chunk])
    take()
  })
  socket.on('error', error => answer?.reject(error))
  return {
    post: (path, body) =>
      new Promise((resolve, reject) => {
        answer = { resolve, reject }
        const text = JSON.stringify(body)
        socket.write(
          `POST ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${adminToken}\r\n` +
            `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
        )
      }),
    close: () => socket.destroy(),
  }
}
