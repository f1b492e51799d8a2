// Verifies the export with the code of `reprise verify`: each event, its proof, and the signature of the checkpoint.
import { signal } from '@preact/signals'
import { misfitText } from '../../src/proof/export/report.ts'
import { type VerifiedExport, verifyExport } from '../../src/proof/export/verify-export.ts'
import { Misfit } from '../../src/proof/misfit.ts'
import { NotProven } from '../../src/proof/not-proven.ts'
import { readVerifierKey } from '../../src/proof/note/keys.ts'
import { files } from './files.ts'

/** `position`: the first event that does not fit, if the fault is in an event. */
export type Verdict =
  | { state: 'checking'; events: number }
  | { state: 'fits'; verified: VerifiedExport }
  | { state: 'wrong'; reason: string; position: number | undefined }

export const verdict = signal<Verdict>({ state: 'checking', events: 0 })

const wrong = (error: unknown): Verdict => {
  if (error instanceof Misfit) return { state: 'wrong', reason: misfitText(error), position: error.position }
  const reason = error instanceof Error ? error.message : String(error)
  return { state: 'wrong', reason, position: undefined }
}

/** Lets the page draw. */
const yieldToLoop = () => new Promise<void>(resolve => setTimeout(resolve))

let runs = 0
/** `key`: the key that the reader trusts. Without it, the keys that came with the export count. Throws NotProven. */
export const verify = async (key?: string): Promise<void> => {
  const given = key === undefined ? undefined : readVerifierKey(key)
  const run = ++runs
  const show = (found: Verdict) => {
    if (run === runs) verdict.value = found
  }
  show({ state: 'checking', events: 0 })
  await yieldToLoop()
  try {
    const onProgress = (events: number) => show({ state: 'checking', events })
    const verified = await verifyExport(
      { files, key: given, checkpoints: () => [] },
      { onProgress, yieldToLoop },
    )
    show({ state: 'fits', verified })
  } catch (error) {
    show(wrong(error))
    if (!(error instanceof Misfit || error instanceof NotProven)) throw error
  }
}
