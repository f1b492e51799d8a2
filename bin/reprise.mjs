#!/usr/bin/env node
// `npm ci` and `npm start` build dist/ (build.mjs).
process.setSourceMapsEnabled(true)
await import('../dist/main.mjs')
