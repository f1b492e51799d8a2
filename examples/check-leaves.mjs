#!/usr/bin/env node
// Checks the log of a Reprise server without any code of Reprise. It reads the events as lines of JSON, computes the digest
// of every payload and the leaf of every header again, and checks that no event is missing. It prints one line. Exit codes:
// 0, the log is correct; 1, the log is not correct, and the line contains the first difference and its position; 2, wrong
// usage; 3, the program cannot read the file or reach the server.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { isDeepStrictEqual, parseArgs } from 'node:util'

const usage = `usage: node check-leaves.mjs [options] [FILE or URL]

FILE  lines of GET /v1/audit/events with Accept: application/x-ndjson (default: standard input)
URL   address of the server, such as http://127.0.0.1:8080; the environment variable TOKEN holds the token

--after N      the lines begin after this position
--stream NAME  the lines are the events of this stream only
--some         the lines are the events of some streams, such as those that a token of one user may see`

class Difference extends Error {}
class Unreachable extends Error {}

const parsed = text => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
const sha256 = text => createHash('sha256').update(text, 'utf8').digest('base64url')

/** Fields of a line that must equal those of its header. */
const repeated = [
  'stream',
  'revision',
  'type',
  'schema_version',
  'time',
  'principal',
  'correlation_id',
  'causation_id',
]

/** Says what is wrong with one event, without comparing it with others; undefined: the event is correct. */
const flawOf = event => {
  const { header, payload, salt, leaf_hash: leaf } = event
  for (const text of [header, payload, salt, leaf]) {
    if (typeof text !== 'string') return 'lacks its header, payload, salt or leaf'
  }
  if (sha256(`\0${header}`) !== leaf) return 'has a header that does not fit its leaf'
  const [said, contents] = [parsed(header), parsed(payload)]
  if (said === undefined || contents === undefined) return 'has a header or a payload that is not JSON'
  if (sha256(salt + payload) !== said.digest) return 'has a payload that does not fit its digest'
  const other = repeated.find(name => event[name] !== said[name])
  if (other !== undefined) return `has another ${other} than its header`
  if (!isDeepStrictEqual(event.data, contents)) return 'has other data than its payload'
}

/** Checks events one after another. Throws Difference at the first event that is wrong. */
const createCheck = ({ after, stream, some }) => {
  const revisions = new Map()
  let [count, position, time, leaf] = [0, after, '', '']
  return {
    take(event) {
      const at = Number.isSafeInteger(event?.position)
        ? `position ${event.position}`
        : `after position ${position}`
      const differs = why => {
        throw new Difference(`${at}: ${why}`)
      }
      if (!Number.isSafeInteger(event?.position)) differs('this line is not an event')
      if (event.position <= position) differs(`it comes after position ${position}`)
      if (!some && stream === undefined && event.position !== position + 1) {
        differs(`position ${position + 1} is missing`)
      }
      const flaw = flawOf(event)
      if (flaw !== undefined) differs(`it ${flaw}`)
      if (stream !== undefined && event.stream !== stream) differs(`it is of the stream ${event.stream}`)
      // If the lines begin in the middle of the log, any revision may be the first of its stream.
      const expected = revisions.has(event.stream)
        ? revisions.get(event.stream) + 1
        : after > 0
          ? event.revision
          : 0
      if (event.revision !== expected) differs(`revision ${expected} of ${event.stream} is missing`)
      if (event.time < time) differs('its time is earlier than that of the event before it')
      revisions.set(event.stream, event.revision)
      count++
      ;({ position, time, leaf_hash: leaf } = event)
    },
    position: () => position,
    verdict() {
      if (count === 0) throw new Difference('no event was read')
      const streams = `${revisions.size} stream${revisions.size === 1 ? '' : 's'}`
      return `ok: ${count} events of ${streams}, up to position ${position}, where the leaf is ${leaf}`
    },
  }
}

/** Yields the lines of a text. Only a line feed ends a line. */
async function* linesOf(chunks) {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop()
    yield* lines
  }
  rest += decoder.decode()
  if (rest !== '') yield rest
}

const ask = async (source, { after, stream }) => {
  const url = new URL(source)
  if (url.pathname === '/') url.pathname = '/v1/audit/events'
  if (after > 0) url.searchParams.set('after', String(after))
  if (stream !== undefined) url.searchParams.set('stream', stream)
  const headers = { accept: 'application/x-ndjson', authorization: `Bearer ${process.env.TOKEN ?? ''}` }
  const response = await fetch(url, { headers }).catch(error => {
    throw new Unreachable(`${url.origin} cannot be reached: ${error.cause?.message ?? error.message}`)
  })
  if (response.ok) return response.body
  const text = await response.text()
  const position = /"position":(\d+)/.exec(text)?.[1]
  if (response.status === 503 && position !== undefined) {
    throw new Difference(`position ${position}: the server cannot read it`)
  }
  throw new Unreachable(`${url.origin} answered ${response.status}: ${text}`)
}

const check = async (source, options) => {
  const checking = createCheck(options)
  const fromServer = /^https?:/.test(source)
  const bytes = fromServer
    ? await ask(source, options)
    : source === '-'
      ? process.stdin
      : createReadStream(source)
  try {
    for await (const line of linesOf(bytes)) checking.take(parsed(line))
  } catch (error) {
    if (error instanceof Difference) throw error
    if (error.syscall !== undefined && !fromServer) throw new Unreachable(error.message)
    const why = fromServer ? 'the answer breaks off' : error.message
    throw new Difference(`after position ${checking.position()}: ${why}`)
  }
  return checking.verdict()
}

const options = { after: { type: 'string' }, stream: { type: 'string' }, some: { type: 'boolean' } }
const argumentsOf = () => {
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  if (positionals.length > 1 || !/^\d{1,15}$/.test(values.after ?? '0'))
    throw new Error('give one FILE or URL, and a position with at most 15 digits for --after')
  return [
    positionals[0] ?? '-',
    { after: Number(values.after ?? 0), stream: values.stream, some: values.some },
  ]
}

try {
  const given = argumentsOf()
  try {
    console.log(await check(...given))
  } catch (error) {
    if (error instanceof Difference) console.log(error.message)
    else console.error(error.message)
    process.exitCode = error instanceof Difference ? 1 : 3
  }
} catch (error) {
  console.error(`${error.message}\n\n${usage}`)
  process.exitCode = 2
}
