// The status of a task: a word, with a colour and a shape that say the same.
import type { TaskStatus } from '../../src/contract/wire.ts'

const shapes: Record<TaskStatus, string> = {
  created: '○',
  queued: '◔',
  working: '◑',
  'input-required': '?',
  paused: '‖',
  completed: '✓',
  canceled: '⊘',
  expired: '!',
  failed: '✕',
}

export const Status = ({ status }: { status: TaskStatus }) => (
  <span class={`status is-${status}`}>
    <span class="shape" aria-hidden="true">
      {shapes[status]}
    </span>
    {status.replace('-', ' ')}
  </span>
)
