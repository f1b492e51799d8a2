// The page at /docs in a real browser: with everything unfolded it can be read on a phone and on a desk.
import t from 'tap'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { serveHere } from '../support/server.ts'

const browser = await launchBrowser()
t.teardown(() => browser?.close())
const skip = browser === undefined ? noBrowser : false

/** What makes a reader scroll sideways, or read a text of one word a line. Runs in the page. */
const hardToRead = `(() => {
  for (const details of document.querySelectorAll('details')) details.open = true
  const { scrollWidth, clientWidth } = document.documentElement
  const texts = [...document.querySelectorAll('td, p, li')].filter(text => text.getClientRects().length > 0)
  const clipped = texts.filter(text => text.scrollWidth > text.clientWidth + 1)
  const squeezed = texts.filter(text => text.clientWidth < 120 && text.textContent.length > 40)
  return {
    pixelsTooWide: scrollWidth - clientWidth,
    clipped: clipped.map(text => text.textContent),
    squeezed: squeezed.map(text => text.textContent),
    isWholePage: texts.length > 500,
  }
})()`

for (const width of [400, 1280]) {
  t.test(`the page at /docs can be read at ${width} px`, { skip }, async t => {
    const { url } = await serveHere(t, {})
    const page = await browser?.newPage({ viewport: { width, height: 900 } })
    if (page === undefined) throw new Error('the browser is gone')
    t.teardown(() => page.close())
    await page.goto(`${url}/docs`)
    t.same(await page.evaluate(hardToRead), {
      pixelsTooWide: 0,
      clipped: [],
      squeezed: [],
      isWholePage: true,
    })
  })
}
