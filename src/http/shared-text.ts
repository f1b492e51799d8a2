// The bytes of a list of frames that many connections are handed: made once for all of them, and gone with the list.
import type { Frame } from '../history/frames.ts'
import { isHeavy } from './frame-text.ts'

/** Longer lists are told piece by piece, each connection for itself, characters. */
const sharedAtMost = 64 * 1024

type Made = Buffer | undefined
const made = new WeakMap<readonly Frame[], Map<string, Made>>()

/**
 * What `textOf` makes of each frame, joined. `form` names what else the bytes depend on. Undefined: a frame is heavy, or the
 * whole is long.
 */
export const sharedText = (
  frames: readonly Frame[],
  form: string,
  textOf: (frame: Frame) => string | Buffer,
): Made => {
  const forms = made.get(frames) ?? new Map<string, Made>()
  made.set(frames, forms)
  if (!forms.has(form)) forms.set(form, join(frames, textOf))
  return forms.get(form)
}

const join = (frames: readonly Frame[], textOf: (frame: Frame) => string | Buffer): Made => {
  const parts: Buffer[] = []
  let length = 0
  for (const frame of frames) {
    if (isHeavy(frame)) return undefined
    const text = textOf(frame)
    const part = typeof text === 'string' ? Buffer.from(text) : text
    parts.push(part)
    length += part.length
    if (length > sharedAtMost) return undefined
  }
  return Buffer.concat(parts)
}
