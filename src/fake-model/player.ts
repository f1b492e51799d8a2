// Answers requests for chat completions from a script or, without a script, with plausible answers. It records the
// requests.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer } from './answer.ts'
import { problemsOfScript } from './check.ts'
import { chunksOf, completionOf, type Head, modelName } from './completion.ts'
import { piecesOf } from './pieces.ts'
import { readBody } from './read-body.ts'
import { type ChatRequest, readRequest } from './request.ts'
import { playScript } from './script.ts'
import { sendError, sendJson, sendStream } from './send.ts'

/**
 * A received request: its exact body, and the parsed request (undefined if it is invalid). `closed` resolves when the
 * answer has ended in any way.
 */
export type Asked = {
  body: string
  request: ChatRequest | undefined
  headers: IncomingHttpHeaders
  closed: Promise<void>
}

/** Throws an error with all problems if the answers are no valid script. */
export const createPlayer = (answers: Answer[] | undefined) => {
  const problems = answers === undefined ? [] : problemsOfScript(answers)
  if (problems.length > 0) throw new Error(problems.join('; '))
  const asked: Asked[] = []
  let answerTo = playScript(answers)
  let calls = 0

  return {
    asked,
    async complete(request: IncomingMessage, response: ServerResponse) {
      const gone = new AbortController()
      const closed = new Promise<void>(resolve => response.once('close', resolve)).then(() => gone.abort())
      const body = await readBody(request)
      const read = readRequest(body)
      const understood = typeof read === 'string' ? undefined : read
      asked.push({ body, request: understood, headers: request.headers, closed })
      const id = `chatcmpl-fake-${asked.length}`
      if (typeof read === 'string') return sendError(response, { status: 400, message: read })
      const answer = answerTo(read)
      if (answer.delay_ms) await sleep(answer.delay_ms, undefined, { signal: gone.signal })
      if (answer.error) return sendError(response, answer.error)
      const { model = read.model ?? modelName, system_fingerprint } = answer
      const head: Head = {
        id,
        created: Math.floor(Date.now() / 1000),
        model,
        ...(system_fingerprint === undefined ? {} : { system_fingerprint }),
      }
      const pieces = piecesOf(answer, () => `fake_call_${++calls}`)
      if (read.stream || answer.chunks !== undefined) {
        return sendStream(response, chunksOf(answer, read, head, pieces), answer, gone.signal)
      }
      return sendJson(response, completionOf(answer, read, head, pieces), answer)
    },
    async replaceScript(request: IncomingMessage, response: ServerResponse) {
      let script: unknown
      try {
        script = JSON.parse(await readBody(request))
      } catch (error) {
        const message = `the script is no JSON: ${(error as Error).message}`
        return sendError(response, { status: 400, message })
      }
      const problems = problemsOfScript(script)
      if (problems.length > 0) return sendError(response, { status: 400, message: problems.join('; ') })
      answerTo = playScript(script as Answer[])
      sendJson(response, { answers: (script as Answer[]).length })
    },
  }
}
