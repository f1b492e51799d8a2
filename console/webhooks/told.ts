// The outcome of the newest try that the user asked for, as the page shows it.
import type { Signal } from '@preact/signals'

export type Told = Signal<string | undefined>
