// Shows what was verified, with which key, and what the verification proves.
import { signal } from '@preact/signals'
import { fileNames } from '../../src/proof/export/format.ts'
import { claimsOf } from '../../src/proof/export/readme.ts'
import { exportLines } from '../../src/proof/export/report.ts'
import { bound } from '../ui/bound.ts'
import { Problem } from '../ui/notice.tsx'
import { manifest, tried } from './content.ts'
import { files } from './files.ts'
import { VerdictLine } from './verdict.tsx'
import { verdict, verify } from './verification.ts'

const key = signal('')
const problem = signal<string | undefined>(undefined)

const KeyForm = () => (
  <form
    class="panel key-form"
    onSubmit={event => {
      event.preventDefault()
      problem.value = undefined
      verify(key.value.trim()).catch((error: Error) => {
        problem.value = error.message
      })
    }}
  >
    <h2>The key of the log</h2>
    <p>
      Get it from a person whom you trust. The server shows it at <code>/v1/audit/public-key</code>.
    </p>
    <label>
      <span>Key</span>
      <input type="text" required spellcheck={false} autocomplete="off" {...bound(key)} />
    </label>
    <button type="submit" class="primary">
      Verify with this key
    </button>
    <Problem text={problem.value} />
  </form>
)

const Claims = ({ title, of }: { title: string; of: readonly string[] }) => (
  <section class="panel">
    <h2>{title}</h2>
    <ul class="claims">
      {of.map(each => (
        <li key={each}>{each}</li>
      ))}
    </ul>
  </section>
)

export const VerificationView = () => {
  const found = verdict.value
  const claims = manifest === undefined ? undefined : claimsOf(manifest.subject)
  return (
    <main class="proof">
      <h1>Verification</h1>
      <VerdictLine always />
      {found.state === 'fits' && (
        <section class="panel">
          <h2>What was verified here</h2>
          <ul class="claims">
            {exportLines(found.verified).map(line => (
              <li key={line}>{line}</li>
            ))}
            <li>
              signed by <code>{found.verified.signers.map(({ text }) => text).join(', ')}</code>
            </li>
          </ul>
        </section>
      )}
      <KeyForm />
      {claims !== undefined && (
        <div class="proof-texts">
          <Claims title="What it proves" of={claims.proven} />
          <Claims
            title="What it does not prove"
            of={[
              ...claims.notProven,
              'That this page works as it should. A person who changes the history can change the page too. With a program from a source that you trust, `reprise verify THIS-FILE --key KEY` does the same work.',
            ]}
          />
        </div>
      )}
      <section class="panel">
        <h2>The signed checkpoint</h2>
        <pre>{tried(() => files.text(fileNames.checkpoint)) ?? 'The page has none.'}</pre>
      </section>
    </main>
  )
}
