// Buttons that move the position by events, moves and errors.
import type { Position } from './position.ts'

export const StepButtons = ({ position }: { position: Position }) => (
  <fieldset class="steps">
    <legend class="unseen">Move by events</legend>
    <button
      type="button"
      aria-label="Move before"
      title="Move before (Shift m)"
      onClick={() => position.nextMove(-1)}
    >
      ⇤
    </button>
    <button
      type="button"
      aria-label="One event back"
      title="One event back (←)"
      onClick={() => position.by(-1)}
    >
      ←
    </button>
    <button type="button" aria-label="One event on" title="One event on (→)" onClick={() => position.by(1)}>
      →
    </button>
    <button type="button" aria-label="Next move" title="Next move (m)" onClick={() => position.nextMove(1)}>
      ⇥
    </button>
    <button type="button" aria-label="Next error" title="Next error (e)" onClick={position.nextTrouble}>
      ✕
    </button>
  </fieldset>
)
