// The log: its newest checkpoint and keys, the proof that it only grew, the replay of all tasks, and its streams.

import { toBase64 } from '../../src/proof/tree/hash.ts'
import { readKeys } from '../proof/keys.ts'
import { Copy } from '../ui/copy.tsx'
import { Facts } from '../ui/facts.tsx'
import { Loaded, Page } from '../ui/page.tsx'
import { useReading } from '../ui/reading.ts'
import { count } from '../ui/time.tsx'
import { type Newest, readNewest } from './checkpoint.ts'
import { Growth } from './growth.tsx'
import { ReplayAll } from './replay-all.tsx'
import { Streams } from './streams.tsx'

const everyMs = 3000

const CheckpointPanel = ({ checkpoint, keys }: Newest) => (
  <section class="panel side-part fields-below" aria-label="Checkpoint">
    <h2>Checkpoint</h2>
    <Facts
      of={[
        ['Log', checkpoint.origin],
        ['Events', count(checkpoint.size)],
        ['Root', <code key="root">{toBase64(checkpoint.root)}</code>],
        ['Signature', 'verified here'],
        [
          'Keys',
          readKeys(keys).map(({ id, firstSize }) => (
            <p key={id}>
              <code>{id}</code> from event {count(firstSize)}
            </p>
          )),
        ],
      ]}
    />
    <details>
      <summary>The signed note</summary>
      <pre>{checkpoint.text}</pre>
    </details>
    <Copy label="Copy the checkpoint" text={() => checkpoint.text} />
  </section>
)

export const AuditView = () => {
  const newest = useReading('newest', readNewest, { everyMs })
  return (
    <Page title="Log">
      <div class="columns">
        <div>
          <Streams />
        </div>
        <aside class="first" aria-label="Proofs">
          <Loaded reading={newest} what="checkpoint">
            {found =>
              found === undefined ? (
                <p class="hint">The log has no checkpoint yet.</p>
              ) : (
                <>
                  <CheckpointPanel {...found} />
                  <Growth newest={found} />
                </>
              )
            }
          </Loaded>
          <ReplayAll />
        </aside>
      </div>
    </Page>
  )
}
