// The page of the inspector. It shows a line for each event of an actor, and loads nothing from the internet. A link on
// the page opens Stately's inspector, a page of stately.ai that draws the charts, and sends it the messages.
export const inspectorPage = `<!doctype html>
<html lang="en">
<title>Running actors</title>
<style>
  body { font: 14px monospace; margin: 1em }
  iframe { width: 100%; height: 90vh; border: 0 }
</style>
<p><a href="#stately">Show them in Stately's inspector</a> (loads a page of stately.ai, which sees what users wrote)</p>
<pre id="lines"></pre>
<script>
  const lines = document.getElementById('lines')
  const messages = []
  let stately
  const openStately = () => {
    const frame = document.createElement('iframe')
    window.addEventListener('message', ({ source, data }) => {
      if (source !== frame.contentWindow || data?.type !== '@statelyai.connected') return
      stately = frame.contentWindow
      for (const message of messages) stately.postMessage(message, 'https://stately.ai')
    })
    frame.src = 'https://stately.ai/inspect'
    document.body.append(frame)
  }
  addEventListener('hashchange', openStately, { once: true })
  new EventSource('/events').onmessage = ({ data }) => {
    const message = JSON.parse(data)
    messages.push(message)
    stately?.postMessage(message, 'https://stately.ai')
    if (message.type !== '@xstate.snapshot') return
    const { name, event, snapshot } = message
    lines.append([name, event.type, JSON.stringify(snapshot.value)].join('  ') + '\\n')
  }
</script>
</html>
`
