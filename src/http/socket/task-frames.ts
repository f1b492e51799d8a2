// Sends the frames of one task as messages. The bytes of a short list are made once for all connections. In a longer
// list, short frames are sent together and each long frame alone, when there is room.
import type { FoldPlace } from '../../bus/feed.ts'
import type { Pause } from '../../fairness/slices.ts'
import type { Frame } from '../../history/frames.ts'
import { isLong, joined, type Text } from '../../platform/pieces.ts'
import { frameText, isHeavy } from '../stream/frame-text.ts'
import { createSharedText } from '../stream/shared-text.ts'
import type { Outbox } from './outbox.ts'
import { textFrame } from './text-frame.ts'

/** The number of bytes at which the short frames collected so far are written. */
const togetherAtMost = 64 * 1024

const messageOf = (frame: Frame): Text => {
  const { type, sequence_number } = frame
  const timestamp = 'timestamp' in frame ? `,"timestamp":${JSON.stringify(frame.timestamp)}` : ''
  const tail = `${timestamp},"id":${sequence_number}}`
  return joined(`{"channel":"task","type":"${type}","data":`, frameText(frame), tail)
}

/** The message of a frame that is not heavy. */
const shortMessage = (frame: Frame): Buffer => textFrame(String(messageOf(frame)))

const sharedText = createSharedText(bytes => bytes)

/**
 * Where the frames of one feed are sent. `isOpen` says whether the client still follows the feed. The feed takes
 * `place` while it reads stored events.
 */
export type FrameTarget = { outbox: Outbox; isOpen: () => boolean; place: FoldPlace; pause: Pause }

/** Writes bytes and waits for room. Resolves with false if the client no longer follows the feed. */
const write = async ({ outbox, isOpen }: FrameTarget, bytes: Buffer): Promise<boolean> => {
  if (!isOpen()) return false
  outbox.write(bytes)
  await outbox.room()
  return isOpen()
}

/** Writes a frame that is or may be long, and holds `place` meanwhile. False: the client no longer follows the feed. */
const writeAlone = async (target: FrameTarget, frame: Frame): Promise<boolean> => {
  const { outbox, isOpen, place, pause } = target
  const isTaken = place.isTaken()
  await place.acquire()
  await pause()
  const text = messageOf(frame)
  if (!isOpen()) return false
  if (isLong(text)) await outbox.tell(text)
  else await write(target, textFrame(text))
  if (!isTaken) place.release()
  return isOpen()
}

const writeInPieces = async (target: FrameTarget, frames: readonly Frame[]): Promise<boolean> => {
  let piece: Buffer[] = []
  let length = 0
  for (const frame of frames) {
    const heavy = isHeavy(frame)
    if (!heavy) {
      const message = shortMessage(frame)
      piece.push(message)
      length += message.length
    }
    if (length > 0 && (heavy || length >= togetherAtMost)) {
      if (!(await write(target, Buffer.concat(piece)))) return false
      await target.pause()
      piece = []
      length = 0
    }
    if (heavy && !(await writeAlone(target, frame))) return false
  }
  return length === 0 || (await write(target, Buffer.concat(piece)))
}

/** Writes frames. Resolves with false if the client no longer follows the feed. */
export const writeFrames = async (target: FrameTarget, frames: readonly Frame[]): Promise<boolean> => {
  const shared = sharedText(frames, 'message', shortMessage)
  return shared === undefined ? writeInPieces(target, frames) : write(target, shared)
}
