// Checks in a webhook what a schema cannot express.
import { isResponseEnd } from '../contract/openai/response-ends.ts'
import type { Problem } from '../contract/refusals.ts'

const problem = (loc: (string | number)[], msg: string): Problem => ({
  loc: ['body', ...loc],
  msg,
  type: 'value_error',
})

/** The most headers of a webhook, and the most characters of all their names and values together. */
const maxHeaders = 32
const maxCharacters = 8192
/** Headers that the server sets itself, or that belong to the connection. */
const ours =
  /^(?:host|webhook-.*|content-.*|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|proxy-.*|user-agent)$/i
const isName = (name: string): boolean => /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,128}$/.test(name)
/** Printable ASCII. A line break would make another header. */
const isValue = (value: string): boolean => /^[\x20-\x7e\t]*$/.test(value)

const isUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return /^https?:$/.test(protocol) && username === '' && password === ''
}

const headerProblem = (name: string, value: string): Problem | undefined => {
  if (!isName(name)) return problem(['headers', name], 'This cannot be the name of a header')
  if (ours.test(name)) return problem(['headers', name], 'The service sets this header itself')
  return isValue(value) ? undefined : problem(['headers', name], 'This cannot be sent as a header')
}

const headerProblems = (headers: Record<string, string>): Problem[] => {
  const entries = Object.entries(headers)
  const chars = entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0)
  if (entries.length > maxHeaders || chars > maxCharacters)
    return [problem(['headers'], `At most ${maxHeaders} headers with ${maxCharacters} characters in total`)]
  const lower = entries.map(([name]) => name.toLowerCase())
  return entries.flatMap(([name, value], index) => {
    const isTwice = lower.indexOf(lower[index] ?? '') !== index
    return (
      headerProblem(name, value) ?? (isTwice ? problem(['headers', name], 'This header is given twice') : [])
    )
  })
}

/** `at`: the path of the webhook in the body. */
export const typesProblems = (types: readonly string[] | null | undefined, ...at: string[]): Problem[] => {
  const ofOpenAi = (types ?? []).filter(isResponseEnd).length
  if (ofOpenAi === 0 || ofOpenAi === types?.length) return []
  return [
    problem([...at, 'types'], 'A webhook sends either events of OpenAI (response.…) or others: make two'),
  ]
}

type Given = {
  url?: string | null | undefined
  types?: readonly string[] | null | undefined
  headers?: Record<string, string> | null | undefined
}

/** Whether the server never sends a request to this URL. */
export type IsRefused = (url: string) => boolean

/** `at`: the path of the webhook in the body. */
export const urlProblems = (url: unknown, isRefused: IsRefused, ...at: string[]): Problem[] => {
  if (typeof url !== 'string') return []
  if (!isUrl(url)) return [problem([...at, 'url'], 'An http or https URL without a user name is needed')]
  if (!isRefused(url)) return []
  const msg = 'This address is not public; the operator can allow such addresses with ALLOW_PRIVATE_URLS=1'
  return [problem([...at, 'url'], msg)]
}

export const webhookProblems = ({ url, types, headers }: Given, isRefused: IsRefused): Problem[] => [
  ...(url === null ? [problem(['url'], 'A webhook needs a URL')] : urlProblems(url, isRefused)),
  ...typesProblems(types),
  ...(headers ? headerProblems(headers) : []),
]
