import { afterAll, beforeAll, vi } from "vitest"
import { startBrowser } from "./browser.ts"
import { buildConsole, startConsoleServer } from "./console-server.ts"
import { alertingSuite } from "./alerting-suite.ts"
import { bulkSuite } from "./bulk-suite.ts"
import { conflictSuite } from "./conflict-suite.ts"
import { credentialsSuite } from "./credentials-suite.ts"
import { deliverySuite } from "./delivery-suite.ts"
import { docsSuite } from "./docs-suite.ts"
import { historySuite } from "./history-suite.ts"
import { homeSuite } from "./home-suite.ts"
import { formSuite } from "./form-suite.ts"
import { frameSuite } from "./frame-suite.ts"
import { incidentSuite } from "./incident-suite.ts"
import { languageSuite } from "./language-suite.ts"
import { openingSuite } from "./opening-suite.ts"
import { pagesSuite } from "./pages-suite.ts"
import { postgresSuite } from "./postgres-suite.ts"
import { reviewSuite } from "./review-suite.ts"
import { silenceSuite } from "./silence-suite.ts"
import { signInSuite } from "./sign-in-suite.ts"
import { sloSuite } from "./slo-suite.ts"
import { sourceSuite } from "./source-suite.ts"
import { statusPageSuite } from "./status-page-suite.ts"
import { timelineSuite } from "./timeline-suite.ts"
import type { Stage } from "./stage.ts"
import { walkSuite } from "./walk-suite.ts"
import { wizardSuite } from "./wizard-suite.ts"

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
walkSuite(() => stage)
signInSuite(() => stage)
homeSuite(() => stage)
credentialsSuite(() => stage)
formSuite(() => stage)
deliverySuite(() => stage)
alertingSuite(() => stage)
timelineSuite(() => stage)
incidentSuite(() => stage)
silenceSuite(() => stage)
conflictSuite(() => stage)
bulkSuite(() => stage)
sourceSuite(() => stage)
languageSuite(() => stage)
wizardSuite(() => stage)
openingSuite(() => stage)
frameSuite(() => stage)
sloSuite(() => stage)
pagesSuite(() => stage)
historySuite(() => stage)
reviewSuite(() => stage)
docsSuite(() => stage)
statusPageSuite(() => stage)
postgresSuite(() => stage)
