// The API of Tocsin in a Hono app. Run it:
//   node --import tsx --conditions=source examples/src/embed-hono.ts
import { randomBytes } from "node:crypto"
import { createServer } from "node:http"
import type { ApiFetchHandler } from "@tocsin/adapters-http"
import { Hono } from "hono"
import { embedTocsin } from "./embed-fetch.ts"
import { nodeListener } from "./node-listener.ts"

/** An app with its own page, and the API of Tocsin under /api. */
export const createApp = (tocsin: ApiFetchHandler): Hono => {
  const app = new Hono()
  app.get("/", (context) => context.text("My app"))
  app.all("/api/*", (context) => tocsin.handler(context.req.raw))
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
  // For Node.js. Deno, Bun and workers run `app` directly.
  createServer(nodeListener(async (request) => app.fetch(request))).listen(Number(PORT), "127.0.0.1", () => {
    console.log(`serving on port ${PORT} for organization acme, as me with ${credential.clientSecret}`)
  })
}
