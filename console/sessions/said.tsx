// Something that somebody said, with its speaker.
import type { ComponentChildren } from 'preact'
import type { MessageContent } from '../../src/contract/wire.ts'
import { Content } from '../task/content.tsx'

/** How many speakers have colours of their own (style/views.css). */
const colours = 5

/** `speaker`: the place of the speaker among the others; undefined: the user. */
type Props = { name: string; speaker?: number | undefined; content: MessageContent; note?: ComponentChildren }

export const Said = ({ name, speaker, content, note }: Props) => (
  <article class={speaker === undefined ? 'said by-user' : `said by-agent speaker-${speaker % colours}`}>
    <header>
      {name} {note !== undefined && <small>{note}</small>}
    </header>
    <Content content={content} />
  </article>
)
