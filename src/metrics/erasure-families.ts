// The metrics of erasures.
import { counter, type Family, gauge } from './exposition.ts'

export type ErasureCounts = { pending: number; erased: number; kept: number; failures: number }

export const erasureFamilies = (counts: () => ErasureCounts): Family[] => [
  gauge(
    'reprise_erasures_pending',
    'Stored erasures that are not finished, since something is left to destroy.',
    () => counts().pending,
  ),
  counter(
    'reprise_retention_erased_total',
    'Tasks that rules of retention have erased.',
    () => counts().erased,
  ),
  gauge(
    'reprise_retention_kept',
    'Tasks that rules of retention name but that stay, because of a hold or because other tasks need them.',
    () => counts().kept,
  ),
  counter(
    'reprise_retention_failures_total',
    'How often the rules of retention could not be applied.',
    () => counts().failures,
  ),
]
