// Checks a whole log, stream by stream: the hashes of every event, the order of positions and revisions, and the number
// of frames that each event of a task gives.
import { taskEvents } from '../../contract/decoders/task.ts'
import { DamagedEvent } from '../../contract/stored.ts'
import { isTaskStream } from '../../contract/task-stream.ts'
import { renderFrames } from '../../history/frames.ts'
import { emptyShown } from '../../history/task-view.ts'
import type { ReadOnlyLog } from '../../log/read-only.ts'
import { yieldToLoop } from '../../platform/loop.ts'

/** Damage in the log. `position`: of the damaged event; undefined when it cannot be said which event is damaged. */
export type Damage = { position: number | undefined; reason: string }

/** `erased_streams`: how many streams have erased events, of which only headers are checked. `tasks` omits them. */
export type Checked = {
  position: number
  streams: number
  tasks: number
  events: number
  frames: number
  erased_streams: number
}

/** After this many events, the progress is reported and the event loop takes a turn. */
const breathEvents = 1000

const damageOf = (error: unknown, position: number | undefined): Damage => ({
  position: error instanceof DamagedEvent ? error.position : position,
  reason: error instanceof Error ? error.message : String(error),
})

/** Calls `onDamage` for the first damage of each stream. Events that are appended meanwhile are checked, too. */
export const checkLog = async (
  log: ReadOnlyLog,
  onDamage: (damage: Damage) => void,
  onProgress: (events: number, total: number) => void,
): Promise<Checked> => {
  const position = log.head()
  const checked: Checked = { position, streams: 0, tasks: 0, events: 0, frames: 0, erased_streams: 0 }
  let breathAt = breathEvents

  const checkStream = async (stream: string): Promise<void> => {
    const view = isTaskStream(stream) ? emptyShown() : undefined
    let at: number | undefined
    let isErased = false
    try {
      for await (const page of log.readStream(stream)) {
        for (const event of page) {
          if (event.position <= (at ?? 0))
            throw new DamagedEvent(
              event.position,
              'has a lower position than the event before it in its stream',
            )
          at = event.position
          checked.events++
          isErased ||= event.erased_by !== undefined
          if (view !== undefined && !isErased)
            checked.frames += renderFrames(view, taskEvents.read(event)).length
        }
        if (checked.events < breathAt) continue
        breathAt = checked.events + breathEvents
        onProgress(Math.min(checked.events, position), position)
        await yieldToLoop() // lets signal handlers run
      }
      checked.streams++
      if (isErased) checked.erased_streams++
      else if (view !== undefined) checked.tasks++
    } catch (error) {
      onDamage(damageOf(error, at))
    }
  }

  try {
    for await (const stream of log.streams()) await checkStream(stream)
    const missing = await log.firstHole(position)
    if (missing !== undefined) onDamage(damageOf(new DamagedEvent(missing, 'is missing'), missing))
  } catch (error) {
    onDamage(damageOf(error, undefined))
  }
  return checked
}
