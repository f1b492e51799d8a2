// Makes a frame of a task as JSON text, once for SSE and WebSockets. The text is long if the frame contains the
// rollouts of its task.
import { isLongerThan } from '../contract/length.ts'
import { rolloutsIn } from '../history/frame-renderer.ts'
import type { Frame } from '../history/frames.ts'
import type { Rollout } from '../history/rollout.ts'
import { arrayOf, joined, type Text, wholeAtMost } from '../platform/pieces.ts'

async function* textsOf(rollouts: AsyncIterable<Rollout>): AsyncGenerator<string> {
  for await (const rollout of rollouts) yield JSON.stringify(rollout)
}

export const frameText = (frame: Frame): Text => {
  const text = JSON.stringify(frame)
  const rollouts = rolloutsIn(frame)
  if (rollouts === undefined) return text
  return joined(`${text.slice(0, -2)},"rollouts":`, arrayOf(textsOf(rollouts())), '}}')
}

/** Whether a frame is long or may be long. Long frames are sent one by one. */
export const isHeavy = (frame: Frame): boolean =>
  rolloutsIn(frame) !== undefined || isLongerThan(frame, wholeAtMost)
