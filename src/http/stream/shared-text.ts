// Makes the bytes of a list of frames once for many connections. The bytes are kept for as long as the list itself.
import type { Frame } from '../../history/frames.ts'
import { createMemo } from '../../platform/memo.ts'
import { isHeavy } from './frame-text.ts'

/**
 * The length of the longest list whose bytes are shared, in bytes. A longer list is sent piece by piece, for each
 * connection separately.
 */
const sharedAtMost = 64 * 1024

/**
 * Joins the texts that `textOf` makes of the frames. Returns undefined if one frame is heavy, or if all frames together
 * are too long.
 */
const join = (frames: readonly Frame[], textOf: (frame: Frame) => string | Buffer): Buffer | undefined => {
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

/**
 * Returns a function that joins the texts of a list of frames, and returns what `finish` makes of the joined bytes.
 * `form` names everything else on which the bytes depend. The function returns undefined if the list is not shared.
 */
export const createSharedText = <Made>(finish: (bytes: Buffer) => Made) => {
  const made = createMemo<readonly Frame[], Map<string, Made | undefined>>('texts')
  return (
    frames: readonly Frame[],
    form: string,
    textOf: (frame: Frame) => string | Buffer,
  ): Made | undefined => {
    const forms = made.get(frames) ?? new Map<string, Made | undefined>()
    if (forms.size === 0) made.set(frames, forms)
    let known = forms.get(form)
    if (known === undefined && !forms.has(form)) {
      const bytes = join(frames, textOf)
      known = bytes && finish(bytes)
      forms.set(form, known)
    }
    return known
  }
}
