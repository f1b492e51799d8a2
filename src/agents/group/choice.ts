// Names the speakers and the moderator of a group chat, and finds the speaker that a moderator's text names.
import type { SpeakerConfig } from '../../contract/wire.ts'

export const nameOf = ({ name }: SpeakerConfig): string => name ?? ''
export const moderatorName = ({ name }: SpeakerConfig): string => name || 'moderator'

/** The name in a moderator's text, without the quotes, dots and other marks that models often put around it. */
export const wordOf = (text: string): string => text.trim().replace(/^[\s"'`*@.:]+|[\s"'`*.:!,]+$/g, '')

/** The speaker that a moderator's text names. Capitals do not matter, unless several names differ only in capitals. */
export const chosen = (agents: SpeakerConfig[], text: string): SpeakerConfig | undefined => {
  const word = wordOf(text)
  const alike = agents.filter(agent => nameOf(agent).toLowerCase() === word.toLowerCase())
  return agents.find(agent => nameOf(agent) === word) ?? (alike.length === 1 ? alike[0] : undefined)
}
