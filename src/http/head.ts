// The head of an answer, for every way of sending it.
import type { FastifyReply } from 'fastify'
import { everyAnswer } from '../contract/answer-headers.ts'

const values = Object.fromEntries(Object.entries(everyAnswer).map(([name, { value }]) => [name, value]))

/** Headers of every answer, as lines of a head that is written by hand. */
export const everyAnswerLines: readonly string[] = Object.entries(values).map(
  ([name, value]) => `${name}: ${value}`,
)

/** Gives an answer the headers that every answer has. */
export const setHeaders = (reply: FastifyReply): void => void reply.headers(values)

/** The headers that were set on a reply whose head is now written by hand. */
const headersOf = (reply: FastifyReply): Record<string, string> =>
  Object.fromEntries(
    Object.entries(reply.getHeaders()).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    ),
  )

/** Writes the head of an answer that Fastify no longer sends: the headers set on it, and these. */
export const writeHead = (reply: FastifyReply, headers: Record<string, string>): void =>
  void reply.raw.writeHead(200, { ...headersOf(reply), ...headers })
