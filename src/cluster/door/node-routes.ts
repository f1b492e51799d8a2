// The routes that nodes have for each other, below /cluster/. Only signed requests of other nodes come here.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { World } from '../../contract/ports.ts'
import { notFound, unreadable } from './answers.ts'
import type { Hop } from './hop.ts'
import { type KeyQuestion, type NodeKeys, perLot, writeLot } from './key-lots.ts'
import { openLetter, sealLetter } from './sealed-letter.ts'
import type { Answers, Said } from './send-answer.ts'

export const keysPath = '/cluster/keys'
export const statusPath = '/cluster/status'

/** The texts that bind a sealed question and its sealed answer to one request. */
export const aboutQuestion = (nonce: string): string => `question ${nonce}`
export const aboutAnswer = (nonce: string): string => `answer ${nonce}`

/** The largest size of a question, in bytes. */
const longestQuestion = 1024 * 1024

/** A node that asks for keys. `askedAt`: Unix milliseconds of its newest question. */
export type Standby = { node: string; url: string; askedAt: number }

type Deps = {
  keys: NodeKeys
  /** The key that seals stream keys on their way. */
  key: Uint8Array
  /** What this node says about itself. It is sent as JSON. */
  status(): object
  /** Carries out an order of an operator: a POST to this path, with its query. Undefined: there is no such order. */
  order?(path: string): Promise<Said> | undefined
  /** Called for each node that asks for keys. */
  asked?(node: { node: string; url: string }): void
  answers: Answers
  clock: World['clock']
}

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > longestQuestion) throw new Error('the question is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

export const createNodeRoutes = ({ keys, key, status, order, asked, answers, clock }: Deps) => {
  const standbys = new Map<string, Standby>()

  const answerKeys = async (
    request: IncomingMessage,
    response: ServerResponse,
    nonce: string,
  ): Promise<void> => {
    const question = openLetter(key, aboutQuestion(nonce), await bodyOf(request)) as KeyQuestion
    // A standby that has no key yet counts as present, too.
    for (const [epoch, upTo] of question.have.length > 0 ? question.have : [[0, 0] as const])
      keys.shared(epoch, upTo)
    standbys.set(question.node, { node: question.node, url: question.url, askedAt: clock.now() })
    asked?.(question)
    const lot = writeLot(
      keys.missing(
        question.have.map(([epoch, upTo]) => ({ epoch, upTo })),
        perLot,
      ),
    )
    const letter = sealLetter(key, aboutAnswer(nonce), lot)
    response
      .writeHead(200, { 'content-type': 'application/octet-stream', 'cache-control': 'no-store' })
      .end(letter)
  }
  return {
    /** Other nodes that have asked this one for keys since it started. */
    standbys: (): Standby[] => [...standbys.values()],
    handle(request: IncomingMessage, response: ServerResponse, { nonce }: Hop): void {
      const refuse = (said: Said): void => answers.send(response, said)
      const line = `${request.method} ${request.url}`
      if (line === `GET ${statusPath}`) return void refuse({ status: 200, headers: {}, body: status() })
      const ordered = request.method === 'POST' ? order?.(request.url ?? '') : undefined
      if (ordered !== undefined) return void ordered.then(refuse, () => refuse(unreadable))
      if (line !== `POST ${keysPath}`) return void refuse(notFound)
      answerKeys(request, response, nonce).catch(() => refuse(unreadable))
    },
  }
}
