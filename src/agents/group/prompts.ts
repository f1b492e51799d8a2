// Writes the texts that tell the models in a group chat about the chat.
import type { GroupConfig } from '../../contract/wire.ts'
import { nameOf } from './choice.ts'
import type { NextSpeaker } from './next-speaker.ts'

type Turn = Extract<NextSpeaker, { next: 'turn' | 'moderator' }>

const names = ({ agents }: GroupConfig): string => agents.map(nameOf).join(', ')

/** What a speaker or a moderator is told about the chat. */
export const promptOf = (group: GroupConfig, { next, name }: Turn): string => {
  if (next === 'moderator') return `You moderate a group chat of ${names(group)} and the user.`
  const rule = `You are ${name} in a group chat of ${names(group)} and the user. Say only your own next message.`
  return group.order === 'free' ? `${rule} If you have nothing to say, answer PASS and nothing else.` : rule
}

/** The question to a moderator. */
export const question = (group: GroupConfig): string =>
  `Who speaks next? Answer with one of these names and nothing else: ${names(group)}. Answer END if the chat is over.`
