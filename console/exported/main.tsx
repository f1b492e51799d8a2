// Starts the page of an export. The page asks no server for anything.
import { render } from 'preact'
import { App } from './app.tsx'
import { verify } from './verification.ts'
import '../style/tokens.css'
import '../style/base.css'
import '../style/frame.css'
import '../style/home.css'
import '../style/views.css'
import '../style/task.css'
import '../style/proof.css'
import '../style/exported.css'

const root = document.getElementById('console')
if (root !== null) {
  root.textContent = ''
  render(<App />, root)
}
void verify()
