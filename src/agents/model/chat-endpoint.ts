// The endpoint of chat completions that the operator has configured.
import { createHash } from 'node:crypto'
import type { Asked } from '../../chat/request.ts'
import type { Switches } from '../../chat/switches.ts'
import type { Timers } from '../../contract/ports.ts'
import { createChatReader } from './chat-reader.ts'
import { type DialectName, dialectOf, guessedDialect, switchesOf } from './dialects.ts'
import type { ModelEndpoint } from './endpoint.ts'
import { createHttpEndpoint } from './http.ts'
import { createLessons } from './lessons.ts'
import { isAboutBody, learned } from './switches-learned.ts'

/** `dialect`: the operator's choice; undefined: the address and the model tell. `switches`: what the operator sets. */
export type EndpointSettings = {
  baseUrl: string
  apiKey: string | undefined
  model: string
  silenceMs: number
  dialect?: DialectName | undefined
  switches?: Readonly<Partial<Switches>>
}

/** The address of a path below the base URL. A query of the base URL, such as the version of Azure's API, stays. */
export const urlBelow = (baseUrl: string, path: string): string => {
  const url = new URL(baseUrl)
  const base = url.pathname.replace(/\/+$/, '')
  url.pathname = base.endsWith(path) ? base : `${base}${path}`
  url.hash = ''
  return url.href
}

/** An id of the endpoint that does not tell its address to those who read the log. */
export const endpointId = (baseUrl: string): string => {
  const { origin, pathname } = new URL(baseUrl)
  return createHash('sha256')
    .update(`${origin}${pathname.replace(/\/+$/, '')}`)
    .digest('base64url')
    .slice(0, 12)
}

export const createChatEndpoint = (settings: EndpointSettings, timers: Timers): ModelEndpoint => {
  const { baseUrl, apiKey, model, silenceMs, dialect: chosen, switches: own = {} } = settings
  const endpoint = endpointId(baseUrl)
  const dialect = chosen ?? guessedDialect(baseUrl, model)
  const { auth } = dialectOf(dialect)
  const key = auth === 'bearer' ? { authorization: `Bearer ${apiKey}` } : { [auth]: apiKey ?? '' }
  const spokenTo = (name: string): DialectName => chosen ?? guessedDialect(baseUrl, name)
  const lessons = createLessons(name => switchesOf(spokenTo(name)), own, learned)

  const asks = (name: string): Asked => {
    const spoken = spokenTo(name)
    const switches = lessons.switchesOf(name)
    return {
      model: name,
      endpoint,
      ...(spoken === 'plain' ? {} : { dialect: spoken }),
      ...(switches === undefined ? {} : { switches }),
    }
  }

  return {
    model,
    dialect,
    asks,
    answer: createHttpEndpoint(
      {
        url: urlBelow(baseUrl, '/chat/completions'),
        headers: apiKey === undefined ? {} : key,
        secret: apiKey,
        silenceMs,
        createReader: createChatReader,
      },
      timers,
    ),
    learns: (asked, refused) => isAboutBody(refused) && lessons.learns(asked, refused),
  }
}
