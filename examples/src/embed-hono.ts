// The API of Tocsin in a Hono app, with its stores in memory: for PostgreSQL, see `packages/adapters-pg`. Run it:
//   npm install
//   node --import tsx --conditions=source examples/src/embed-hono.ts
import { randomBytes } from "node:crypto"
import { createServer } from "node:http"
import type { ApiFetchHandler, RequestConnection } from "@tocsin/adapters-http"
import { honoHandler, nodeListener } from "@tocsin/adapters-http/mounts"
import { Hono } from "hono"
import { embedTocsin } from "./embed-fetch.ts"

/** An app with its own page, and the API of Tocsin under /api. */
export const createApp = (tocsin: ApiFetchHandler): Hono => {
  const app = new Hono()
  app.get("/", (context) => context.text("My app"))
  app.all("/api/*", honoHandler(tocsin))
  return app
}

if (process.argv[1] === import.meta.filename) {
  const { PORT = "3000" } = process.env
  const credential = {
    organization: "acme",
    clientId: "me",
    clientSecret: randomBytes(32).toString("base64url"),
  }
  const tocsin = embedTocsin({ baseUrl: `http://127.0.0.1:${PORT}`, masterKey: randomBytes(32), credential })
  await tocsin.start()
  const app = createApp(tocsin)
  // For Node.js. Deno and Bun run `app` directly.
  const remoteAddress = (peerAddress?: string) => ({ incoming: { socket: { remoteAddress: peerAddress } } })
  const handle = async (request: Request, { peerAddress }: RequestConnection) =>
    app.fetch(request, remoteAddress(peerAddress))
  createServer(nodeListener({ handle })).listen(Number(PORT), "127.0.0.1", () => {
    console.log(`serving on port ${PORT} for organization acme, as me with ${credential.clientSecret}`)
  })
}
