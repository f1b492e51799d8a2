// Settings for bundling libraries into the server (build.mjs) and into tests (test/support/bundle.mjs). Node reads one
// large file in less time than hundreds of small files (docs/decisions/95-what-a-start-loads.md).

/**
 * Packages outside of the bundle: compiled code, the tools for TypeScript, and libraries that few servers load. Most of
 * these libraries are in the format of CommonJS and are imported when they are needed; a bundle would lose their named
 * exports.
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
