// Writes drawings of the charts into docs/architecture.md, between markers.
import type { Chart } from '../contract/chart.ts'
import { cronChart } from '../contract/cron-chart.ts'
import { sessionChart } from '../contract/env-session-chart.ts'
import { taskChart } from '../contract/task-chart.ts'
import { drawingOf } from './drawing.ts'

const charts: Readonly<Record<string, Chart>> = {
  task: taskChart,
  'env-session': sessionChart,
  cron: cronChart,
}

/** The text, with the drawing of each chart between its markers. */
export const withCharts = (text: string): string =>
  Object.entries(charts).reduce((drawn, [name, chart]) => {
    const [begin, end] = [`<!-- chart: ${name} -->`, `<!-- end of chart: ${name} -->`]
    const [from, to] = [drawn.indexOf(begin), drawn.indexOf(end)]
    if (from < 0 || to < from)
      throw new Error(`docs/architecture.md has no markers for the chart ${name}: add ${begin} and ${end}`)
    return `${drawn.slice(0, from + begin.length)}\n\`\`\`mermaid\n${drawingOf(chart)}\n\`\`\`\n${drawn.slice(to)}`
  }, text)
