// A server that answers as a case says, in its order, and breaks connections where the case says so.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import type { Exchange, Reply } from './behaviours.ts'

/** A request. `as`: the one that the case expects. */
export type Asked = { on: string; headers: Record<string, unknown>; body: unknown; as: Exchange | undefined }

const bodyOf = async (request: IncomingMessage): Promise<unknown> => {
  let text = ''
  for await (const piece of request.setEncoding('utf8')) text += piece
  return text === '' ? undefined : JSON.parse(text)
}

/** Starts the server. `asked`: the requests that came. `left`: resolves when no connection is open. */
export const scriptedServer = async (t: Test, exchanges: Exchange[], anyOrder = false) => {
  const asked: Asked[] = []
  let answered = 0
  let tell = () => {}
  const until = async (count: number, response: ServerResponse) => {
    while (answered < count && !response.destroyed) await new Promise<void>(resolve => (tell = resolve))
  }
  const done = () => {
    answered++
    tell()
  }

  const send = async (response: ServerResponse, reply: Reply): Promise<void> => {
    const { status = 200, headers = {}, json, text, stream, cut } = reply
    if (cut === 'before') {
      done()
      return void response.destroy()
    }
    response.on('close', () => tell())
    if (stream !== undefined) {
      response.writeHead(status, { 'content-type': 'text/event-stream', ...headers })
      done()
      for (const piece of stream) {
        if (typeof piece === 'object') await until(piece.until, response)
        else for (const half of halves(piece)) await new Promise(resolve => response.write(half, resolve))
      }
    } else {
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      const body = text ?? (json === undefined ? '' : JSON.stringify(json))
      if (body !== '') await new Promise(resolve => response.write(body, resolve))
      done()
    }
    if (cut === 'after') response.destroy()
    else response.end()
  }

  const server = createServer(async (request, response) => {
    response.on('error', () => {})
    response.shouldKeepAlive = false // so that a connection that stays open is one that the client has left open
    const on = `${request.method} ${request.url}`
    const isFree = (exchange: Exchange) => exchange.on === on && !asked.some(({ as }) => as === exchange)
    const exchange = anyOrder ? exchanges.find(isFree) : exchanges[asked.length]
    const seen = { on, headers: request.headers, body: await bodyOf(request), as: exchange }
    asked.push(seen)
    if (exchange?.on !== on) return void response.writeHead(418).end(`the case has no ${on} here`)
    await send(response, exchange.reply)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const open = () => new Promise<number>(resolve => server.getConnections((_, count) => resolve(count)))
  const left = async () => {
    while ((await open()) > 0) await new Promise(resolve => setTimeout(resolve, 5))
  }
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${port}`, asked, left }
}

/** A piece in two parts, which are cut within a character if it has one of several bytes. */
const halves = (piece: string): Buffer[] => {
  const bytes = Buffer.from(piece)
  const at = bytes.findIndex(byte => byte > 127) + 1
  return at === 0 ? [bytes] : [bytes.subarray(0, at), bytes.subarray(at)]
}
