import { afterAll, beforeAll } from "vitest"
import { startBrowser } from "./browser.ts"
import { buildConsole, startConsoleServer } from "./console-server.ts"
import { signInSuite } from "./sign-in-suite.ts"
import type { Stage } from "./stage.ts"

let stage: Stage

beforeAll(async () => {
  buildConsole()
  const [browser, server] = await Promise.all([startBrowser(), startConsoleServer()])
  stage = { browser, server }
}, 120_000)

afterAll(async () => {
  await stage?.browser.close()
  await stage?.server.stop()
})

// One browser and one server for all, in one file: to start them takes longer than most of these tests.
signInSuite(() => stage)
