import * as NodeApiServer from "@tocsin/adapters-http/internal/server/NodeApiServer"
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll } from "vitest"
import { describeWith, expect } from "@tocsin/testing/internal/contract/EffectTest"
import { apiServer, basicOf, send } from "../http/api-client.ts"

// Installed apart: the linters bring 200 packages that nothing else needs.
const npmPackages = [
  "@redocly/cli@2.77.0",
  "@stoplight/spectral-cli@6.16.3",
  "openapi-fetch@0.17.0",
  "openapi-typescript@7.13.0",
  "typescript@5.9.3",
]
const goGenerator = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2"
const goRuntime = "github.com/oapi-codegen/runtime@v1.8.0"

const documents = ["openapi", "openapi-v1"]

const folder = mkdtempSync(join(tmpdir(), "tocsin-languages-"))
const goFolder = join(folder, "go")

/** Runs a program in a folder and gives what it prints; what it reports is the failure's message. */
const run = (program: string, args: ReadonlyArray<string>, cwd = folder, env: Record<string, string> = {}) =>
  new Promise<string>((resolve, reject) => {
    const settings = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" }
    const options = { cwd, env: { ...process.env, ...settings, ...env }, maxBuffer: 1e8 }
    execFile(program, args, options, (cause, stdout, stderr) => {
      if (cause === null) resolve(stdout)
      else reject(new Error(`${program} ${args.join(" ")}\n${stdout}${stderr}`, { cause }))
    })
  })

const npmTool = (name: string, ...args: ReadonlyArray<string>) =>
  run(join(folder, "node_modules", ".bin", name), args)

beforeAll(async () => {
  mkdirSync(goFolder)
  writeFileSync(join(folder, "package.json"), `{"private":true,"type":"module"}`)
  writeFileSync(join(folder, "spectral.yaml"), `extends: ["spectral:oas"]\n`)
  await run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", ...npmPackages])
}, 600_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const writeDocument = (name: string) =>
  Effect.map(send(`/${name}.json`), ({ text }) => writeFileSync(join(folder, `${name}.json`), text))

/** The settings of a client that signs in to the server of the context. */
const clientSettings = Effect.gen(function* () {
  const { url } = yield* NodeApiServer.NodeApiServer
  const { authorization } = yield* basicOf("acme")
  return { TOCSIN_URL: url, TOCSIN_BASIC: authorization }
})

const typeScriptProgram = `
import createClient from "openapi-fetch"
import type { paths } from "./api.js"

declare const process: { readonly env: Record<string, string> }
const client = createClient<paths>({ baseUrl: process.env["TOCSIN_URL"]! })
const organization = "acme"
const token = await client.POST("/api/accessToken", {
  params: { header: { organization } },
  headers: { authorization: process.env["TOCSIN_BASIC"]! },
})
const slos = await client.GET("/api/v2/slos", {
  params: { header: { organization }, query: { limit: 10 } },
  headers: { authorization: \`Bearer \${token.data!.access_token}\` },
})
console.log(slos.response.status, slos.data!.data.length)
`

const goProgram = `package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
)

func with(authorization string) RequestEditorFn {
	return func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", authorization)
		return nil
	}
}

func main() {
	ctx := context.Background()
	client, err := NewClientWithResponses(os.Getenv("TOCSIN_URL"))
	if err != nil {
		panic(err)
	}
	token, err := client.IssueAccessTokenWithResponse(ctx,
		&IssueAccessTokenParams{Organization: "acme"}, with(os.Getenv("TOCSIN_BASIC")))
	if err != nil {
		panic(err)
	}
	slos, err := client.ListSlosWithResponse(ctx,
		&ListSlosParams{Organization: "acme"}, with("Bearer "+token.JSON200.AccessToken))
	if err != nil {
		panic(err)
	}
	fmt.Println(slos.StatusCode(), len(slos.JSON200.Data))
}
`

describeWith(apiServer)("the OpenAPI documents", (it) => {
  it.effect.each(documents)("Redocly and Spectral find no error in %s.json", (name) =>
    Effect.gen(function* () {
      yield* writeDocument(name)
      yield* Effect.promise(() => npmTool("redocly", "lint", "--extends=recommended", `${name}.json`))
      yield* Effect.promise(() => npmTool("spectral", "lint", "--ruleset", "spectral.yaml", `${name}.json`))
    }),
  )

  it.effect("a TypeScript client that openapi-typescript generates compiles and lists SLOs", () =>
    Effect.gen(function* () {
      yield* writeDocument("openapi")
      const settings = yield* clientSettings
      writeFileSync(join(folder, "main.ts"), typeScriptProgram)
      const strict = ["--strict", "--module", "nodenext", "--target", "es2022", "--lib", "es2022,dom"]
      yield* Effect.promise(() => npmTool("openapi-typescript", "openapi.json", "-o", "api.ts"))
      yield* Effect.promise(() => npmTool("tsc", ...strict, "--skipLibCheck", "main.ts"))
      const printed = yield* Effect.promise(() => run(process.execPath, ["main.js"], folder, settings))
      expect(printed).toBe("200 0\n")
    }),
  )

  it.effect("a Go client that oapi-codegen generates compiles and lists SLOs", () =>
    Effect.gen(function* () {
      yield* writeDocument("openapi")
      const settings = yield* clientSettings
      const go = (...args: ReadonlyArray<string>) => Effect.promise(() => run("go", args, goFolder, settings))
      yield* Effect.promise(() =>
        run("go", ["version"]).catch((cause: unknown) => {
          throw new Error(
            "Go is required: install Go 1.24 or later (https://go.dev/dl) and put it on the PATH",
            { cause },
          )
        }),
      )
      yield* go("mod", "init", "example.com/client")
      const generated = ["-generate", "types,client", "-package", "main", "-o", "client.go"]
      yield* go("run", goGenerator, ...generated, join(folder, "openapi.json"))
      writeFileSync(join(goFolder, "main.go"), goProgram)
      yield* go("get", goRuntime)
      yield* go("mod", "tidy")
      yield* go("build", "-o", "client", ".")
      const printed = yield* Effect.promise(() => run(join(goFolder, "client"), [], goFolder, settings))
      expect(printed).toBe("200 0\n")
    }),
  )
})
