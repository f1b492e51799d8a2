// Checks that a request of a webhook is genuine, as Standard Webhooks has it.
import { BadSignature } from './errors.ts'
import type { PublicEvent } from './types.ts'

/** The most milliseconds between the time of a request and now. */
const tolerance = 300_000

/** What a webhook sends: an event with its position. */
export type Delivered = {
  /** The position of the event. The same event may come twice: skip what is not higher than the last one. */
  id: string
  type: PublicEvent['type'] | 'WebhookTest'
  timestamp: string
  data: Record<string, unknown>
}

type HeadersLike = Headers | Record<string, string | string[] | undefined>

const headerIn = (headers: HeadersLike, name: string): string => {
  const value = headers instanceof Headers ? headers.get(name) : headers[name]
  if (value === undefined || value === null || value === '')
    throw new BadSignature(`the header ${name} is missing`, {
      hint: 'The webhook needs a secret, and signs its requests then.',
    })
  return String(value)
}

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), char => char.charCodeAt(0))

/** The signature of a version, as bytes; undefined: it has another version, or is no base64. */
const signatureIn = (text: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return text.startsWith('v1,') ? bytesOf(text.slice('v1,'.length)) : undefined
  } catch {
    return undefined
  }
}

/**
 * The event in a request of a webhook. `body`: the text or the bytes as they came. Throws BadSignature when the request is not
 * signed with the secret, or when its time is more than five minutes away.
 */
export const verifyWebhook = async (
  body: string | Uint8Array,
  headers: HeadersLike,
  secret: string,
): Promise<Delivered> => {
  const id = headerIn(headers, 'webhook-id')
  const seconds = headerIn(headers, 'webhook-timestamp')
  if (!(Math.abs(Date.now() - Number(seconds) * 1000) <= tolerance))
    throw new BadSignature('the time of the request is more than five minutes away', {
      hint: 'Check the clock of this machine.',
    })
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', bytesOf(secret.replace(/^whsec_/, '')), hmac, false, [
    'verify',
  ])
  const signed = new TextEncoder().encode(`${id}.${seconds}.${text}`)
  for (const given of headerIn(headers, 'webhook-signature').split(' ')) {
    const signature = signatureIn(given)
    if (signature !== undefined && (await crypto.subtle.verify('HMAC', key, signature, signed)))
      return { id, ...JSON.parse(text) }
  }
  throw new BadSignature('no signature of the request fits the secret', {
    hint: 'Give the body as it came, and the secret of this webhook.',
  })
}
