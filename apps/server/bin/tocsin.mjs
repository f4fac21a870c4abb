#!/usr/bin/env node
import { existsSync } from "node:fs"

const server = new URL("../dist/tocsin.mjs", import.meta.url)
// A clone has no build until it needs one; a published package has one.
if (!existsSync(server)) {
  await import("../../../scripts/console.mjs")
  await import("../../../scripts/bundle.mjs")
}
await import(server.href)
