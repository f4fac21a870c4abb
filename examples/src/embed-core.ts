// SLOs, alerts and deliveries in your own process, without the features that you do not need: without annotations,
// incidents, backtests, reports, bulk resends, status pages, OTLP, Alertmanager and MCP. A feature is a line of a list, and a line that is left out leaves it out. Run it:
//   npm install
//   node --import tsx --conditions=source examples/src/embed-core.ts
import { randomBytes } from "node:crypto"
import { createServer } from "node:http"
import { MetricSourcePrometheus, WebhookTransportUndici } from "@tocsin/adapters-egress"
import {
  type ApiFetchHandler,
  ApiOptions,
  apiWith,
  BackgroundWork,
  CryptoNode,
  makeApiFetchHandler,
} from "@tocsin/adapters-http"
import { nodeListener } from "@tocsin/adapters-http/mounts"
import { MemoryStores } from "@tocsin/adapters-memory"
import { createCredential, participantsLayer } from "@tocsin/domain"
import { budgetRecord } from "@tocsin/domain/features/budget-change"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

/** What takes part in changes of definitions: neither `annotations` nor `statusPages`. */
const participants = participantsLayer([budgetRecord])

/** The API with its core only: no features of other packages, such as `mcpApi`, and no resource of `apiResources`. */
const api = apiWith([], [])

/** What runs in the background beside deliveries and statuses: not `bulkResends`, `incidents` and `reports`. */
const { silenceNotices, indicators, backfills } = BackgroundWork.jobs
const backgroundWork = BackgroundWork.startWith([silenceNotices, indicators, backfills])

/** The service in this process, as a Fetch handler, for a client of the organization `acme`. */
export const embedCore = (baseUrl: string, clientId: string, clientSecret: string): ApiFetchHandler => {
  const ports = CryptoNode.layer(Redacted.make(randomBytes(32))).pipe(
    Layer.provideMerge(participants),
    Layer.provideMerge(MemoryStores.layer),
    Layer.provideMerge(WebhookTransportUndici.layer({ allowCidrs: [] })),
    Layer.provideMerge(MetricSourcePrometheus.layer({ allowCidrs: [] })),
    Layer.provideMerge(Layer.succeed(ApiOptions, { ...ApiOptions.defaultValue(), baseUrl })),
  )
  const credential = createCredential({
    organization: "acme",
    clientId,
    role: "editor",
    clientSecret: Redacted.make(clientSecret),
  })
  const started = Layer.effectDiscard(Effect.andThen(credential, backgroundWork))
  return makeApiFetchHandler(started.pipe(Layer.provideMerge(ports)), api)
}

if (process.argv[1] === import.meta.filename) {
  const { PORT = "3000" } = process.env
  const clientSecret = randomBytes(32).toString("base64url")
  const tocsin = embedCore(`http://127.0.0.1:${PORT}`, "me", clientSecret)
  await tocsin.start()
  createServer(nodeListener(tocsin)).listen(Number(PORT), "127.0.0.1", () => {
    console.log(`serving on port ${PORT} for organization acme, as me with ${clientSecret}`)
  })
}
