// Writes drawings of the charts into docs/architecture.md, between markers.
import type { Chart } from '../contract/charts/chart.ts'
import { cronChart } from '../contract/charts/cron-chart.ts'
import { sessionChart } from '../contract/charts/env-session-chart.ts'
import { taskChart } from '../contract/charts/task-chart.ts'
import { between } from './between.ts'
import { drawingOf } from './drawing.ts'

const charts: Readonly<Record<string, Chart>> = {
  task: taskChart,
  'env-session': sessionChart,
  cron: cronChart,
}

/** The text, with the drawing of each chart between its markers. */
export const withCharts = (text: string): string =>
  Object.entries(charts).reduce((drawn, [name, chart]) => {
    const drawing = `\`\`\`mermaid\n${drawingOf(chart)}\n\`\`\``
    return between(drawn, 'docs/architecture.md', `chart: ${name}`, drawing)
  }, text)
