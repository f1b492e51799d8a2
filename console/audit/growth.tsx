// Proves in the browser that the log only grew: between two sizes, or since a checkpoint that somebody kept.
import { useSignal } from '@preact/signals'
import { bound } from '../ui/bound.ts'
import { Form, FormProblem, Submit } from '../ui/form.tsx'
import { count } from '../ui/time.tsx'
import { type Newest, proveGrowth, readShownCheckpoint } from './checkpoint.ts'

export const Growth = ({ newest: { checkpoint: newest, keys } }: { newest: Newest }) => {
  const from = useSignal(String(Math.max(1, Math.floor(newest.size / 2))))
  const to = useSignal(String(newest.size))
  const kept = useSignal('')
  const proven = useSignal<string | undefined>(undefined)
  const prove = async () => {
    proven.value = undefined
    const known = kept.value.trim() === '' ? undefined : readShownCheckpoint(kept.value, keys)
    const sizes = { from: known?.size ?? Number(from.value), to: Number(to.value) }
    const checked = await proveGrowth(sizes, newest, known)
    proven.value = `Proven here, with ${count(checked)} hashes: the first ${count(sizes.from)} events of the log of ${count(sizes.to)} events are the log of ${count(sizes.from)} events, unchanged.`
  }
  return (
    <Form class="panel side-part fields-below" label="The log only grew" send={prove}>
      <h2>The log only grew</h2>
      <div class="fields">
        {kept.value.trim() === '' && (
          <label>
            <span>Earlier size</span>
            <input type="number" min="1" required {...bound(from)} />
          </label>
        )}
        <label>
          <span>Later size</span>
          <input type="number" min="1" required {...bound(to)} />
        </label>
      </div>
      <label>
        <span>Or a checkpoint that you kept</span>
        <textarea class="code" rows={3} spellcheck={false} {...bound(kept)} />
      </label>
      <Submit label="Prove it" />
      <output class="proven">{proven.value}</output>
      <FormProblem about="Not proven: " />
    </Form>
  )
}
