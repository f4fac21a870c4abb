// The API of Tocsin in an Express app, with its stores in memory: for PostgreSQL, see `packages/adapters-pg`. Run it:
//   npm install
//   node --import tsx --conditions=source examples/src/embed-express.ts
import { randomBytes } from "node:crypto"
import type { ApiFetchHandler } from "@tocsin/adapters-http"
import { nodeListener } from "@tocsin/adapters-http/mounts"
import express, { type Express } from "express"
import { embedTocsin } from "./embed-fetch.ts"

/** An app with its own page, and the API of Tocsin under /api. */
export const createApp = (tocsin: ApiFetchHandler): Express => {
  const app = express()
  // Before express.json(): the API reads the body itself.
  app.use("/api", nodeListener(tocsin))
  app.use(express.json())
  app.get("/", (_request, response) => {
    response.send("My app")
  })
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
  createApp(tocsin).listen(Number(PORT), "127.0.0.1", () => {
    console.log(`serving on port ${PORT} for organization acme, as me with ${credential.clientSecret}`)
  })
}
