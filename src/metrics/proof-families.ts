// The metrics of checkpoints and witnesses.
import { type Family, gauge } from './exposition.ts'

export type ProofCounts = { size: number; lag: number; witnesses: { witness: string; lag: number }[] }

export const proofFamilies = (counts: () => ProofCounts): Family[] => [
  gauge(
    'reprise_checkpoint_position',
    'Position of the last event that a checkpoint covers.',
    () => counts().size,
  ),
  gauge('reprise_checkpoint_lag_positions', 'Events that no checkpoint covers yet.', () => counts().lag),
  gauge(
    'reprise_witness_lag_positions',
    'Events that no checkpoint with the signature of the witness covers.',
    () => counts().witnesses.map(({ witness, lag }) => [{ witness }, lag]),
  ),
]
