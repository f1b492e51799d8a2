// Serves a witness over HTTP.
import { hash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Report } from '../../contract/ports.ts'
import { sizeType } from './request.ts'
import type { Answer, Witness } from './witness.ts'

/** A request may have at most this many bytes: a proof has at most 63 hashes, and a checkpoint has few signatures. */
const mostBytes = 64 * 1024

const bodyOf = async (request: IncomingMessage): Promise<string | undefined> => {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length
    if (bytes > mostBytes) return undefined
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

/** `origins`: the names of the logs that the witness knows. */
export const serveWitness = (witness: Witness, origins: readonly string[], report: Report): Server => {
  const byHash = new Map(origins.map(origin => [hash('sha256', origin, 'hex'), origin]))

  const answerOf = async (request: IncomingMessage): Promise<Answer> => {
    const { method, url = '' } = request
    if (method === 'POST' && url === '/add-checkpoint') {
      const body = await bodyOf(request)
      return body === undefined ? { status: 413, text: 'the request is too long\n' } : witness.add(body)
    }
    const [, hashed = ''] = /^\/([0-9a-f]{64})\/checkpoint$/.exec(url) ?? []
    const origin = method === 'GET' ? byHash.get(hashed) : undefined
    const note = origin === undefined ? undefined : witness.newest(origin)
    return note === undefined ? { status: 404, text: 'nothing is here\n' } : { status: 200, text: note }
  }
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { status, text, isSize } = await answerOf(request).catch((error): Answer => {
      report('error', 'the witness cannot store its state, so it signs nothing', { error: String(error) })
      return { status: 500, text: 'the witness cannot store its state\n' }
    })
    response.writeHead(status, { 'content-type': isSize ? sizeType : 'text/plain; charset=utf-8' })
    response.end(text)
  }
  return createServer((request, response) => void answer(request, response))
}
