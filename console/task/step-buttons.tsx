// Buttons that go to the move before, the next move and the next error in the history of a task.
import type { Position } from './position.ts'

type Step = { label: string; title: string; go: () => void }

/** Two buttons with the word for what they move by between them. */
export const StepPair = ({ what, before, next }: { what: string; before: Step; next: Step }) => (
  <span class="step-pair">
    <button type="button" aria-label={before.label} title={before.title} onClick={before.go}>
      ←
    </button>
    <span aria-hidden="true">{what}</span>
    <button type="button" aria-label={next.label} title={next.title} onClick={next.go}>
      →
    </button>
  </span>
)

export const StepButtons = ({ position }: { position: Position }) => (
  <>
    <StepPair
      what="move"
      before={{
        label: 'Move before',
        title: 'To the status before (Shift m)',
        go: () => position.nextMove(-1),
      }}
      next={{ label: 'Next move', title: 'To the next status (m)', go: () => position.nextMove(1) }}
    />
    <button type="button" title="To the next error (e)" onClick={position.nextTrouble}>
      Next error
    </button>
  </>
)
