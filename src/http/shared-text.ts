// The bytes of a list of frames, made once for many connections, and kept as long as the list.
import type { Frame } from '../history/frames.ts'
import { isHeavy } from './frame-text.ts'

/** The longest list that is shared, bytes. Longer lists are sent piece by piece, for each connection separately. */
const sharedAtMost = 64 * 1024

type Made = Buffer | undefined
const made = new WeakMap<readonly Frame[], Map<string, Made>>()

/**
 * Joins what `textOf` makes of each frame. `form` names everything else on which the bytes depend. Undefined: a frame
 * is heavy, or the whole is too long.
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
