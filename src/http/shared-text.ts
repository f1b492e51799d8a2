// Makes the bytes of a list of frames once for many connections. The bytes are kept for as long as the list itself.
import type { Frame } from '../history/frames.ts'
import { isHeavy } from './frame-text.ts'

/**
 * The length of the longest list whose bytes are shared, in bytes. A longer list is sent piece by piece, for each
 * connection separately.
 */
const sharedAtMost = 64 * 1024

type Made = Buffer | undefined
const made = new WeakMap<readonly Frame[], Map<string, Made>>()

/**
 * Joins the texts that `textOf` makes of the frames. `form` names everything else on which the bytes depend. Returns
 * undefined if one frame is heavy, or if all frames together are too long.
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
