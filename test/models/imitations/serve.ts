// Serves a strict imitation of a vendor's endpoint, for tests of clients:
//
//   const endpoint = await serveImitation(t, 'mistral', [{ text: 'hello' }])
//   endpoint.url       the base URL to give to a client, with the path and the query that the vendor has. A client adds
//                      /chat/completions, /messages or /responses to the path
//   endpoint.model     the name of a model that the endpoint has
//   endpoint.headers   the headers that let a client in; all of them hold the key `key` of imitation.ts
//   endpoint.requests  what was asked: {path, headers, raw, body, refusal?}, in order
//   endpoint.refusals  what was refused: {rule, source, message, status}. A client is right when this is empty
//
// The script is one of the fake model (docs/fake-model.md), so an answer may name faults; without a script the answers
// are plausible. Each request is checked by the rules of the vendor in their order, and the first complaint is sent in
// the vendor's form. What the endpoint sends has the traits of the vendor. rules.md lists both, with their sources.
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import type { Answer } from '../../../src/fake-model/answer.ts'
import type { Change } from '../../../src/fake-model/change.ts'
import { createPlayer } from '../../../src/fake-model/player.ts'
import type { Protocol } from '../../../src/fake-model/protocols/protocol.ts'
import { protocols } from '../../../src/fake-model/protocols/protocols.ts'
import { type Fields, fieldsOf } from '../../../src/fake-model/question.ts'
import { sendJson, sendReply } from '../../../src/fake-model/send.ts'
import { readBody } from '../../../src/fake-model/server.ts'
import { type ImitationName, imitations } from './all.ts'
import type { Imitation, Issued, Rule, Sent } from './imitation.ts'

export type Refused = { rule: string; source: string; message: string; status: number }
export type Request = {
  path: string
  headers: IncomingHttpHeaders
  raw: string
  body: Fields
  refusal?: Refused
}

/** Remembers what is sent and may be wanted back. */
const remembering = (issued: Issued): Change => ({
  pieces: function* (pieces) {
    let thought = ''
    let signature: string | undefined
    for (const piece of pieces) {
      if (piece.kind === 'reasoning') thought += piece.text
      if (piece.kind === 'signature') issued.thoughts.set(piece.text, thought)
      if (piece.kind === 'signature') signature = piece.text
      if (piece.kind === 'redacted') issued.sealed.add(piece.text)
      if (piece.kind === 'call') issued.calls.set(piece.id, { extra: piece.extra, signature })
      yield piece
    }
  },
})

const parsed = (raw: string): Fields | undefined => {
  try {
    return fieldsOf(JSON.parse(raw))
  } catch {
    return undefined
  }
}

type Verdict = { refused: Refused; body: unknown }
const refuse = (
  imitation: Imitation,
  rule: Rule,
  complaint: NonNullable<ReturnType<Rule['check']>>,
): Verdict => {
  const { name, source, status = 400, error = {} } = rule
  const { message, more } = typeof complaint === 'string' ? { message: complaint, more: {} } : complaint
  return {
    refused: { rule: name, source, message, status },
    body: imitation.errorBody(message, status, { ...error, ...more }),
  }
}
const verdictOn = (imitation: Imitation, sent: Sent): Verdict | undefined => {
  for (const rule of imitation.rules) {
    if (!(rule.protocols ?? [sent.protocol]).includes(sent.protocol)) continue
    const complaint = rule.check(sent)
    if (complaint !== undefined) return refuse(imitation, rule, complaint)
  }
  return undefined
}

const protocolAt = (imitation: Imitation, path: string): Protocol | undefined =>
  protocols.find(({ name }) => imitation.paths[name] === path)

/** Starts an imitation that ends with the test. */
export const serveImitation = async (t: Test, name: ImitationName, script?: Answer[]) => {
  const imitation = imitations[name]
  const issued: Issued = { calls: new Map(), thoughts: new Map(), sealed: new Set() }
  let calls = 0
  const player = createPlayer({
    ...(script === undefined ? {} : { answers: script }),
    changes: [...imitation.traits, remembering(issued)],
    newCallId: () => imitation.callId(++calls),
  })
  const requests: Request[] = []
  const refusals: Refused[] = []

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    const raw = await readBody(request)
    const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://imitation')
    const body = parsed(raw) ?? {}
    const { headers } = request
    const asked: Request = { path: request.url ?? '', headers, raw, body }
    requests.push(asked)
    const refusing = (refused: Refused, told: unknown) => {
      asked.refusal = refused
      refusals.push(refused)
      sendJson(response, told, { status: refused.status })
    }
    const own = protocolAt(imitation, path)
    const wrong = (message: string, status: number) =>
      refusing(
        { rule: 'protocol', source: 'the imitation itself', message, status },
        imitation.errorBody(message, status, {}),
      )
    if (own === undefined) return wrong(`there is nothing at ${path}`, 404)
    const verdict = verdictOn(imitation, { protocol: own.name, path, query, headers, raw, body, issued })
    if (verdict !== undefined) return refusing(verdict.refused, verdict.body)
    const protocol: Protocol = {
      ...own,
      error: (status, message) => imitation.errorBody(message, status, {}) as Fields,
    }
    const question = own.read(body)
    if (typeof question === 'string') return wrong(question, 400)
    const reply = player.reply({ protocol, question, number: requests.length, wanted: [] })
    if (typeof reply === 'string') return wrong(reply, 400)
    await sendReply(response, reply, gone.signal)
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { model, headers } = imitation
  return { url: `${origin}${imitation.base}`, origin, model, headers, requests, refusals }
}
