// Checks the names of the speakers of a group chat.
import type { Problem } from '../../contract/refusals.ts'
import { chatEnd, chatUser } from '../../contract/wire.ts'
import { problem } from './problem.ts'

type At = (string | number)[]

/** Endpoints of models accept only such names. */
const nameForm = /^[A-Za-z0-9_-]{1,64}$/

/** The problems of the names of speakers, in the order of the list; the moderator comes last. */
export const nameProblems = (named: { name: string; at: At }[]): Problem[] => {
  const seen = new Set<string>()
  return named.flatMap(({ name, at }) => {
    const isSecond = seen.has(name)
    seen.add(name)
    const place = [...at, 'name']
    if (name === '') return [problem(place, 'Field required', 'missing')]
    if (!nameForm.test(name)) return [problem(place, 'A name has 1 to 64 letters, digits, _ or -')]
    if (isSecond) return [problem(place, `Two speakers have the name ${JSON.stringify(name)}`)]
    const isTaken = [chatUser, chatEnd].some(word => word.toLowerCase() === name.toLowerCase())
    return isTaken ? [problem(place, `${JSON.stringify(name)} cannot be the name of a speaker`)] : []
  })
}
