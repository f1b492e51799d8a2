// Shows a secret that the server gives only once.
import { Copy } from './copy.tsx'
import { Dialog } from './dialog.tsx'

type Props = { title: string; secret: string; close: () => void }

export const Secret = ({ title, secret, close }: Props) => (
  <Dialog title={title} close={close}>
    <p>Copy it now. The server does not show it again.</p>
    <pre class="secret">{secret}</pre>
    <form method="dialog" class="answers">
      <Copy label="Copy" text={() => secret} />
      <button type="submit">I have it</button>
    </form>
  </Dialog>
)
