// A state in one word, in the colours of the statuses of tasks.
import type { ComponentChildren } from 'preact'

/** `as`: the word gets the colours of this status of a task. */
type Props = {
  as: 'working' | 'completed' | 'paused' | 'failed' | 'canceled'
  shape?: string
  children: ComponentChildren
}
const shapes = { working: '◑', completed: '✓', paused: '‖', failed: '✕', canceled: '⊘' }

export const Word = ({ as, shape = shapes[as], children }: Props) => (
  <span class={`status is-${as}`}>
    <span class="shape" aria-hidden="true">
      {shape}
    </span>
    {children}
  </span>
)
