// Starts the console in the browser.
import { render } from 'preact'
import { followLinks } from './api/router.ts'
import { learnSelf, notice, signInByLink } from './api/session.ts'
import { App } from './app.tsx'
import './style/tokens.css'
import './style/base.css'
import './style/frame.css'
import './style/home.css'
import './style/task.css'
import './style/proof.css'
import './style/diff.css'

/** Signs in with the one-time link, if the page was opened by one. The link is removed from the address at once. */
const useLink = async (): Promise<void> => {
  const ticket = new URLSearchParams(location.hash.slice(1)).get('login')
  if (ticket === null) return
  history.replaceState(null, '', location.pathname + location.search)
  await signInByLink(ticket).catch((error: Error) => {
    notice.value = error.message
  })
}

/**
 * Makes the address of the icon absolute. Browsers read a relative one again when the address of the page changes, and below
 * another path it would be wrong.
 */
const keepIcon = (): void => {
  const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]')
  if (icon !== null) icon.href = new URL(icon.href).href
}

const start = async (): Promise<void> => {
  keepIcon()
  await useLink()
  const root = document.getElementById('console')
  if (root === null) return
  followLinks()
  void learnSelf()
  render(<App />, root)
}
void start()
