// Signing in: a token that the user pastes, or the one-time link that opened the page.
import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { notice, signIn } from '../api/session.ts'
import { createAction } from '../ui/action.ts'
import { Problem } from '../ui/notice.tsx'

export const SignIn = () => {
  const token = useSignal('')
  const { busy, error, run } = useMemo(createAction, [])
  const problem = error.value ?? notice.value
  return (
    <main class="sign-in">
      <form
        class="panel"
        onSubmit={event => {
          event.preventDefault()
          void run(() => signIn(token.value.trim()))
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
            value={token}
            onInput={event => {
              token.value = event.currentTarget.value
            }}
          />
        </label>
        <Problem text={problem} />
        <button type="submit" class="primary" disabled={busy.value || token.value.trim() === ''}>
          Sign in
        </button>
        <p class="hint">
          No token at hand? On the machine of the server, <code>reprise console</code> prints a link that
          signs you in.
        </p>
      </form>
    </main>
  )
}
