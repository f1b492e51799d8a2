// Decides whose turn comes next in a group chat, from the turns so far. Pure, so a crash does not change the next turn.
import type { TakenTurn } from '../../contract/agent.ts'
import { chatEnd, type GroupConfig, type SpeakerConfig } from '../../contract/wire.ts'
import { chosen, moderatorName, nameOf, wordOf } from './choice.ts'

/** A chat whose request names no limit ends after this many rounds. */
const defaultRounds = 10

export type NextSpeaker =
  | { next: 'turn'; speaker: SpeakerConfig; name: string; round: number }
  | { next: 'moderator'; moderator: SpeakerConfig; name: string; round: number }
  | { next: 'end' }
  | { next: 'fail'; why: string }

const turnOf = (speaker: SpeakerConfig, round: number): NextSpeaker => ({
  next: 'turn',
  speaker,
  name: nameOf(speaker),
  round,
})

/** The next turn when the speakers take turns in the order of the list. A round in which nobody spoke is the last. */
const inOrder = ({ agents }: GroupConfig, maxRounds: number, turns: readonly TakenTurn[]): NextSpeaker => {
  const round = Math.floor(turns.length / agents.length) + 1
  const isNewRound = turns.length % agents.length === 0
  const isSilent = turns.length > 0 && isNewRound && !turns.slice(-agents.length).some(({ said }) => said)
  const speaker = agents[turns.length % agents.length]
  return round > maxRounds || isSilent || speaker === undefined ? { next: 'end' } : turnOf(speaker, round)
}

const byModerator = (
  { agents, moderator, on_failure }: GroupConfig,
  maxRounds: number,
  turns: readonly TakenTurn[],
): NextSpeaker => {
  if (!moderator) return { next: 'fail', why: 'the group chat has no moderator' }
  const name = moderatorName(moderator)
  const last = turns.at(-1)
  if (last?.isModerator && last.failed === undefined) {
    if (wordOf(last.text).toUpperCase() === chatEnd) return { next: 'end' }
    const speaker = chosen(agents, last.text)
    if (speaker !== undefined) return turnOf(speaker, last.round)
    const said = JSON.stringify(last.text.slice(0, 100))
    if (on_failure === 'fail') return { next: 'fail', why: `${name} chose ${said}, which names no speaker` }
  }
  const round = turns.filter(({ isModerator }) => isModerator).length + 1
  return round > maxRounds ? { next: 'end' } : { next: 'moderator', moderator, name, round }
}

export const nextSpeaker = (group: GroupConfig, turns: readonly TakenTurn[]): NextSpeaker => {
  const { order, on_failure, stop_words } = group
  const last = turns.at(-1)
  if (last?.failed !== undefined && on_failure === 'fail') {
    return { next: 'fail', why: `the turn of ${last.name} failed: ${last.failed}` }
  }
  const isStop = ({ said, text }: TakenTurn) => said && stop_words?.some(word => text.includes(word))
  if (turns.some(isStop)) return { next: 'end' }
  const maxRounds = group.max_rounds ?? defaultRounds
  return order === 'moderator' ? byModerator(group, maxRounds, turns) : inOrder(group, maxRounds, turns)
}
