// What an imitation of a vendor's endpoint is: rules for what it refuses, and traits of what it sends. Both are data, and
// each names its public source.
import type { IncomingHttpHeaders } from 'node:http'
import type { Change } from '../../../src/fake-model/change.ts'
import type { ProtocolName } from '../../../src/fake-model/protocols/protocol.ts'
import type { Fields } from '../../../src/fake-model/question.ts'

/**
 * What the endpoint has sent so far and may want back. `calls`: by the id of the call, with the fields beside its name
 * and the signature of the reasoning before it. `thoughts`: the reasoning by its signature. `sealed`: redacted reasoning.
 */
export type Issued = {
  calls: Map<string, { extra: Fields; signature: string | undefined }>
  thoughts: Map<string, string>
  sealed: Set<string>
}

/** A request: `raw` is its exact body, `body` the parsed one. */
export type Sent = {
  protocol: ProtocolName
  path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
  raw: string
  body: Fields
  issued: Issued
}

/** What is wrong with a request, in the words of the vendor. `more`: fields of the error, such as `param`. */
export type Complaint = string | { message: string; more: Fields }

/**
 * `about`: what is refused, for people. `check` returns undefined if the request is fine. `status`: 400 if absent.
 * `error`: fields of the error, such as `type` and `code`. `protocols`: where the rule holds; absent: in all.
 */
export type Rule = {
  name: string
  about: string
  source: string
  check: (sent: Sent) => Complaint | undefined
  status?: number
  error?: Fields
  protocols?: readonly ProtocolName[]
}

/** Something that this vendor sends and others do not. */
export type Trait = Change & { about: string; source: string }

export type Imitation = {
  title: string
  /** The path of each protocol that the vendor speaks. */
  paths: Partial<Record<ProtocolName, string>>
  /** The end of the base URL that a client is given, with its query. */
  base: string
  /** The name of a model that the endpoint has. */
  model: string
  /** The headers with which a client with the key `key` is let in. */
  headers: Record<string, string>
  rules: readonly Rule[]
  traits: readonly Trait[]
  /** The body of an error. */
  errorBody: (message: string, status: number, error: Fields) => unknown
  /** The id of the n-th call, from 1. */
  callId: (nth: number) => string
}

/** The key that the headers of every imitation have. */
export const key = 'sk-imitation'

/** Ids of calls that look like those of a vendor: a prefix, and letters and digits. */
export const idsLike =
  (prefix: string, length: number) =>
  (nth: number): string =>
    prefix + (nth * 7919).toString(36).padStart(length, 'Kq3Zx8Pw5Rt1Lm6Vb2')

export const bearer = { authorization: `Bearer ${key}` }
export const hasBearer = ({ headers }: Sent): boolean => headers.authorization === bearer.authorization

/** Half of a surrogate pair, as JSON writes it. */
export const hasLoneSurrogate = ({ raw }: Sent): boolean =>
  /\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F][0-9a-fA-F]{2})/.test(raw) ||
  /(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}/.test(raw)
