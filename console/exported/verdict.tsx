// Shows whether the export fits, in the head of the page and in a line above each view.
import { count } from '../ui/time.tsx'
import { type Verdict, verdict } from './verification.ts'

const wordsOf = (found: Verdict): { kind: string; short: string; long: string } => {
  if (found.state === 'checking')
    return { kind: 'wait', short: 'Verifying…', long: `Verifying… ${count(found.events)} events so far` }
  if (found.state === 'wrong')
    return { kind: 'wrong', short: '✕ Does not fit', long: `This is not what was stored. ${found.reason}` }
  return found.verified.isKeyChecked
    ? {
        kind: 'right',
        short: '✓ Proven',
        long: 'Proven: every event here was in the log that the key has signed, unchanged.',
      }
    : {
        kind: 'unchecked',
        short: '✓ Fits; check the key',
        long: 'Every event fits the signed checkpoint. The key came with this page: compare it with a key that you got from a person whom you trust.',
      }
}

export const VerdictLink = () => {
  const { kind, short } = wordsOf(verdict.value)
  return (
    <a class={`verdict-link ${kind}`} href="#/verification">
      {short}
    </a>
  )
}

/** The line above a view. Without `always`, it is shown only when something is wrong. */
export const VerdictLine = ({ always = false }: { always?: boolean }) => {
  const { kind, long } = wordsOf(verdict.value)
  if (!always && kind !== 'wrong') return null
  return (
    <p class={`verdict ${kind}`} role={kind === 'wrong' ? 'alert' : 'status'}>
      {long}
    </p>
  )
}
