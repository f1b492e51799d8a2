// Finds the part of a speaker's script that one turn plays.
import type { ScriptStep } from '../../contract/wire.ts'

/**
 * The part of a script that one turn plays. A part ends with a message; after the last part comes the first one again.
 */
export const scriptOfTurn = (script: readonly ScriptStep[], turnsBefore: number): ScriptStep[] => {
  const ends = script.flatMap(({ message }, n) => (message === undefined ? [] : [n + 1]))
  const cuts = [0, ...ends.filter(end => end < script.length), script.length]
  const n = turnsBefore % (cuts.length - 1)
  return script.slice(cuts[n], cuts[n + 1])
}
