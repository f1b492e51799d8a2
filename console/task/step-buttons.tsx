// Buttons that go to the move before, the next move and the next error in the history of a task.
import type { Position } from './position.ts'

export const StepButtons = ({ position }: { position: Position }) => (
  <>
    <button
      type="button"
      aria-label="Move before"
      title="Move before (Shift m)"
      onClick={() => position.nextMove(-1)}
    >
      ⇤
    </button>
    <button type="button" aria-label="Next move" title="Next move (m)" onClick={() => position.nextMove(1)}>
      ⇥
    </button>
    <button type="button" aria-label="Next error" title="Next error (e)" onClick={position.nextTrouble}>
      ✕
    </button>
  </>
)
