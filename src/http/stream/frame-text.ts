// Makes the JSON text of a frame of a task, for SSE and for WebSockets.
import { isLongerThan } from '../../contract/json/length.ts'
import { rolloutsIn } from '../../history/frame-renderer.ts'
import type { Frame } from '../../history/frames.ts'
import { arrayOf, joined, jsonText, type Text, wholeAtMost, withoutEnd } from '../../platform/pieces.ts'

async function* textsOf(values: AsyncIterable<object>): AsyncGenerator<Text> {
  for await (const value of values) yield jsonText(value)
}

export const frameText = (frame: Frame): Text => {
  const text = jsonText(frame)
  const rollouts = rolloutsIn(frame)
  if (rollouts === undefined) return text
  return joined(withoutEnd(withoutEnd(text)), ',"rollouts":', arrayOf(textsOf(rollouts())), '}}')
}

/** Whether a frame is long or may be long. Long frames are sent one by one. */
export const isHeavy = (frame: Frame): boolean =>
  rolloutsIn(frame) !== undefined || isLongerThan(frame, wholeAtMost)
