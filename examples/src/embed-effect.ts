// The API of Tocsin beside your own routes in a server of Effect, on your own layers. Run it:
//   npm install && npm install @effect/platform-node
//   node --import tsx --conditions=source examples/src/embed-effect.ts
import { randomBytes } from "node:crypto"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { MetricSourcePrometheus, WebhookTransportUndici } from "@tocsin/adapters-egress"
import { ApiOptions, BackgroundWork, CryptoNode } from "@tocsin/adapters-http"
import { apiHandler, hardenedServer, type ServerLimits } from "@tocsin/adapters-http/effect"
import { MemoryStores } from "@tocsin/adapters-memory"
import { allParticipants } from "@tocsin/domain/features"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

/** The ports of Tocsin, and its background work. */
export const tocsin = (baseUrl: string, masterKey: Uint8Array) =>
  BackgroundWork.layer.pipe(
    Layer.provideMerge(CryptoNode.layer(Redacted.make(masterKey))),
    Layer.provideMerge(allParticipants),
    Layer.provideMerge(MemoryStores.layer),
    Layer.provideMerge(WebhookTransportUndici.layer({ allowCidrs: [] })),
    Layer.provideMerge(MetricSourcePrometheus.layer({ allowCidrs: [] })),
    Layer.provideMerge(Layer.succeed(ApiOptions, { ...ApiOptions.defaultValue(), baseUrl })),
  )

/** A page of your own, and the API under /api. */
const routes = Layer.mergeAll(
  HttpRouter.add("GET", "/", HttpServerResponse.text("My app")),
  HttpRouter.add("*", "/api/*", apiHandler),
)

/** Listens on loopback until its scope closes. The layers that it needs are those of `tocsin`. */
export const server = (port: number, limits: ServerLimits = {}) =>
  HttpRouter.serve(routes, { disableLogger: true }).pipe(
    Layer.provideMerge(
      Layer.unwrap(
        Effect.map(hardenedServer(limits), (create) =>
          NodeHttpServer.layer(create, { host: "127.0.0.1", port }),
        ),
      ),
    ),
  )

if (process.argv[1] === import.meta.filename) {
  const port = Number(process.env["PORT"] ?? "3000")
  const app = server(port).pipe(Layer.provide(tocsin(`http://127.0.0.1:${port}`, randomBytes(32))))
  NodeRuntime.runMain(Layer.launch(app))
}
