// Signs a user in with a token that the user pastes. main.tsx uses a one-time link that opened the page.
import { useSignal } from '@preact/signals'
import { notice, signIn } from '../api/session.ts'
import { bound } from '../ui/bound.ts'
import { Form, FormProblem, Submit } from '../ui/form.tsx'
import { Problem } from '../ui/notice.tsx'

export const SignIn = () => {
  const token = useSignal('')
  return (
    <main class="sign-in">
      <Form
        class="panel"
        send={async () => {
          notice.value = undefined
          await signIn(token.value.trim())
        }}
      >
        <h1>Reprise</h1>
        <p>Paste an access token. It is kept until you close this tab.</p>
        <label>
          <span>Access token</span>
          <input
            type="password"
            name="token"
            autocomplete="off"
            spellcheck={false}
            autofocus
            {...bound(token)}
          />
        </label>
        <Problem text={notice.value} />
        <FormProblem />
        <Submit label="Sign in" kind="primary" disabled={token.value.trim() === ''} />
        <p class="hint">
          No token at hand? On the machine of the server, <code>reprise console</code> prints a link that
          signs you in.
        </p>
      </Form>
    </main>
  )
}
