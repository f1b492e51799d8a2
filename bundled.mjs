// How libraries are bundled, for the server (build.mjs) and for tests (test/support/bundle.mjs). Node reads one large file
// in less time than hundreds of small ones (docs/decisions/95-what-a-start-loads.md).

/**
 * Packages outside of the bundle: compiled code, the tools for TypeScript, and libraries that few servers load. Most of
 * the latter are imported when they are needed and have the format of CommonJS: in a bundle, their names would be missing.
 */
export const external = [
  'better-sqlite3',
  'better-sqlite3-13',
  'quickjs-emscripten',
  'tsx',
  'esbuild',
  'undici',
  'prom-client',
  '@modelcontextprotocol/*',
  '@nats-io/*',
  '@opentelemetry/*',
]

/** The first line of a bundled file. Libraries in the format of CommonJS call `require`. */
export const banner = {
  js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
}
