// The failures of a model call, and their messages: never with a key, and never longer than a thousand characters.

/**
 * The endpoint refused, and another try will not help or has not helped. `status`: its HTTP status, if that was the
 * reason. `words`: its reason, which may quote the key, so nobody is shown it.
 */
export class ModelRefused extends Error {
  readonly status: number | undefined
  readonly words: string
  constructor(message: string, status?: number, words = message) {
    super(message)
    this.status = status
    this.words = words
  }
}
/** The answer broke off: another try may succeed. */
export class ModelLost extends Error {}

/** The greatest length of a message, in characters. */
const longestMessage = 1000

/** The text without a key, in every spelling in which an endpoint may quote it. */
const withoutKey = (text: string, key: string): string => {
  const encoded = encodeURIComponent(key)
  const small = encoded.replace(/%[0-9A-F]{2}/g, hex => hex.toLowerCase())
  const spellings = [key, encoded, small, encodeURI(key), key.replaceAll('/', '\\/')]
  return spellings.reduce((left, spelling) => left.replaceAll(spelling, '***'), text)
}

/** Makes a text of an endpoint safe to show and to store. */
export type Redact = (text: string) => string
export const redactor =
  (secrets: readonly string[]): Redact =>
  text =>
    secrets.reduce(withoutKey, text).slice(0, longestMessage)

/** Why an endpoint could not be reached. */
export const unreachable = (error: unknown): string => {
  const { cause, message } = error as Error & { cause?: Error }
  const words = cause?.message || message
  return words === 'bad port' ? 'HTTP clients refuse the port in MODEL_BASE_URL (bad port)' : words
}
