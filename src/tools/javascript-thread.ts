// The thread of run_javascript. The interpreter asks this thread for the time, so for the model's code the clock stands
// still, in UTC.
import { workerData } from 'node:worker_threads'
import { newQuickJSWASMModule, newVariant, RELEASE_SYNC } from 'quickjs-emscripten'
import { evaluate, type JavascriptJob } from './javascript.ts'
import { doJob } from './job-in-thread.ts'

const { at } = workerData as JavascriptJob
Date.now = () => at
Date.prototype.getTimezoneOffset = () => 0

type Limits = { initial: number; maximum: number }
type Memory = new (limits: Limits) => object
/** The types of Node 20 include the values that WebAssembly returns, but not WebAssembly itself. */
const wasm = (globalThis as unknown as { WebAssembly: { Memory: Memory } }).WebAssembly

// The interpreter's own limit does not work, since it cannot measure its use of memory in WebAssembly. So the memory
// itself is limited, in pages of 64 KiB: 16 MiB at first, for which the interpreter was built, and 64 MiB at most.
const wasmMemory = new wasm.Memory({ initial: 256, maximum: 1024 })
const quickjs = await newQuickJSWASMModule(newVariant(RELEASE_SYNC, { wasmMemory }))
await doJob((job: JavascriptJob) => evaluate(quickjs, job))
