import { afterAll, beforeAll, vi } from "vitest"
import { startBrowser } from "./browser.ts"
import { buildConsole, startConsoleServer } from "./console-server.ts"
import { deliverySuite } from "./delivery-suite.ts"
import { formSuite } from "./form-suite.ts"
import { openingSuite } from "./opening-suite.ts"
import { pagesSuite } from "./pages-suite.ts"
import { postgresSuite } from "./postgres-suite.ts"
import { silenceSuite } from "./silence-suite.ts"
import { signInSuite } from "./sign-in-suite.ts"
import { sourceSuite } from "./source-suite.ts"
import type { Stage } from "./stage.ts"

// A machine that does much else is slow to draw pages; nothing here is right or wrong by the clock.
vi.setConfig({ testTimeout: 180_000 })

let stage: Stage

beforeAll(async () => {
  buildConsole()
  const [browser, server] = await Promise.all([startBrowser(), startConsoleServer()])
  stage = { browser, server }
})

afterAll(async () => {
  await stage?.browser.close()
  await stage?.server.stop()
})

// One browser and one server for all, in one file: to start them takes longer than most of these tests.
signInSuite(() => stage)
formSuite(() => stage)
deliverySuite(() => stage)
silenceSuite(() => stage)
sourceSuite(() => stage)
openingSuite(() => stage)
pagesSuite(() => stage)
postgresSuite(() => stage)
