// Runs one agent step. The step reports its output as it comes, and reports its end after its calls are planned and
// its answer is checked. The reports go to the mailbox of the actor, as the commands of any caller do. A step never
// rejects.
import type { Agent, StepEnd } from '../../../src/contract/agent.ts'
import type { Clock, Ids, Timers } from '../../../src/contract/ports.ts'
import { Refusal } from '../../../src/contract/refusals.ts'
import { StorageFailure } from '../../../src/contract/stored.ts'
import type { OddTool } from '../../../src/contract/wire.ts'
import { createRecorder, type Recorder } from './recorder.ts'
import { conclude, failedWith, isWhole, notRecorded, withIds } from './step-end.ts'
import type { StepGiven } from './step-given.ts'
import { createStop, type Stop } from './step-stop.ts'
import { createStepWriter, type StepReport } from './step-writer.ts'
import type { WritePace } from './write-pace.ts'

export type RunningStep = {
  effectId: string
  agentStep: number
  abort(): void
  /** Resolves when the agent has stopped, whatever it did. */
  settled: Promise<void>
}

/** When this many characters of output wait for the write under way, the agent waits, too. */
const heldCharacters = 64 * 1024

/** Reads the output of an agent's step until it ends; undefined: the step was stopped. */
const listen = async (
  agent: Agent,
  given: StepGiven,
  recorder: Recorder,
  writer: ReturnType<typeof createStepWriter>,
  stop: Stop,
): Promise<StepEnd | undefined> => {
  const turn = given.turn()
  if (turn !== undefined) await turn
  if (stop.aborted()) return undefined
  let odd: OddTool[] = []
  const said = agent.step({
    ...given,
    env: given.env(),
    async tools() {
      const offered = await given.tools(stop.signal())
      odd = offered.odd
      return offered.tools
    },
    signal: stop.signal,
  })
  for (;;) {
    const { done, value } = await said.next()
    if (stop.aborted()) {
      void said.return({ end: 'continue' }).catch(() => {})
      return undefined
    }
    if (done === true) return value
    if (value.say === 'tools') {
      const { tools } = value
      const hasTools = tools.length + odd.length > 0 || given.offered.stream !== undefined
      if (hasTools) recorder.offer(await given.listOf(tools), odd)
      continue
    }
    recorder.hear(value)
    const characters = recorder.characters()
    if (characters >= heldCharacters) await writer.written()
    writer.schedule(characters, value.say === 'delta' || value.say === 'call-delta')
  }
}

/** Runs one agent step. `report` stores its output and rejects when it cannot be stored. */
export const runStep = (
  agent: Agent,
  given: StepGiven,
  report: (report: StepReport) => Promise<void>,
  world: { clock: Clock; timers: Timers; ids: Ids; pace: WritePace },
): RunningStep => {
  const { effectId, agentStep, offered } = given
  const { ids } = world
  const stop = createStop()
  const recorder = createRecorder(agentStep, ids, offered)
  const writer = createStepWriter(recorder, stop, report, world)

  const conclusion = async () => {
    try {
      const end = await listen(agent, given, recorder, writer, stop)
      return end === undefined ? undefined : await conclude(agent, given, recorder, stop, end)
    } catch (error) {
      return failedWith(error)
    }
  }
  const play = async (): Promise<void> => {
    // The log shows that a slow step has begun, even if the step has no output yet.
    writer.writeLater()
    const concluded = await conclusion()
    if (concluded === undefined) return
    const { end, calls } = concluded
    writer.end()
    if (isWhole(end)) recorder.close()
    await writer.written()
    await writer.write(withIds(end, recorder, ids), calls).catch(async error => {
      if (error instanceof Refusal || error instanceof StorageFailure) throw error
      // A report that is rejected is a bug, of ours or of the agent. The step fails, so that its task does not wait
      // forever.
      await writer.write(notRecorded)
      throw error
    })
  }

  const settled = play()
    .catch(() => {})
    .finally(writer.end)
  return { effectId, agentStep, abort: stop.abort, settled }
}
