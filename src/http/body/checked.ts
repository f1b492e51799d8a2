// The bodies that the thread has checked by the schemas of their operations. The main thread does not check them again.
import type { Invalid } from '../../contract/refusals.ts'

const checked = new WeakMap<object, { problems: Invalid | undefined }>()

const isObject = (body: unknown): body is object => typeof body === 'object' && body !== null

/** `problems` is undefined when the body fits its schema. */
export const noteChecked = (body: unknown, problems: Invalid | undefined): void => {
  if (isObject(body)) checked.set(body, { problems })
}

/** What the thread found; undefined if it has not checked the body. */
export const checkOf = (body: unknown): { problems: Invalid | undefined } | undefined =>
  isObject(body) ? checked.get(body) : undefined
