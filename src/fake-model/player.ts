// Answers chat completions from a script, or else plausibly, and keeps what it was asked.
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
 * A chat completion that was asked for: its body to the letter, and as it was understood (undefined: not at all);
 * `closed` resolves when its answer is over, however it ended.
 */
export type Asked = {
  body: string
  request: ChatRequest | undefined
  headers: IncomingHttpHeaders
  closed: Promise<void>
}

/** Throws when the answers are no script. */
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
      const wish = readRequest(body)
      const understood = typeof wish === 'string' ? undefined : wish
      asked.push({ body, request: understood, headers: request.headers, closed })
      const id = `chatcmpl-fake-${asked.length}`
      if (typeof wish === 'string') return sendError(response, { status: 400, message: wish })
      const answer = answerTo(wish)
      if (answer.delay_ms) await sleep(answer.delay_ms, undefined, { signal: gone.signal })
      if (answer.error) return sendError(response, answer.error)
      const { model = wish.model ?? modelName, system_fingerprint } = answer
      const head: Head = {
        id,
        created: Math.floor(Date.now() / 1000),
        model,
        ...(system_fingerprint === undefined ? {} : { system_fingerprint }),
      }
      const pieces = piecesOf(answer, () => `fake_call_${++calls}`)
      if (wish.stream || answer.chunks !== undefined) {
        return sendStream(response, chunksOf(answer, wish, head, pieces), answer, gone.signal)
      }
      return sendJson(response, completionOf(answer, wish, head, pieces), answer)
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
