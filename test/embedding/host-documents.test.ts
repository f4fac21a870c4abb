import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import {
  apiResources,
  apiWith,
  type ApiFetchHandler,
  makeApiFetchHandler,
  NodeApiServer,
} from "@tocsin/adapters-http"
import { apiHandlerOf, hardenedServer } from "@tocsin/adapters-http/effect"
import { effectApp, nodeListener } from "@tocsin/adapters-http/mounts"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import { createServer } from "node:http"
import { apiPorts } from "../http/api-ports.ts"
import { closeServer, listen } from "../receiver/KeyServer.ts"

/** An API with annotations, and without the other resources that a host can leave out. */
const api = apiWith([], [apiResources.annotations])

const fetchHandler = Effect.acquireRelease(
  Effect.sync((): ApiFetchHandler => makeApiFetchHandler(apiPorts, api)),
  ({ dispose }) => Effect.promise(dispose),
)

const quiet = { disableLogger: true }

const addressOf = Effect.map(HttpServer.HttpServer, ({ address }) =>
  "port" in address ? `http://127.0.0.1:${address.port}` : "",
)

/** The routes may need the ports of Tocsin. */
const onEffectServer = <R>(routes: Layer.Layer<never, never, R>) =>
  Effect.gen(function* () {
    const create = yield* hardenedServer()
    const served = HttpRouter.serve(routes, quiet).pipe(
      Layer.provideMerge(NodeHttpServer.layer(create, { host: "127.0.0.1", port: 0 })),
      Layer.provide(apiPorts),
    )
    return yield* Effect.provide(addressOf, yield* Layer.build(Layer.orDie(served)))
  })

/** Each way to mount the API on a socket, as an effect that listens and returns its URL. */
const mounts = {
  "the server of Node": Effect.gen(function* () {
    const ports = yield* Layer.build(apiPorts)
    const options = { host: "127.0.0.1", port: 0 }
    return (yield* Effect.provide(NodeApiServer.make(options, api), ports)).url
  }),
  "a Fetch handler": Effect.gen(function* () {
    const tocsin = yield* fetchHandler
    const server = createServer(nodeListener(tocsin))
    return yield* Effect.acquireRelease(
      Effect.promise(() => listen(server)),
      () => Effect.promise(() => closeServer(server)),
    )
  }),
  "a Fetch handler in Effect's router": Effect.flatMap(fetchHandler, (tocsin) =>
    onEffectServer(HttpRouter.add("*", "/*", effectApp(tocsin))),
  ),
  "Effect's server": onEffectServer(HttpRouter.add("*", "/*", apiHandlerOf(api))),
}

const textOf = (url: string) => Effect.promise(async () => (await fetch(url)).text())

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

const operationsOf = (text: string): ReadonlyArray<string> =>
  Object.entries((JSON.parse(text) as OpenApi).paths)
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`))
    .toSorted()

/** The operations of resources, as an OpenAPI document names them. */
const operationsOfRoutes = (routes: ReadonlyArray<{ readonly method: string; readonly path: string }>) =>
  routes.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`)

describe("the OpenAPI document and the API reference of a host that leaves out resources", () => {
  const { annotations, ...others } = apiResources
  const leftOut = operationsOfRoutes(Object.values(others).flat())

  it.live.each(Object.entries(mounts))("in %s, have the operations that it serves", ([, mount]) =>
    Effect.gen(function* () {
      const whole = makeApiFetchHandler(apiPorts)
      const complete = operationsOf(
        yield* Effect.promise(async () =>
          (await whole.handler(new Request("http://127.0.0.1/openapi.json"))).text(),
        ),
      )
      yield* Effect.promise(whole.dispose)
      expect(complete).toEqual(expect.arrayContaining(operationsOfRoutes(annotations)))

      const url = yield* mount
      const described = operationsOf(yield* textOf(`${url}/openapi.json`))
      expect(described).toEqual(complete.filter((operation) => !leftOut.includes(operation)))
      expect(described.length).toBeLessThan(complete.length)

      const page = yield* textOf(`${url}/docs`)
      expect(page).toContain("/api/slos/{sloName}/annotations")
      expect(
        leftOut.map((operation) => operation.split(" ")[1] ?? "").filter((path) => page.includes(`${path}<`)),
      ).toEqual([])
    }),
  )
})
