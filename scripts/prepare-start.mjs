// Writes what makes the bundled server start sooner beside its code, which is the first argument: its compiled code, and the
// API reference with the OpenAPI documents. For this it runs the server in this process until it is ready.
import { mkdirSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import { createRequire } from "node:module"
import { basename, dirname, join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { pathToFileURL } from "node:url"
import { Script } from "node:vm"
import { replaceFile } from "./replace-file.mjs"

const [, , file] = process.argv
const base = `http://127.0.0.1:${await freePort()}`
Object.assign(process.env, {
  HOST: "127.0.0.1",
  PORT: new URL(base).port,
  TOCSIN_STORE: "memory",
  TOCSIN_MASTER_KEY: Buffer.alloc(32).toString("base64"),
  TOCSIN_DRAIN_SECONDS: "0",
  TOCSIN_LOG_LEVEL: "none",
})
process.argv = [process.execPath, file, "serve"]

const script = new Script(readFileSync(file, "latin1"), {
  filename: file,
})
const { href } = pathToFileURL(file)
script.runInThisContext()(createRequire(href), file, dirname(file), href, (module) => import(module))
while ((await statusOf("/readyz")) !== 200) await setTimeout(10)
// With all functions that have run until now.
replaceFile(`${file}.cache`, script.createCachedData())

const documents = join(dirname(file), basename(file, ".cjs"))
mkdirSync(documents, { recursive: true })
for (const name of ["openapi", "openapi-v1", "docs"]) {
  const response = await fetch(`${base}/${name}${name === "docs" ? "" : ".json"}`)
  if (response.status !== 200) throw new Error(`${response.url} is ${response.status}`)
  const headers = {}
  for (const header of ["cache-control", "content-type", "content-security-policy", "referrer-policy"]) {
    const value = response.headers.get(header)
    if (value !== null) headers[header] = value
  }
  replaceFile(join(documents, `${name}.json`), JSON.stringify({ headers, body: await response.text() }))
}
process.exit(0)

function statusOf(path) {
  return fetch(base + path).then(
    ({ status }) => status,
    () => undefined,
  )
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().once("error", reject)
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address()
      probe.close(() => resolve(port))
    })
  })
}
